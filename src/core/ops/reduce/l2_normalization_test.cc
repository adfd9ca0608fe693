#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/support/quantized/quantized_testing.h"

namespace munja::ops {
namespace {

TEST(L2NormalizationTest, KnownInputs_GiveKnownValues) {
  ExpectOutput<float>(
      {.op = "L2_NORMALIZATION", .inputs = {Floats({2, 2}, {3, 4, 0, 0})}},
      {2, 2}, {0.6f, 0.8f, 0, 0}, 1e-7);  // One rounding.
}

TEST(L2NormalizationTest, QuantizedValues_AreNormalized) {
  TestNode node;
  node.op = "L2_NORMALIZATION";
  // 30 / 50 and -40 / 50 in steps of 1/128; a row of zeros stays.
  node.inputs = {StoreValues(ElementType::kInt8, {2, 2}, {35, -35, 5, 5})
                     .With(Scale(0.1f, 5))};
  node.outputs = {{ElementType::kInt8, Scale(1.0f / 128)}};
  ExpectOutput<int8_t>(node, {2, 2}, {77, -102, 0, 0});
  node.inputs = {StoreValues(ElementType::kUInt8, {2, 2}, {30, 160, 120, 120})
                     .With(Scale(0.1f, 120))};
  node.outputs = {{ElementType::kUInt8, Scale(1.0f / 128, 128)}};
  // -90 and 40 of 98.49.
  ExpectOutput<uint8_t>(node, {2, 2}, {11, 180, 128, 128});
  node.outputs[0].quantization.scales[0] = 0.5f;
  ExpectRefused(node, Code::kMalformed, "1/128");
}

TEST(L2NormalizationTest, QuantizedValues_MatchFloat) {
  TestNode node;
  node.op = "L2_NORMALIZATION";
  node.inputs = {RandomStored(ElementType::kInt8, {40, 37}, -128, 127, 1)
                     .With(Scale(0.02f, -9))};
  node.outputs = {{ElementType::kInt8, Scale(1.0f / 128)}};
  ExpectLikeFloat(node);
}

TEST(L2NormalizationTest, LocalResponse_IsNormalized) {
  // x / (1 + sum of squares of the neighbors and itself).
  ExpectOutput<float>({.op = "LOCAL_RESPONSE_NORMALIZATION",
                       .attributes = Options({{"radius", int64_t{1}},
                                              {"bias", 1.0},
                                              {"alpha", 1.0},
                                              {"beta", 1.0}}),
                       .inputs = {Floats({1, 1, 1, 3}, {1, 2, 3})}},
                      {1, 1, 1, 3}, {1.0f / 6, 2.0f / 15, 3.0f / 14}, 1e-7);
}

}  // namespace
}  // namespace munja::ops
