#include <gtest/gtest.h>

#include <cstdint>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(UnaryTest, KnownInputs_GiveKnownValues) {
  const TestTensor x = Floats({5}, {-2.5f, -0.5f, 0, 0.5f, 4});
  const struct {
    const char* op;
    std::vector<float> want;
  } cases[] = {
      {"ABS", {2.5f, 0.5f, 0, 0.5f, 4}},
      {"NEG", {2.5f, 0.5f, 0, -0.5f, -4}},
      {"SQUARE", {6.25f, 0.25f, 0, 0.25f, 16}},
      {"SIGN", {-1, -1, 0, 1, 1}},
      {"FLOOR", {-3, -1, 0, 0, 4}},
      {"CEIL", {-2, 0, 0, 1, 4}},
      {"ROUND", {-2, 0, 0, 0, 4}},  // Ties to even.
      {"SQRT", {NAN, NAN, 0, 0.70710678f, 2}},
      {"RSQRT", {NAN, NAN, INFINITY, 1.41421356f, 0.5f}},
      {"EXP", {0.08208500f, 0.60653066f, 1, 1.64872127f, 54.5981500f}},
      {"LOG", {NAN, NAN, -INFINITY, -0.69314718f, 1.38629436f}},
      {"SIN", {-0.59847214f, -0.47942554f, 0, 0.47942554f, -0.75680250f}},
      {"COS", {-0.80114362f, 0.87758256f, 1, 0.87758256f, -0.65364362f}},
  };
  // 1e-7: the expected values are written with eight decimals.
  for (const auto& c : cases)
    ExpectOutput<float>({.op = c.op, .inputs = {x}}, {5}, c.want, 1e-7);
}

TEST(UnaryTest, Integers_AreSupported) {
  const TestTensor x = Ints({3}, {-3, 0, INT32_MIN});
  const auto node = [&](const char* op) {
    return TestNode{
        .op = op, .inputs = {x}, .outputs = {{ElementType::kInt32}}};
  };
  ExpectOutput<int32_t>(node("ABS"), {3}, {3, 0, INT32_MIN});
  ExpectOutput<int32_t>(node("NEG"), {3}, {3, 0, INT32_MIN});
  ExpectOutput<int32_t>(node("SIGN"), {3}, {-1, 0, -1});
  ExpectRefused(node("EXP"), Code::kUnsupported, "int32");
}

}  // namespace
}  // namespace munja::ops
