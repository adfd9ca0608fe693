#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/expect.h"

namespace munja::ops {
namespace {

// Depth 1 makes it a convolution of images, whose weights have another order.
std::vector<float> AsImageWeights(const std::vector<float>& weights,
                                  size_t taps, size_t in_c, size_t out_c) {
  std::vector<float> out(weights.size());
  for (size_t t = 0; t < taps; ++t)
    for (size_t c = 0; c < in_c; ++c)
      for (size_t o = 0; o < out_c; ++o)
        out[(o * taps + t) * in_c + c] = weights[(t * in_c + c) * out_c + o];
  return out;
}

// A 2x2x2 cube of 1 to 8 under a kernel of 2x1x1: 10 times the first layer and
// the second.
TEST(Conv3dOpTest, SmallCase_MatchesHandComputation) {
  TestNode node;
  node.op = "CONV_3D";
  node.attributes = Options({{"padding", std::string("VALID")}});
  node.inputs = {Floats({1, 2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
                 Floats({2, 1, 1, 1, 1}, {10, 1}).Constant(),
                 Floats({1}, {0.5f}).Constant()};
  ExpectOutput<float>(node, {1, 1, 2, 2, 1}, {15.5f, 26.5f, 37.5f, 48.5f});
  node.attributes =
      Options({{"padding", std::string("SAME")},
               {"fused_activation_function", std::string("RELU6")}});
  node.inputs.pop_back();
  node.inputs[1] = Floats({2, 1, 1, 1, 1}, {0, 1});  // Known at the run only.
  ExpectOutput<float>(node, {1, 2, 2, 2, 1}, {5, 6, 6, 6, 0, 0, 0, 0});
}

TEST(Conv3dOpTest, DepthOne_MatchesConv2d) {
  const std::vector<float> in = RandomFloats(2 * 7 * 6 * 3, 1),
                           weights = RandomFloats(3 * 2 * 3 * 4, 2),
                           bias = RandomFloats(4, 3);
  for (const char* padding : {"SAME", "VALID"}) {
    TestNode image;
    image.op = "CONV_2D";
    image.attributes = Options({{"padding", std::string(padding)},
                                {"stride_h", int64_t{2}},
                                {"dilation_w_factor", int64_t{2}}});
    image.inputs = {
        Floats({2, 7, 6, 3}, in),
        Floats({4, 3, 2, 3}, AsImageWeights(weights, 6, 3, 4)).Constant(),
        Floats({4}, bias).Constant()};
    const auto want = RunNode(image, {.reference_kernels = true});
    ASSERT_TRUE(want.ok()) << want.status().message();
    TestNode node = image;
    node.op = "CONV_3D";
    // As rows through depth and height, and as rows through height and width.
    for (const bool is_deep : {false, true}) {
      node.inputs[0].shape =
          is_deep ? Shape{2, 7, 1, 6, 3} : Shape{2, 1, 7, 6, 3};
      node.inputs[1] = Floats(
          is_deep ? Shape{3, 1, 2, 3, 4} : Shape{1, 3, 2, 3, 4}, weights);
      if (is_deep) node.attributes.Set("stride_d", int64_t{2});
      const Shape& s = (*want)[0].shape;
      ExpectOutput<float>(
          node,
          is_deep ? Shape{2, s[1], 1, s[2], 4} : Shape{2, 1, s[1], s[2], 4},
          (*want)[0].values<float>(), 1e-5);
    }
  }
}

// Two pixels, each spread over two: stride 2, and a kernel of 3 whose ends
// meet in the middle.
TEST(Conv3dOpTest, Transpose_MatchesHandComputation) {
  TestNode node;
  node.op = "CONV_3D_TRANSPOSE";
  node.attributes =
      Options({{"padding", std::string("VALID")}, {"stride_d", int64_t{2}}});
  node.inputs = {Ints({5}, {1, 5, 1, 1, 2}).Constant(),
                 Floats({3, 1, 1, 2, 1}, {1, 10, 2, 20, 3, 30}).Constant(),
                 Floats({1, 2, 1, 1, 1}, {1, 100}),
                 Floats({2}, {0, 0.5f}).Constant()};
  ExpectOutput<float>(
      node, {1, 5, 1, 1, 2},
      {1, 10.5f, 2, 20.5f, 103, 1030.5f, 200, 2000.5f, 300, 3000.5f});
  // SAME cuts off the last place.
  node.attributes.Set("padding", std::string("SAME"));
  node.inputs[0] = Ints({5}, {1, 4, 1, 1, 2}).Constant();
  ExpectOutput<float>(node, {1, 4, 1, 1, 2},
                      {1, 10.5f, 2, 20.5f, 103, 1030.5f, 200, 2000.5f});
}

TEST(Conv3dOpTest, InvalidNodes_AreRefused) {
  TestNode node;
  node.op = "CONV_3D";
  node.attributes = Options({{"padding", std::string("VALID")}});
  node.inputs = {Floats({1, 1, 2, 2, 1}, {1, 2, 3, 4}),
                 Floats({2, 1, 1, 1, 1}, {10, 1})};
  ExpectRefused(node, Code::kMalformed, "does not fit an input of 1");
  node.inputs[1] = Floats({1, 1, 1, 2, 1}, {10, 1});
  ExpectRefused(node, Code::kMalformed, "the weights want 2");
  node.inputs[1] = Floats({1, 1, 2, 1}, {10, 1});
  ExpectRefused(node, Code::kMalformed, "five dimensions");
  node.attributes.Set("stride_d", int64_t{0});
  ExpectRefused(node, Code::kMalformed, "strides");
  node.op = "CONV_3D_TRANSPOSE";
  node.attributes = Options({{"padding", std::string("VALID")}});
  node.inputs = {Ints({5}, {1, 3, 1, 1, 1}), Floats({1, 1, 1, 1, 1}, {1}),
                 Floats({1, 2, 1, 1, 1}, {1, 100})};
  ExpectRefused(node, Code::kNeedsValues, "not known before the run");
  node.inputs[0].is_constant = true;
  ExpectRefused(node, Code::kMalformed, "does not come from an input of 2");
}

}  // namespace
}  // namespace munja::ops
