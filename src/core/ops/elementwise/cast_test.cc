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
TEST(CastTest, Floats_BecomeIntegers) {
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

TEST(CastTest, IntegersBoolsAndHalves_AreCast) {
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

TEST(CastTest, Int4BFloat16AndComplex_AreCast) {
  // -8, 7, 3, -1, 0 in halves of bytes.
  ExpectOutput<uint8_t>(
      Cast(Floats({5}, {-100, 9, 3.9f, -1, 0}), ElementType::kInt4), {5},
      {0x78, 0xf3, 0x00});
  ExpectOutput<float>(
      Cast(MakeTensor<uint8_t>(ElementType::kInt4, {3}, {0x78, 0x0f}),
           ElementType::kFloat32),
      {3}, {-8, 7, -1});
  // Halfway between two, to the even one.
  ExpectOutput<uint16_t>(
      Cast(Floats({3}, {1, 1.00390625f, -2}), ElementType::kBFloat16), {3},
      {0x3f80, 0x3f80, 0xc000});
  ExpectOutput<int32_t>(
      Cast(MakeTensor<uint16_t>(ElementType::kBFloat16, {2}, {0x3f80, 0xc040}),
           ElementType::kInt32),
      {2}, {1, -3});
  ExpectOutput<float>(Cast(Ints({2}, {5, -6}), ElementType::kComplex64), {2},
                      {5, 0, -6, 0});
  ExpectOutput<int32_t>(
      Cast(MakeTensor<float>(ElementType::kComplex64, {2}, {5.5f, 1, -6, 9}),
           ElementType::kInt32),
      {2}, {5, -6});
}

TEST(CastTest, InvalidNodes_AreRefused) {
  ExpectRefused(Cast(Floats({1}, {1}), ElementType::kString),
                Code::kUnsupported, "string");
}

}  // namespace
}  // namespace munja::ops
