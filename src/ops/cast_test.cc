#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Cast(TestTensor x, ElementType to) {
  return {.op = "CAST", .inputs = {std::move(x)}, .outputs = {{to}}};
}

// Toward zero; beyond the type, the nearest of its numbers.
TEST(CastTest, FloatsToIntegers) {
  const float inf = std::numeric_limits<float>::infinity();
  const TestTensor x =
      Floats({8}, {1.9f, -1.9f, 300, -300, 3e9f, -inf, inf, NAN});
  ExpectOutput<int32_t>(Cast(x, ElementType::kInt32), {8},
                        {1, -1, 300, -300, INT32_MAX, INT32_MIN, INT32_MAX, 0});
  ExpectOutput<int8_t>(Cast(x, ElementType::kInt8), {8},
                       {1, -1, 127, -128, 127, -128, 127, 0});
  ExpectOutput<uint8_t>(Cast(x, ElementType::kUInt8), {8},
                        {1, 0, 255, 0, 255, 0, 255, 0});
  ExpectOutput<int64_t>(
      Cast(x, ElementType::kInt64), {8},
      {1, -1, 300, -300, 3000000000LL, INT64_MIN, INT64_MAX, 0});
  ExpectOutput<uint8_t>(Cast(x, ElementType::kBool), {8},
                        {1, 1, 1, 1, 1, 1, 1, 1});
}

TEST(CastTest, IntegersBoolsAndHalves) {
  const TestTensor x = Ints({4}, {0, -1, 70000, 3});
  ExpectOutput<float>(Cast(x, ElementType::kFloat32), {4}, {0, -1, 70000, 3});
  ExpectOutput<int64_t>(Cast(x, ElementType::kInt64), {4}, {0, -1, 70000, 3});
  ExpectOutput<uint8_t>(Cast(x, ElementType::kBool), {4}, {0, 1, 1, 1});
  ExpectOutput<float>(
      Cast(MakeTensor<uint8_t>(ElementType::kBool, {3}, {0, 1, 2}),
           ElementType::kFloat32),
      {3}, {0, 1, 1});
  ExpectOutput<float>(Cast(Halves({2}, {0.5f, -3}), ElementType::kFloat32), {2},
                      {0.5f, -3});
  ExpectOutput<uint16_t>(Cast(Floats({1}, {1}), ElementType::kFloat16), {1},
                         {0x3c00});
}

TEST(CastTest, Refuses) {
  ExpectRefused(Cast(Floats({1}, {1}), ElementType::kComplex64),
                Code::kUnsupported, "complex64");
}

}  // namespace
}  // namespace munja::ops
