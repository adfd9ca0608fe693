#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/testing.h"

namespace munja::ops {
namespace {

// Two pixels of two channels, a middle of three, one channel out.
TestNode SmallNode() {
  TestNode node;
  node.op = "CONV_2D_PAIR";
  node.attributes.Set("first_fused_activation_function", std::string("RELU"));
  node.inputs = {Floats({1, 1, 2, 2}, {1, 2, 3, -4}),
                 Floats({3, 1, 1, 2}, {1, 0, 0, 1, 1, 1}).Constant(),
                 Floats({3}, {0, 0, 10}).Constant(),
                 Floats({1, 1, 1, 3}, {100, 10, 1}).Constant(),
                 Floats({1}, {0.5f}).Constant()};
  return node;
}

// By hand: middles (1, 2, 13) and (3, 0, 9).
TEST(Conv2dPairOpTest, HandComputed) {
  for (const bool use_reference : {false, true}) {
    const auto out = RunNode(SmallNode(), {.use_reference = use_reference});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape, (Shape{1, 1, 2, 1}));
    EXPECT_EQ((*out)[0].values<float>(), (std::vector<float>{133.5f, 309.5f}));
  }
}

TEST(Conv2dPairOpTest, ResidualAndSecondActivation) {
  TestNode node = SmallNode();
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  node.inputs.push_back(Floats({1, 1, 2, 1}, {-130, -309}));
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].values<float>(), (std::vector<float>{3.5f, 0.5f}));
}

TEST(Conv2dPairOpTest, RefusesWhatDoesNotFit) {
  TestNode node = SmallNode();
  node.inputs[3] = Floats({1, 1, 1, 2}, {1, 1}).Constant();
  EXPECT_EQ(RunNode(node).status().code(), Code::kMalformed);
  node = SmallNode();
  node.inputs[1] = Floats({3, 2, 1, 1}, {1, 0, 0, 1, 1, 1}).Constant();
  EXPECT_EQ(RunNode(node).status().code(), Code::kMalformed);
  node = SmallNode();
  node.inputs[0] = Floats({1, 1, 1, 4}, {1, 2, 3, 4});
  EXPECT_EQ(RunNode(node).status().code(), Code::kMalformed);
  node = SmallNode();
  node.inputs.push_back(Floats({1, 2, 1, 1}, {1, 2}));
  EXPECT_EQ(RunNode(node).status().code(), Code::kMalformed);
}

}  // namespace
}  // namespace munja::ops
