#include <gtest/gtest.h>

#include "ops/expect.h"

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

TEST(Pool2dTest, ValidTakesWholeWindowsOnly) {
  const auto attributes = Pooling("VALID", 2, 1);
  ExpectOutput<float>(
      {.op = "MAX_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {4, 5, 7, 8});
  ExpectOutput<float>(
      {.op = "AVERAGE_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {2, 3, 5, 6});
  // Of 0, 1, 3, 4: sqrt(26 / 4).
  ExpectOutput<float>(
      {.op = "L2_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {2.54950976f, 3.39116499f, 5.24404424f, 6.20483682f}, 1e-7);
}

// The window of 2 sticks out at the right and at the bottom; what is outside
// counts neither as a value nor in the number of values.
TEST(Pool2dTest, SamePaddingIsNotAverage) {
  const auto attributes = Pooling("SAME", 2, 2);
  ExpectOutput<float>(
      {.op = "MAX_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {4, 5, 7, 8});
  ExpectOutput<float>(
      {.op = "AVERAGE_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {2, 3.5f, 6.5f, 8});
}

TEST(Pool2dTest, ExplicitPaddingAndActivation) {
  auto attributes = Pooling("EXPLICIT", 2, 2);
  for (const char* name : {"pad_top", "pad_left", "pad_bottom", "pad_right"})
    attributes.Set(name, int64_t{1});
  attributes.Set("fused_activation_function", std::string("RELU6"));
  ExpectOutput<float>(
      {.op = "AVERAGE_POOL_2D", .attributes = attributes, .inputs = {Nine()}},
      {1, 2, 2, 1}, {0, 1.5f, 4.5f, 6});
}

TEST(Pool2dTest, NegativeMapsKeepTheirMaximum) {
  ExpectOutput<float>({.op = "MAX_POOL_2D",
                       .attributes = Pooling("SAME", 3, 1),
                       .inputs = {Floats({1, 1, 2, 1}, {-5, -3})}},
                      {1, 1, 2, 1}, {-3, -3});
}

TEST(Pool2dTest, LargeMapsAgreeWithTheReference) {
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

TEST(Pool2dTest, Refuses) {
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

}  // namespace
}  // namespace munja::ops
