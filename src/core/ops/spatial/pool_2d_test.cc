#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/support/quantized/quantized_testing.h"

namespace munja::ops {
namespace {

graph::Attributes Pooling(const char* padding, int64_t kernel, int64_t stride) {
  return Options({{"padding", std::string(padding)},
                  {"filter_height", kernel},
                  {"filter_width", kernel},
                  {"stride_h", stride},
                  {"stride_w", stride}});
}

// 3 x 3 pixels, 0 to 8.
TestTensor Nine() { return Floats({1, 3, 3, 1}, Count(9)); }

TEST(Pool2dTest, ValidPadding_UsesWholeWindowsOnly) {
  const auto attributes = Pooling("VALID", 2, 1);
  ExpectOutput<float>(
      {.op = "MAX_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {4, 5, 7, 8});
  ExpectOutput<float>(
      {.op = "AVERAGE_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {2, 3, 5, 6});
  // The first window holds 0, 1, 3, 4: sqrt(26 / 4).
  ExpectOutput<float>(
      {.op = "L2_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {2.54950976f, 3.39116499f, 5.24404424f, 6.20483682f}, 1e-7);
}

// The window of 2 sticks out at the right and at the bottom; what is outside
// counts neither as a value nor in the number of values.
TEST(Pool2dTest, SamePadding_IsNotAveraged) {
  const auto attributes = Pooling("SAME", 2, 2);
  ExpectOutput<float>(
      {.op = "MAX_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {4, 5, 7, 8});
  ExpectOutput<float>(
      {.op = "AVERAGE_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {2, 3.5f, 6.5f, 8});
}

TEST(Pool2dTest, ExplicitPaddingAndActivation_AreApplied) {
  auto attributes = Pooling("EXPLICIT", 2, 2);
  for (const char* name : {"pad_top", "pad_left", "pad_bottom", "pad_right"})
    attributes.Set(name, int64_t{1});
  attributes.Set("fused_activation_function", std::string("RELU6"));
  ExpectOutput<float>(
      {.op = "AVERAGE_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {0, 1.5f, 4.5f, 6});
}

TEST(Pool2dTest, NegativeMaps_KeepTheirMaximum) {
  ExpectOutput<float>({.op = "MAX_POOL_2D",
                       .attributes = Pooling("SAME", 3, 1),
                       .inputs = {Floats({1, 1, 2, 1}, {-5, -3})}},
                      {1, 1, 2, 1}, {-3, -3});
}

TEST(Pool2dTest, LargeMaps_MatchReference) {
  for (const int c : {1, 5, 16, 37}) {
    const Shape map{2, 33, 29, c};
    const auto x = RandomFloats(static_cast<size_t>(map.elements()), 7);
    for (const char* op : {"MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D"}) {
      for (const char* padding : {"SAME", "VALID"}) {
        // 1e-6: sums of 9 rounded terms.
        ExpectTwinsAgree({.op = op,
                          .attributes = Pooling(padding, 3, 2),
                          .inputs = {Floats(map, x)}},
                         1e-6);
      }
    }
  }
}

TEST(Pool2dTest, InvalidNodes_AreRefused) {
  ExpectRefused({.op = "MAX_POOL_2D",
                 .attributes = Pooling("VALID", 4, 1),
                 .inputs = {Nine()}},
                Code::kMalformed, "");
  ExpectRefused({.op = "MAX_POOL_2D",
                 .attributes = Pooling("VALID", 2, 1),
                 .inputs = {Floats({3, 3}, Count(9))}},
                Code::kMalformed, "NHWC");
  auto attributes = Pooling("EXPLICIT", 1, 1);
  attributes.Set("pad_top", int64_t{1});
  ExpectRefused(
      {.op = "AVERAGE_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      Code::kMalformed, "padding alone");
}

// Means of 4, the halves rounded away from zero; RELU6 with a step of 2 lets
// -1 to 2 through.
TEST(Pool2dTest, QuantizedValues_ArePooled) {
  const auto pool = [](const char* op, ElementType type,
                       std::vector<int64_t> values, int64_t zero) {
    TestNode node;
    node.op = op;
    node.attributes = Pooling("VALID", 2, 2);
    node.inputs = {
        StoreValues(type, {1, 2, 4, 1}, values).With(Scale(2.0f, zero))};
    node.outputs = {{type, Scale(2.0f, zero)}};
    return node;
  };
  const std::vector<int64_t> values = {-3, -2, 4, 5, -3, -2, 5, 4};
  TestNode node = pool("AVERAGE_POOL_2D", ElementType::kInt8, values, -1);
  ExpectOutput<int8_t>(node, {1, 1, 2, 1}, {-3, 5});
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  ExpectOutput<int8_t>(node, {1, 1, 2, 1}, {-1, 2});
  ExpectOutput<int16_t>(pool("AVERAGE_POOL_2D", ElementType::kInt16, values, 0),
                        {1, 1, 2, 1}, {-3, 5});
  ExpectOutput<int8_t>(pool("MAX_POOL_2D", ElementType::kInt8, values, 3),
                       {1, 1, 2, 1}, {-2, 5});
  ExpectOutput<uint8_t>(pool("MAX_POOL_2D", ElementType::kUInt8,
                             {0, 200, 3, 4, 7, 8, 9, 10}, 128),
                        {1, 1, 2, 1}, {200, 10});
  ExpectOutput<uint8_t>(pool("AVERAGE_POOL_2D", ElementType::kUInt8,
                             {0, 200, 3, 4, 7, 8, 9, 10}, 128),
                        {1, 1, 2, 1}, {54, 7});
}

TEST(Pool2dTest, QuantizedValues_MatchFloat) {
  for (const ElementType type :
       {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16}) {
    for (const char* op : {"MAX_POOL_2D", "AVERAGE_POOL_2D"}) {
      TestNode node;
      node.op = op;
      node.attributes = Pooling("SAME", 3, 2);
      const int64_t zero = type == ElementType::kInt16 ? 0 : 5;
      node.inputs = {RandomStored(type, {2, 9, 11, 261}, 1, 120, 1)
                         .With(Scale(0.25f, zero))};
      node.outputs = {{type, Scale(0.25f, zero)}};
      ExpectLikeFloat(node, 0.5001);
    }
  }
}

TEST(Pool2dTest, DifferentScales_AreRefused) {
  TestNode node;
  node.op = "MAX_POOL_2D";
  node.attributes = Pooling("VALID", 1, 1);
  node.inputs = {
      StoreValues(ElementType::kInt8, {1, 1, 1, 1}, {1}).With(Scale(0.5f))};
  node.outputs = {{ElementType::kInt8, Scale(0.25f)}};
  ExpectRefused(node, Code::kMalformed, "quantized differently");
  node.op = "L2_POOL_2D";
  ExpectRefused(node, Code::kUnsupported, "int8");
}

}  // namespace
}  // namespace munja::ops
