#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ops/testing.h"

namespace munja::ops {
namespace {

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

TEST(FullyConnectedOpTest, AnyNumberOfThreads_MatchesReference) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {Floats({40, 80}, RandomFloats(40 * 80, 1)),
                 Halves({999, 80}, RandomFloats(999 * 80, 2)).Constant(),
                 Floats({999}, RandomFloats(999, 3)).Constant()};
  const auto want = RunNode(node, {.reference_kernels = true});
  const auto one = RunNode(node), three = RunNode(node, {.threads = 3});
  ASSERT_TRUE(want.ok() && one.ok() && three.ok());
  EXPECT_EQ((*one)[0].bytes, (*three)[0].bytes);
  const auto a = (*one)[0].values<float>(), b = (*want)[0].values<float>();
  ASSERT_EQ(a.size(), b.size());
  // 81 terms of size at most 1: half an ulp of a partial sum each.
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 81 * 81 * 1.2e-7) << i;
}

TEST(FullyConnectedOpTest, InvalidNodes_AreRefused) {
  struct Row {
    const char* what;
    Code code;
    std::function<void(TestNode&)> change;
  };
  const Row rows[] = {
      {"int8 weights without a scale", Code::kMalformed,
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
       [](TestNode& n) { n.inputs[1] = Absent(); }},
  };
  for (const Row& row : rows) {
    TestNode node = SmallFullyConnectedNode();
    row.change(node);
    const auto out = RunNode(node);
    ASSERT_FALSE(out.ok()) << row.what;
    EXPECT_EQ(out.status().code(), row.code)
        << row.what << ": " << out.status().message();
  }
}

}  // namespace
}  // namespace munja::ops
