#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "ops/support/custom_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using testing::ElementsAre;

// Windows of one by two over 10 y + x, a map of three by three.
TestNode Window(std::vector<float> offsets) {
  TestNode node;
  node.op = "MunjaDeformConv";
  node.inputs = {
      Floats({1, 1, 3, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22}),
      Floats({1, 1, 1, 2}, {1, 100}),
      Floats({1, 4, 3, 2}, std::move(offsets)),
  };
  return node;
}

TEST(DeformConv, ZeroOffsets_MatchConv2d) {
  const auto y = RunNode(Window(std::vector<float>(24, 0.0f)), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ((*y)[0].shape, (Shape{1, 1, 3, 2}));
  EXPECT_THAT((*y)[0].values<float>(),
              ElementsAre(100, 201, 1110, 1211, 2120, 2221));
}

// Both taps of the first place: half a row down; the second also one to the
// left, and times a factor. Bias 0.5.
TEST(DeformConv, OffsetsFactorsAndBias_AreApplied) {
  std::vector<float> offsets(24, 0.0f), factors(12, 1.0f);
  offsets[0] = 0.5f;   // Tap 0, down.
  offsets[12] = 0.5f;  // Tap 1, down.
  offsets[18] = -1;    // Tap 1, to the right.
  factors[6] = 2;
  offsets[5] = 5;  // Tap 0 of the last place: outside.
  TestNode node = Window(std::move(offsets));
  node.inputs.push_back(Floats({1}, {0.5f}));
  node.inputs.push_back(Floats({1, 2, 3, 2}, factors));
  const auto y = RunNode(node, {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_THAT((*y)[0].values<float>(),
              ElementsAre(5 + 2 * 500 + 0.5f, 201.5f, 1110.5f, 1211.5f, 2120.5f,
                          2200.5f));
}

TEST(DeformConv, MismatchedInputs_AreRefused) {
  TestNode node = Window(std::vector<float>(24, 0.0f));
  node.inputs[2] = Floats({1, 4, 2, 3}, std::vector<float>(24, 0.0f));
  EXPECT_FALSE(RunNode(node, {}).ok());
  graph::Attributes options;
  options.Set("group", int64_t{2});
  node = Window(std::vector<float>(24, 0.0f));
  node.custom_options = EncodeCustomOptions(options);
  EXPECT_FALSE(RunNode(node, {}).ok());
}

}  // namespace
}  // namespace munja::ops
