#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/support/linear/linear_testing.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

// One line of three pixels with two channels, kernel 1x3.
TestNode SmallDepthwiseNode() {
  TestNode node;
  node.op = "DEPTHWISE_CONV_2D";
  node.attributes.Set("padding", std::string("SAME"));
  node.attributes.Set("depth_multiplier", int64_t{1});
  node.inputs = {Floats({1, 1, 3, 2}, {1, 10, 2, 20, 3, 30}),
                 Floats({1, 1, 3, 2}, {1, -1, 2, 0, 3, 1}).Constant(),
                 Floats({2}, {0.5f, 0}).Constant()};
  return node;
}

TEST(DepthwiseConv2dOpTest, SmallCase_MatchesHandComputation) {
  for (const bool reference_kernels : {false, true}) {
    const auto out =
        RunNode(SmallDepthwiseNode(), {.reference_kernels = reference_kernels});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape, (Shape{1, 1, 3, 2}));
    EXPECT_EQ((*out)[0].values<float>(),
              (std::vector<float>{8.5f, 20, 14.5f, 20, 8.5f, -20}));
  }
}

// Output channel ci * multiplier + m, whatever depth_multiplier says.
TEST(DepthwiseConv2dOpTest, DepthMultiplier_FollowsFromTheShapes) {
  TestNode node;
  node.op = "DEPTHWISE_CONV_2D";
  node.attributes.Set("depth_multiplier", int64_t{1});
  node.inputs = {Floats({1, 1, 1, 2}, {1, 10}),
                 Floats({1, 1, 1, 4}, {1, 2, 3, 4}).Constant()};
  for (const bool reference_kernels : {false, true}) {
    const auto out = RunNode(node, {.reference_kernels = reference_kernels});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].values<float>(), (std::vector<float>{1, 2, 30, 40}));
  }
}

TEST(DepthwiseConv2dOpTest, Residual_IsAddedBeforeActivation) {
  for (const bool in_place : {false, true}) {
    TestNode node = SmallDepthwiseNode();
    node.attributes.Set("has_residual", true);
    node.attributes.Set("fused_activation_function", std::string("RELU"));
    node.inputs.push_back(Floats({1, 1, 3, 2}, {1, 2, 3, 4, 5, 6}));
    const auto out = RunNode(node, {.in_place = in_place});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].values<float>(),
              (std::vector<float>{9.5f, 22, 17.5f, 24, 13.5f, 0}));
  }
}

TEST(DepthwiseConv2dOpTest, InvalidNodes_AreRefused) {
  ExpectAllRefused(
      SmallDepthwiseNode(),
      {{"float16 weights that are not constant", Code::kUnsupported,
        [](TestNode& n) {
          n.inputs[1].type = ElementType::kFloat16;
          n.inputs[1].is_constant = false;
        }},
       {"uint8 input", Code::kUnsupported,
        [](TestNode& n) {
          n.inputs[0] = MakeTensor<uint8_t>(ElementType::kUInt8, {1, 1, 3, 2},
                                            std::vector<uint8_t>(6));
        }},
       {"weights with two images", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = Floats({2, 1, 3, 2}, std::vector<float>(12)).Constant();
        }},
       {"channels not a multiple", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Floats({1, 1, 3, 4}, std::vector<float>(12));
        }},
       {"input of rank 2", Code::kMalformed, [](TestNode& n) {
          n.inputs[0] = Floats({3, 2}, std::vector<float>(6));
        }}});
}

TEST(DepthwiseConv2dOpTest, IntWeights_MatchFloat) {
  for (const IntTypes& types : kIntTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      for (const int32_t channels : {1, 3, 9}) {
        TestNode node =
            MakeIntNode("DEPTHWISE_CONV_2D", types, {2, 7, 8, channels},
                        {1, 3, 3, 9}, 3, is_constant);
        node.attributes = Options({{"padding", std::string("SAME")},
                                   {"stride_w", int64_t{2}},
                                   {"dilation_h_factor", int64_t{2}}});
        ExpectLikeFloat(node);
      }
    }
  }
}

TEST(DepthwiseConv2dOpTest, IntClampsOfAllTypes_AreApplied) {
  for (const IntTypes& types : kIntTypes) {
    SCOPED_TRACE(types.name);
    for (const int32_t channels : {32, 48, 35})
      ExpectClampsLikeFloat(MakeIntNode("DEPTHWISE_CONV_2D", types,
                                        {1, 9, 13, channels},
                                        {1, 3, 3, channels}, 3, true));
  }
}

TEST(DepthwiseConv2dOpTest, Hybrid_IsNearFloat) {
  ExpectHybridNearFloat("DEPTHWISE_CONV_2D", {2, 6, 7, 5}, {1, 3, 3, 5}, 3);
}

}  // namespace
}  // namespace munja::ops
