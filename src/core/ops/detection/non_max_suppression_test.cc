#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

// Unit squares at x = 0, 0.1, -0.1; 10, 10.1; 100. Those 0.1 apart overlap by
// 0.9 / 1.1, those 0.2 apart by 0.8 / 1.2. Corners come in any order.
TestTensor Boxes() {
  return Floats({6, 4}, {1, 1,     0, 0,      //
                         0, 0.1f,  1, 1.1f,   //
                         0, 0.9f,  1, -0.1f,  //
                         0, 10,    1, 11,     //
                         1, 10.1f, 0, 11.1f, 1, 101, 0, 100});
}

TestNode V4(int32_t limit, float iou, float score) {
  return {.op = "NON_MAX_SUPPRESSION_V4",
          .inputs = {Boxes(), Floats({6}, {.9f, .75f, .6f, .95f, .5f, .3f}),
                     Ints({}, {limit}).Constant(), Floats({}, {iou}),
                     Floats({}, {score})},
          .outputs = {{ElementType::kInt32}, {ElementType::kInt32}}};
}

TestNode V5(int32_t limit, float iou, float score, float sigma) {
  TestNode node = V4(limit, iou, score);
  node.op = "NON_MAX_SUPPRESSION_V5";
  node.inputs.push_back(Floats({}, {sigma}));
  node.outputs = {{ElementType::kInt32}, {}, {ElementType::kInt32}};
  return node;
}

void ExpectSelected(const TestNode& node, std::vector<int32_t> selected,
                    int32_t limit) {
  const auto count = static_cast<int32_t>(selected.size());
  selected.resize(static_cast<size_t>(limit), 0);
  ExpectOutputs<int32_t>(node, {Shape{limit}, Shape()}, {selected, {count}});
}

TEST(NonMaxSuppressionTest, EachGroup_KeepsTheBest) {
  ExpectSelected(V4(6, 0.5f, 0.0f), {3, 0, 5}, 6);
  ExpectSelected(V4(2, 0.5f, 0.0f), {3, 0}, 2);
  ExpectSelected(V4(0, 0.5f, 0.0f), {}, 0);
  ExpectSelected(V4(30, 0.5f, 0.4f), {3, 0}, 30);
  ExpectSelected(V4(6, 0.5f, 0.3f), {3, 0}, 6);  // Above, not at the limit.
  // 1 and 0 overlap by 0.82, 1 and 2 by 0.67.
  ExpectSelected(V4(6, 0.9f, 0.0f), {3, 0, 1, 2, 4, 5}, 6);
}

TEST(NonMaxSuppressionTest, EqualScores_GoByIndexAndEqualBoxesMerge) {
  TestNode node = V4(4, 1.0f, 0.0f);
  node.inputs[0] = Floats({4, 4}, {0, 0, 1, 1, 0, 2, 1, 3,  //
                                   0, 0, 1, 1, 5, 5, 5, 9});
  node.inputs[1] = Floats({4}, {.5f, .5f, .5f, .5f});
  // Box 3 has no area: it overlaps nothing, and is taken once.
  ExpectSelected(node, {0, 1, 3}, 4);
}

TEST(NonMaxSuppressionTest, SoftMode_LowersScores) {
  const auto out = RunNode(V5(6, 1.0f, 0.0f, 0.5f));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[0].values<int32_t>(), ElementsAre(3, 0, 1, 5, 4, 2));
  // 0.75 exp(-0.818^2), 0.5 exp(-0.818^2), 0.6 exp(-0.818^2 - 0.667^2)
  EXPECT_THAT((*out)[1].values<float>(),
              Pointwise(FloatNear(2e-4f),
                        {0.95f, 0.9f, 0.3840f, 0.3f, 0.2560f, 0.1970f}));
  EXPECT_THAT((*out)[2].values<int32_t>(), ElementsAre(6));
  const auto fewer = RunNode(V5(6, 1.0f, 0.299f, 0.5f));
  ASSERT_TRUE(fewer.ok()) << fewer.status().message();
  EXPECT_THAT((*fewer)[0].values<int32_t>(), ElementsAre(3, 0, 1, 5, 0, 0));
  EXPECT_EQ((*fewer)[1].values<float>()[5], 0.0f);
  EXPECT_THAT((*fewer)[2].values<int32_t>(), ElementsAre(4));
  // Sigma 0 is V4 with scores.
  const auto hard = RunNode(V5(4, 0.5f, 0.0f, 0.0f));
  ASSERT_TRUE(hard.ok()) << hard.status().message();
  EXPECT_THAT((*hard)[0].values<int32_t>(), ElementsAre(3, 0, 5, 0));
  EXPECT_THAT((*hard)[1].values<float>(), ElementsAre(.95f, .9f, .3f, 0.0f));
}

TEST(NonMaxSuppressionTest, NanScores_Terminate) {
  TestNode node = V5(6, 0.5f, 0.0f, 0.5f);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  node.inputs[0] = Floats({6, 4}, std::vector<float>(24, nan));
  EXPECT_TRUE(RunNode(node).ok());
  node.inputs[1] = Floats({6}, std::vector<float>(6, nan));
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[2].values<int32_t>(), ElementsAre(0));
}

TEST(NonMaxSuppressionTest, InvalidNodes_AreRefused) {
  TestNode node = V4(6, 0.5f, 0.0f);
  node.inputs[2].is_constant = false;
  ExpectRefused(node, Code::kNeedsValues, "not known before the run");
  TestOptions known;
  known.knows_inputs = true;
  EXPECT_TRUE(RunNode(node, known).ok());
  ExpectRefused(V4(-1, 0.5f, 0.0f), Code::kMalformed, "would be -1");
  ExpectRefused(V4(6, -0.5f, 0.0f), Code::kInvalidArgument, "overlap limit");
  ExpectRefused(V5(6, 0.5f, 0.0f, -1.0f), Code::kInvalidArgument, "sigma");
  node = V4(6, 0.5f, 0.0f);
  node.inputs[1] = Floats({5}, {1, 2, 3, 4, 5});
  ExpectRefused(node, Code::kMalformed, "boxes of shape 6x4 and scores");
  node = V4(6, 0.5f, 0.0f);
  node.inputs[3] = Floats({2}, {1, 2});
  ExpectRefused(node, Code::kMalformed, "the overlap limit is no scalar");
  node = V4(6, 0.5f, 0.0f);
  node.inputs[0].type = ElementType::kInt32;
  ExpectRefused(node, Code::kUnsupported, "the box list is int32");
}

}  // namespace
}  // namespace munja::ops
