#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Resize(const char* op, TestTensor x, int32_t h, int32_t w,
                bool align_corners = false, bool half_pixel = false) {
  const ElementType type = x.type;
  return {.op = op,
          .attributes = Options({{"align_corners", align_corners},
                                 {"half_pixel_centers", half_pixel}}),
          .inputs = {std::move(x), Ints({2}, {h, w}).Constant()},
          .outputs = {{type}}};
}

TEST(ResizeTest, Nearest_FollowsEachRule) {
  const TestTensor x = Floats({1, 1, 3, 1}, {1, 2, 3});
  const char* op = "RESIZE_NEAREST_NEIGHBOR";
  // floor(i * 3/5): 0 0 1 1 2.
  ExpectOutput<float>(Resize(op, x, 1, 5), {1, 1, 5, 1}, {1, 1, 2, 2, 3});
  // round(i * 2/4): 0 1 1 2 2 (halves away from zero).
  ExpectOutput<float>(Resize(op, x, 1, 5, true), {1, 1, 5, 1}, {1, 2, 2, 3, 3});
  // floor((i + 0.5) * 3/5): 0 0 1 2 2.
  ExpectOutput<float>(Resize(op, x, 1, 5, false, true), {1, 1, 5, 1},
                      {1, 1, 2, 3, 3});
  ExpectOutput<float>(Resize(op, x, 2, 1), {1, 2, 1, 1}, {1, 1});
}

TEST(ResizeTest, Nearest_DoublesEveryType) {
  ExpectOutput<float>(Resize("RESIZE_NEAREST_NEIGHBOR",
                             Floats({1, 2, 1, 2}, {1, 2, 3, 4}), 4, 2),
                      {1, 4, 2, 2},
                      {1, 2, 1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4, 3, 4});
  ExpectOutput<int8_t>(
      Resize("RESIZE_NEAREST_NEIGHBOR",
             MakeTensor<int8_t>(ElementType::kInt8, {1, 1, 2, 1}, {-5, 6}), 2,
             4),
      {1, 2, 4, 1}, {-5, -5, 6, 6, -5, -5, 6, 6});
}

TEST(ResizeTest, Bilinear_FollowsEachRule) {
  const char* op = "RESIZE_BILINEAR";
  const TestTensor x = Floats({1, 1, 2, 1}, {3, 6});
  // Sources 0, 2/3, 4/3 (beyond the last pixel).
  ExpectOutput<float>(Resize(op, x, 1, 3), {1, 1, 3, 1}, {3, 5, 6}, 1e-6);
  ExpectOutput<float>(Resize(op, x, 1, 3, true), {1, 1, 3, 1}, {3, 4.5f, 6});
  // Sources -1/4, 1/4, 3/4, 5/4.
  ExpectOutput<float>(Resize(op, x, 1, 4, false, true), {1, 1, 4, 1},
                      {3, 3.75f, 5.25f, 6});
  // Both directions.
  ExpectOutput<float>(
      Resize(op, Floats({1, 2, 2, 1}, {0, 4, 8, 12}), 3, 3, true), {1, 3, 3, 1},
      {0, 2, 4, 4, 6, 8, 8, 10, 12});
  // Down to every second pixel.
  ExpectOutput<float>(Resize(op, Floats({1, 4, 1, 1}, {1, 2, 3, 4}), 2, 1),
                      {1, 2, 1, 1}, {1, 3});
}

TEST(ResizeTest, LargeMaps_MatchReference) {
  for (const int c : {1, 3, 16, 21}) {
    const Shape map{2, 19, 23, c};
    const auto x = RandomFloats(static_cast<size_t>(map.elements()), 11);
    ExpectTwinsAgree(Resize("RESIZE_NEAREST_NEIGHBOR", Floats(map, x), 38, 46),
                     0);
    // 1e-6: three rounded mixtures.
    ExpectTwinsAgree(
        Resize("RESIZE_BILINEAR", Floats(map, x), 57, 31, false, true), 1e-6);
    ExpectTwinsAgree(Resize("RESIZE_BILINEAR", Floats(map, x), 11, 46), 1e-6);
  }
}

TEST(ResizeTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({1, 1, 2, 1}, {3, 6});
  ExpectRefused(Resize("RESIZE_BILINEAR", x, 0, 3), Code::kMalformed, "empty");
  ExpectRefused(Resize("RESIZE_NEAREST_NEIGHBOR", x, 1, 2147483647),
                Code::kOutOfMemory, "at most");
  ExpectRefused(Resize("RESIZE_BILINEAR", x, 2, 3, true, true),
                Code::kMalformed, "exclude");
  ExpectRefused({.op = "RESIZE_BILINEAR", .inputs = {x, Ints({2}, {2, 2})}},
                Code::kNeedsValues, "output size is not known before the run");
  ExpectRefused(Resize("RESIZE_BILINEAR", Ints({1, 1, 1, 1}, {1}), 2, 2),
                Code::kUnsupported, "int32");
}

// Weights in 1024ths, products in integers, rounded half away from zero.
TEST(ResizeTest, Bilinear_SupportsQuantizedValues) {
  TestNode node{.op = "RESIZE_BILINEAR",
                .inputs = {Int8s({1, 1, 3, 1}, {-10, -7, 100}, 1, 0),
                           Ints({2}, {1, 6}).Constant()},
                .outputs = {{ElementType::kInt8, {{1}, {0}}}}};
  ExpectOutput<int8_t>(node, {1, 1, 6, 1}, {-10, -9, -7, 47, 100, 100});
  node.attributes = Options({{"half_pixel_centers", true}});
  // Sources -0.25, 0.25, 0.75, 1.25, 1.75, 2.25.
  ExpectOutput<int8_t>(node, {1, 1, 6, 1}, {-10, -9, -8, 20, 73, 100});
  node.inputs[0] = Int16s({1, 1, 3, 1}, {-10, -7, 30000}, 1);
  node.outputs[0].type = ElementType::kInt16;
  ExpectOutput<int16_t>(node, {1, 1, 6, 1}, {-10, -9, -8, 7495, 22498, 30000});
  node.inputs[0] = UInt8s({1, 1, 3, 1}, {10, 13, 200}, 1, 0);
  node.outputs[0].type = ElementType::kUInt8;
  ExpectOutput<uint8_t>(node, {1, 1, 6, 1}, {10, 11, 12, 60, 153, 200});
}

}  // namespace
}  // namespace munja::ops
