#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/support/linear/linear_testing.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

// 2x3 image of one channel, two output channels: a sum over 2x2 and the
// top-left pixel times 10.
TestNode SmallNode() {
  TestNode node;
  node.op = "CONV_2D";
  node.attributes.Set("padding", std::string("SAME"));
  node.attributes.Set("stride_w", int64_t{1});
  node.attributes.Set("stride_h", int64_t{1});
  node.inputs = {Floats({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}),
                 Floats({2, 2, 2, 1}, {1, 1, 1, 1, 10, 0, 0, 0}).Constant(),
                 Floats({2}, {0.5f, -40}).Constant()};
  return node;
}

const std::vector<float> kSmallAnswer = {12.5f, -30, 16.5f, -20, 9.5f, -10,
                                         9.5f,  0,   11.5f, 10,  6.5f, 20};

// By hand. SAME puts the pixel of padding below and to the right.
TEST(Conv2dOpTest, SmallCase_MatchesHandComputation) {
  for (const bool reference_kernels : {false, true}) {
    TestNode node = SmallNode();
    const auto out = RunNode(node, {.reference_kernels = reference_kernels});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape, (Shape{1, 2, 3, 2}));
    EXPECT_EQ((*out)[0].values<float>(), kSmallAnswer);
  }
}

TEST(Conv2dOpTest, FusedActivationWithoutBias_IsApplied) {
  TestNode node = SmallNode();
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  node.attributes.Set("padding", std::string("VALID"));
  node.inputs.pop_back();
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(), (std::vector<float>{6, 6, 6, 6}));
}

TEST(Conv2dOpTest, HalfWeights_AreSupported) {
  TestNode node = SmallNode();
  node.inputs[1] = Halves({2, 2, 2, 1}, {1, 1, 1, 1, 10, 0, 0, 0}).Constant();
  node.inputs[2] = Halves({2}, {0.5f, -40}).Constant();
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(), kSmallAnswer);
}

TEST(Conv2dOpTest, Residual_IsAddedBeforeActivation) {
  for (const bool in_place : {false, true}) {
    TestNode node = SmallNode();
    node.attributes.Set("has_residual", true);
    node.attributes.Set("fused_activation_function", std::string("RELU"));
    node.inputs.push_back(Floats({1, 2, 3, 2}, std::vector<float>(12, 15.0f)));
    const auto out = RunNode(node, {.in_place = in_place});
    ASSERT_TRUE(out.ok()) << out.status().message();
    std::vector<float> want = kSmallAnswer;
    for (float& v : want) v = std::max(0.0f, v + 15.0f);
    EXPECT_EQ((*out)[0].values<float>(), want);
  }
}

// One pixel above and two to the left: 4x5 windows of 1x1.
TEST(Conv2dOpTest, ExplicitPadding_IsApplied) {
  TestNode node;
  node.op = "CONV_2D";
  node.attributes.Set("padding", std::string("EXPLICIT"));
  node.attributes.Set("pad_top", int64_t{1});
  node.attributes.Set("pad_left", int64_t{2});
  node.inputs = {Floats({1, 1, 2, 1}, {5, 7}),
                 Floats({1, 1, 1, 1}, {2}).Constant(), Absent()};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{1, 2, 4, 1}));
  EXPECT_EQ((*out)[0].values<float>(),
            (std::vector<float>{0, 0, 0, 0, 0, 0, 10, 14}));
}

// Channel 0 is doubled and channel 1 tripled, each a group.
TEST(Conv2dOpTest, Groups_AreSupported) {
  TestNode node;
  node.op = "CONV_2D";
  node.inputs = {Floats({1, 1, 2, 2}, {1, 2, 3, 4}),
                 Floats({2, 1, 1, 1}, {2, 3}).Constant()};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(), (std::vector<float>{2, 6, 6, 12}));
}

TEST(Conv2dOpTest, InvalidNodes_AreRefused) {
  ExpectAllRefused(
      SmallNode(),
      {{"float16 weights that are not constant", Code::kUnsupported,
        [](TestNode& n) {
          n.inputs[1].type = ElementType::kFloat16;
          n.inputs[1].is_constant = false;
        }},
       {"int8 weights without a scale", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = MakeTensor<int8_t>(ElementType::kInt8, {2, 2, 2, 1},
                                           std::vector<int8_t>(8))
                            .Constant();
        }},
       {"int8 input", Code::kUnsupported,
        [](TestNode& n) {
          n.inputs[0] = MakeTensor<int8_t>(ElementType::kInt8, {1, 2, 3, 1},
                                           std::vector<int8_t>(6));
        }},
       {"int8 output", Code::kUnsupported,
        [](TestNode& n) { n.outputs[0].type = ElementType::kInt8; }},
       {"unknown activation", Code::kUnsupported,
        [](TestNode& n) {
          n.attributes.Set("fused_activation_function",
                           std::string("SIGN_BIT"));
        }},
       {"stride 0", Code::kMalformed,
        [](TestNode& n) { n.attributes.Set("stride_w", int64_t{0}); }},
       {"padding of another name", Code::kMalformed,
        [](TestNode& n) { n.attributes.Set("padding", std::string("FULL")); }},
       {"bias of the wrong length", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[2] = Floats({3}, {1, 2, 3}).Constant();
        }},
       {"weights of rank 3", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = Floats({2, 2, 2}, std::vector<float>(8)).Constant();
        }},
       {"channels that no group takes", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Floats({1, 2, 3, 3}, std::vector<float>(18));
        }},
       {"input of rank 3", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Floats({2, 3, 1}, std::vector<float>(6));
        }},
       {"a window larger than the input", Code::kMalformed,
        [](TestNode& n) {
          n.attributes.Set("padding", std::string("VALID"));
          n.attributes.Set("dilation_h_factor", int64_t{9});
        }},
       {"a residual of another shape", Code::kMalformed,
        [](TestNode& n) {
          n.attributes.Set("has_residual", true);
          n.inputs.push_back(Floats({1, 2, 3, 1}, std::vector<float>(6)));
        }},
       {"a fourth input without has_residual", Code::kMalformed,
        [](TestNode& n) {
          n.inputs.push_back(Floats({1, 2, 3, 2}, std::vector<float>(12)));
        }},
       {"one input", Code::kMalformed, [](TestNode& n) { n.inputs.resize(1); }},
       {"no weights", Code::kMalformed,
        [](TestNode& n) { n.inputs[1] = Absent(); }}});
}

TEST(Conv2dOpTest, IntWeights_MatchFloat) {
  for (const IntTypes& types : kIntTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      TestNode node = MakeIntNode("CONV_2D", types, {2, 9, 10, 5},
                                  {19, 3, 3, 5}, 0, is_constant);
      node.attributes = Options({{"padding", std::string("SAME")},
                                 {"stride_h", int64_t{2}},
                                 {"dilation_w_factor", int64_t{2}}});
      ExpectLikeFloat(node);
      node.inputs.pop_back();  // No bias.
      node.attributes = Options({{"padding", std::string("VALID")}});
      ExpectLikeFloat(node);
      // 1x1, a matrix product.
      ExpectLikeFloat(MakeIntNode("CONV_2D", types, {1, 5, 13, 24},
                                  {35, 1, 1, 24}, 0, is_constant));
    }
    // Three groups.
    ExpectLikeFloat(
        MakeIntNode("CONV_2D", types, {1, 6, 5, 6}, {9, 2, 2, 2}, 0, true));
  }
}

// Where results are stored out of the registers of a product (whole vectors of
// columns) and where they are not.
TEST(Conv2dOpTest, IntClampsOfAllTypes_AreApplied) {
  for (const IntTypes& types : kIntTypes) {
    SCOPED_TRACE(types.name);
    for (const int32_t channels : {32, 48, 35})
      ExpectClampsLikeFloat(MakeIntNode("CONV_2D", types, {1, 5, 13, 24},
                                        {channels, 1, 1, 24}, 0, true));
  }
}

TEST(Conv2dOpTest, Hybrid_IsNearFloat) {
  ExpectHybridNearFloat("CONV_2D", {2, 6, 7, 4}, {9, 3, 3, 4}, 0);
  ExpectHybridNearFloat("CONV_2D", {2, 6, 7, 4}, {8, 3, 3, 2}, 0);
}

TEST(Conv2dOpTest, InvalidIntNodes_AreRefused) {
  const auto make = [](int types) {
    return MakeIntNode("CONV_2D", kIntTypes[types], {1, 4, 4, 2}, {3, 2, 2, 2},
                       0, true);
  };
  TestNode node = make(0);
  node.inputs[1].quantization = {};
  ExpectRefused(node, Code::kMalformed, "the weights have no scale");
  node = make(0);
  node.inputs[1].quantization.axis = 3;
  ExpectRefused(node, Code::kMalformed, "along dimension");
  node = make(0);
  node.inputs[1].quantization.zero_points[1] = 4;
  ExpectRefused(node, Code::kUnsupported, "zero point for each channel");
  node = make(0);
  node.inputs[0].quantization = {};
  ExpectRefused(node, Code::kMalformed, "the input has no scale");
  node = make(0);
  node.outputs[0].quantization.scales[0] = 0.0f;
  ExpectRefused(node, Code::kMalformed, "the output has scale");
  node = make(0);
  node.outputs[0].type = kFloat32;
  ExpectRefused(node, Code::kUnsupported, "the output is float32");
  node = make(0);
  node.inputs[2] = Floats({3}, {1, 2, 3}).Constant();
  ExpectRefused(node, Code::kUnsupported, "the bias is float32");
  node = make(0);
  node.inputs[2] = StoreValues(kInt32, {2}, {1, 2}).Constant();
  ExpectRefused(node, Code::kMalformed, "the bias has shape 2");
  node = make(0);
  node.attributes.Set("fused_activation_function", std::string("TANH"));
  ExpectRefused(node, Code::kUnsupported, "");
  node = make(0);
  node.attributes.Set("has_residual", true);
  ExpectRefused(node, Code::kUnsupported, "residual");
  node = make(3);
  node.inputs[2].quantization = Scale(1.0f);
  ExpectRefused(node, Code::kMalformed, "the bias has scale");
  node = make(4);
  node.inputs[0].quantization = Scale(1.0f, 3);
  ExpectRefused(node, Code::kMalformed, "the input has zero point 3");
  node = make(4);
  node.attributes.Set("quantized_bias_type", std::string("INT32"));
  ExpectRefused(node, Code::kMalformed, "the bias is int64");
  node = make(1);
  node.inputs[0].shape = {1, 4, 2, 4};
  node.inputs[1].shape = {3, 2, 4, 1};
  ExpectRefused(node, Code::kMalformed, "into groups");
}

}  // namespace
}  // namespace munja::ops
