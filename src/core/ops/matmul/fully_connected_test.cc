#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/support/linear/linear_testing.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

// [1 2; 3 4] times the rows [5 6], [7 8], [-9 1] of the weights.
TestNode SmallFullyConnectedNode() {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {Floats({2, 2}, {1, 2, 3, 4}),
                 Floats({3, 2}, {5, 6, 7, 8, -9, 1}).Constant(),
                 Floats({3}, {1, 0, 2}).Constant()};
  return node;
}

const std::vector<float> kSmallProduct = {18, 23, -5, 40, 53, -21};

TEST(FullyConnectedOpTest, SmallCase_MatchesHandComputation) {
  for (const bool reference_kernels : {false, true}) {
    for (const bool constant : {false, true}) {
      TestNode node = SmallFullyConnectedNode();
      node.inputs[1].is_constant = constant;
      const auto out = RunNode(node, {.reference_kernels = reference_kernels});
      ASSERT_TRUE(out.ok()) << out.status().message();
      EXPECT_EQ((*out)[0].shape, (Shape{2, 3}));
      EXPECT_EQ((*out)[0].values<float>(), kSmallProduct);
    }
  }
}

TEST(FullyConnectedOpTest, Bias_MayBeDynamicOrAbsent) {
  TestNode node = SmallFullyConnectedNode();
  node.inputs[2].is_constant = false;
  auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(), kSmallProduct);
  node.inputs[2] = Absent();
  node.attributes.Set("fused_activation_function", std::string("RELU"));
  out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(),
            (std::vector<float>{17, 23, 0, 39, 53, 0}));
}

TEST(FullyConnectedOpTest, OutputShape_FollowsTheOptions) {
  TestNode node = SmallFullyConnectedNode();
  node.inputs[0] = Floats({2, 1, 2, 2}, std::vector<float>(8, 1.0f));
  auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{4, 3}));
  node.attributes.Set("keep_num_dims", true);
  out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{2, 1, 2, 3}));
  // Rows need not end where a dimension does.
  node.attributes.Set("keep_num_dims", false);
  node.inputs[0] = Floats({1, 4}, {1, 2, 3, 4});
  out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(), kSmallProduct);
}

TEST(FullyConnectedOpTest, Residual_IsAddedBeforeActivation) {
  for (const bool in_place : {false, true}) {
    TestNode node = SmallFullyConnectedNode();
    node.attributes.Set("has_residual", true);
    node.attributes.Set("fused_activation_function", std::string("RELU"));
    node.inputs.push_back(Floats({2, 3}, {1, 1, 1, 1, 1, 30}));
    const auto out = RunNode(node, {.in_place = in_place});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].values<float>(),
              (std::vector<float>{19, 24, 0, 41, 54, 9}));
  }
}

TEST(FullyConnectedOpTest, InvalidNodes_AreRefused) {
  ExpectAllRefused(
      SmallFullyConnectedNode(),
      {{"int8 weights without a scale", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = MakeTensor<int8_t>(ElementType::kInt8, {3, 2},
                                           std::vector<int8_t>(6))
                            .Constant();
        }},
       {"shuffled weights", Code::kUnsupported,
        [](TestNode& n) {
          n.attributes.Set("weights_format", std::string("SHUFFLED4x16INT8"));
        }},
       {"weights of rank 3", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = Floats({3, 2, 1}, std::vector<float>(6)).Constant();
        }},
       {"an input that is not a multiple of the row size", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Floats({3}, {1, 2, 3});
        }},
       {"more empty rows than a shape can say", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[0] = Floats({1 << 30, 1 << 30, 0}, {});
          n.inputs[1] = Floats({3, 0}, {}).Constant();
        }},
       {"another last dimension with keep_num_dims", Code::kMalformed,
        [](TestNode& n) {
          n.attributes.Set("keep_num_dims", true);
          n.inputs[0] = Floats({1, 4}, {1, 2, 3, 4});
        }},
       {"a bias of the wrong length", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[2] = Floats({2}, {1, 2}).Constant();
        }},
       {"a later bias of the wrong length", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[2] = Floats({2}, {1, 2});
        }},
       {"no weights", Code::kMalformed,
        [](TestNode& n) { n.inputs[1] = Absent(); }}});
}

TEST(FullyConnectedOpTest, IntWeights_MatchFloat) {
  for (const IntTypes& types : kIntTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      for (const int32_t rows : {1, 60}) {
        ExpectLikeFloat(MakeIntNode("FULLY_CONNECTED", types, {rows, 37},
                                    {41, 37}, 0, is_constant));
      }
      TestNode node = MakeIntNode("FULLY_CONNECTED", types, {2, 3, 12}, {7, 12},
                                  0, is_constant);
      node.attributes =
          Options({{"keep_num_dims", true},
                   {"fused_activation_function", std::string("RELU")}});
      ExpectLikeFloat(node);
    }
  }
}

// In steps of 1/2: inputs 1, -1.5, weights 2, -4 and bias 1/4 make 8.25, of
// RELU6 6, and 33 / 4 steps of 1/2 with zero point 3.
TEST(FullyConnectedOpTest, SmallIntCase_MatchesHandComputation) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {
      StoreValues(kInt8, {1, 2}, {2 + 1, -3 + 1}).With(Scale(0.5f, 1)),
      StoreValues(kInt8, {1, 2}, {4, -8}).Constant().With(Scale(0.5f)),
      StoreValues(kInt32, {1}, {1}).Constant().With(Scale(0.25f))};
  node.outputs = {{kInt8, Scale(0.5f, 3)}};
  ExpectOutput<int8_t>(node, {1, 1}, {20});  // 16.5 rounds away from 0.
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  ExpectOutput<int8_t>(node, {1, 1}, {15});
}

// Accumulators of 48 bits: 600 products of 32767 and 127 pass 2^31.
TEST(FullyConnectedOpTest, WideSums_DoNotWrap) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  const std::vector<int64_t> ones(600, 32767), weights(600, 127);
  node.inputs = {
      StoreValues(kInt16, {1, 600}, ones).With(Scale(1.0f / 32768)),
      StoreValues(kInt8, {1, 600}, weights).Constant().With(Scale(1.0f)),
      StoreValues(kInt64, {1}, {-(int64_t{1} << 30)}).Constant()};
  node.outputs = {{kInt16, Scale(4.0f)}};
  // (600 * 32767 * 127 - 2^30) / 32768 / 4 = 10856.9
  ExpectOutput<int16_t>(node, {1, 1}, {10857});
}

// Rows quantized apart. Row one: steps of 2 / 127 make 64 -127; row two: steps
// of 8 / 127 make 127 32, TensorFlow Lite's rounding of 63.5 and 31.75.
TEST(FullyConnectedOpTest, HybridRows_AreQuantized) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {Floats({2, 2}, {1, -2, 8, 2}),
                 StoreValues(kInt8, {2, 2}, {10, 1, -3, 100})
                     .Constant()
                     .With({{0.5f, 0.25f}, {0, 0}, 0}),
                 Floats({2}, {1, -1}).Constant()};
  const double a = 2.0 / 127, b = 8.0 / 127;
  ExpectOutput<float>(node, {2, 2},
                      {static_cast<float>((64 * 10 - 127) * a * 0.5 + 1),
                       static_cast<float>((64 * -3 - 12700) * a * 0.25 - 1),
                       static_cast<float>((1270 + 32) * b * 0.5 + 1),
                       static_cast<float>((-381 + 3200) * b * 0.25 - 1)},
                      1e-6);
}

// The same, then something is added and the rest of a fusion done.
TEST(FullyConnectedOpTest, Hybrid_AddsAResidual) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.attributes.Set("has_residual", true);
  node.attributes.Set("fused_activation_function", std::string("RELU"));
  node.inputs = {Floats({1, 2}, {1, -2}),
                 StoreValues(kInt8, {2, 2}, {10, 1, -3, 100})
                     .Constant()
                     .With({{0.5f, 0.25f}, {0, 0}, 0}),
                 Absent(), Floats({1, 2}, {3, 100})};
  const double a = 2.0 / 127;
  ExpectOutput<float>(node, {1, 2},
                      {static_cast<float>((64 * 10 - 127) * a * 0.5 + 3),
                       static_cast<float>((64 * -3 - 12700) * a * 0.25 + 100)},
                      1e-5);
  node.inputs[3] = Floats({2}, {1, 1});
  ExpectRefused(node, Code::kMalformed, "the residual has shape");
  node.inputs[3] = Floats({1, 2}, {1, 1});
  node.inputs[0] = StoreValues(kInt8, {1, 2}, {1, 2}).With(Scale(0.5f));
  node.outputs = {{kInt8, Scale(0.5f)}};
  ExpectRefused(node, Code::kUnsupported, "a residual of quantized values");
}

// Asymmetric: [-1, 4] in 255 steps of 1 / 51 has zero point -77.
TEST(FullyConnectedOpTest, HybridAsymmetric_SubtractsTheZeroPoint) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.attributes.Set("asymmetric_quantize_inputs", true);
  node.inputs = {
      Floats({1, 3}, {-1, 4, 0.501f}),
      StoreValues(kInt8, {1, 3}, {10, 1, 100}).Constant().With(Scale(0.5f))};
  // Stored -128, 127, round(-77 + 25.55) = -51: 26 steps.
  ExpectOutput<float>(node, {1, 1},
                      {static_cast<float>((-510 + 204 + 2600) / 51.0 * 0.5)},
                      1e-6);
}

TEST(FullyConnectedOpTest, Hybrid_IsNearFloat) {
  ExpectHybridNearFloat("FULLY_CONNECTED", {9, 30}, {17, 30}, 0);
}

TEST(FullyConnectedOpTest, EmptySums_GiveTheBias) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {StoreValues(kInt8, {2, 0}, {}).With(Scale(1.0f)),
                 StoreValues(kInt8, {1, 0}, {}).Constant().With(Scale(1.0f)),
                 StoreValues(kInt32, {1}, {7}).Constant()};
  node.outputs = {{kInt8, Scale(1.0f, 1)}};
  ExpectOutput<int8_t>(node, {2, 1}, {8, 8});
}

}  // namespace
}  // namespace munja::ops
