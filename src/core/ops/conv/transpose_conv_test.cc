#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/support/linear/linear_testing.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

// Two pixels, kernel 2x2 [1 2; 3 4], stride 2.
TestNode SmallTransposeNode() {
  TestNode node;
  node.op = "TRANSPOSE_CONV";
  node.attributes.Set("padding", std::string("VALID"));
  node.attributes.Set("stride_w", int64_t{2});
  node.attributes.Set("stride_h", int64_t{2});
  node.inputs = {Ints({4}, {1, 2, 4, 1}).Constant(),
                 Floats({1, 2, 2, 1}, {1, 2, 3, 4}).Constant(),
                 Floats({1, 1, 2, 1}, {1, -2}), Floats({1}, {1}).Constant()};
  return node;
}

TEST(TransposeConvOpTest, SmallCase_MatchesHandComputation) {
  for (const bool reference_kernels : {false, true}) {
    const auto out =
        RunNode(SmallTransposeNode(), {.reference_kernels = reference_kernels});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape, (Shape{1, 2, 4, 1}));
    EXPECT_EQ((*out)[0].values<float>(),
              (std::vector<float>{2, 3, -1, -3, 4, 5, -5, -7}));
  }
}

TEST(TransposeConvOpTest, ActivationWithoutBias_IsApplied) {
  TestNode node = SmallTransposeNode();
  node.inputs.pop_back();
  node.attributes.Set("fused_activation_function", std::string("RELU"));
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(),
            (std::vector<float>{1, 2, 0, 0, 3, 4, 0, 0}));
}

// Kernel 1x3 [1 2 3], stride 2, SAME, in 2 -> out 4: the input reaches 5
// pixels, one more than the output has; half of that, rounded down, is cut off
// in front. [1 2 3 . .] + [. . 2 4 6] = [1 2 5 4 6] -> [1 2 5 4].
TEST(TransposeConvOpTest, SamePadding_IsApplied) {
  TestNode node = SmallTransposeNode();
  node.attributes.Set("padding", std::string("SAME"));
  node.inputs = {Ints({4}, {1, 1, 4, 1}).Constant(),
                 Floats({1, 1, 3, 1}, {1, 2, 3}).Constant(),
                 Floats({1, 1, 2, 1}, {1, 2})};
  for (const bool reference_kernels : {false, true}) {
    const auto out = RunNode(node, {.reference_kernels = reference_kernels});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].values<float>(), (std::vector<float>{1, 2, 5, 4}));
  }
  // The same with the cut made explicit, in front.
  node.attributes.Set("padding", std::string("EXPLICIT"));
  node.attributes.Set("pad_left", int64_t{1});
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(), (std::vector<float>{2, 5, 4, 6}));
}

TEST(TransposeConvOpTest, InvalidNodes_AreRefused) {
  ExpectAllRefused(
      SmallTransposeNode(),
      {{"an output shape known later", Code::kNeedsValues,
        [](TestNode& n) { n.inputs[0].is_constant = false; }},
       {"float16 weights that are not constant", Code::kUnsupported,
        [](TestNode& n) {
          n.inputs[1].type = ElementType::kFloat16;
          n.inputs[1].is_constant = false;
        }},
       {"int8 weights without a scale", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = MakeTensor<int8_t>(ElementType::kInt8, {1, 2, 2, 1},
                                           std::vector<int8_t>(4))
                            .Constant();
        }},
       {"an output shape of three numbers", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Ints({3}, {1, 2, 4}).Constant();
        }},
       {"a negative output shape", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Ints({4}, {1, -2, 4, 1}).Constant();
        }},
       {"another batch", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Ints({4}, {2, 2, 4, 1}).Constant();
        }},
       {"other channels", Code::kMalformed, [](TestNode& n) {
          n.inputs[0] = Ints({4}, {1, 2, 4, 3}).Constant();
        }}});
}

TEST(TransposeConvOpTest, IntWeights_MatchFloat) {
  for (const IntTypes& types : kIntTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      for (const int64_t stride : {1, 2, 3, 5}) {
        for (const char* padding : {"SAME", "VALID"}) {
          SCOPED_TRACE(std::to_string(stride) + padding);
          TestNode node = MakeIntNode("TRANSPOSE_CONV", types, {2, 4, 3, 6},
                                      {7, 3, 4, 6}, 0, is_constant);
          const bool is_same = std::string(padding) == "SAME";
          const auto side = [&](int32_t in, int32_t kernel) {
            const auto s = static_cast<int32_t>(stride);
            return is_same ? in * s : (in - 1) * s + kernel;
          };
          const TestTensor shape =
              Ints({4}, {2, side(4, 3), side(3, 4), 7}).Constant();
          node.inputs = {shape, node.inputs[1], node.inputs[0], node.inputs[2]};
          node.attributes = Options({{"padding", std::string(padding)},
                                     {"stride_h", stride},
                                     {"stride_w", stride}});
          ExpectLikeFloat(node);
        }
      }
    }
  }
}

}  // namespace
}  // namespace munja::ops
