#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "ops/support/custom_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using testing::ElementsAre;

TestNode Node(int64_t most, double overlap) {
  TestNode node;
  node.op = "MunjaSelectBoxes";
  // The second lies on the first, the third beside them, corners turned.
  node.inputs = {Floats({1, 3, 4}, {0, 0, 2, 2, 0, 0, 2, 1.5f, 9, 9, 5, 5}),
                 Floats({1, 2, 3}, {0.5f, 0.9f, 0.1f, 0.3f, 0.3f, 0.8f})};
  node.outputs = {TestOutput{ElementType::kInt64}};
  graph::Attributes options;
  options.Set("most", most);
  options.Set("overlap", overlap);
  options.Set("score", 0.2);
  node.custom_options = EncodeCustomOptions(options);
  return node;
}

TEST(SelectBoxes, EachClass_KeepsTheBest) {
  const auto run = [](const TestNode& node) {
    const auto y = RunNode(node, {});
    EXPECT_TRUE(y.ok()) << y.status().message();
    return y.ok() ? (*y)[0].values<int64_t>() : std::vector<int64_t>();
  };
  // Three quarters of the first are the second's.
  EXPECT_THAT(run(Node(9, 0.7)), ElementsAre(0, 0, 1, 0, 1, 2, 0, 1, 0));
  EXPECT_THAT(run(Node(9, 0.8)),
              ElementsAre(0, 0, 1, 0, 0, 0, 0, 1, 2, 0, 1, 0, 0, 1, 1));
  EXPECT_THAT(run(Node(1, 0.8)), ElementsAre(0, 0, 1, 0, 1, 2));
  EXPECT_THAT(run(Node(0, 0.8)), ElementsAre());
}

// Either corner comes first. Half of each box is the other's.
TEST(SelectBoxes, Corners_MayBeTurned) {
  TestNode node = Node(9, 0.5);
  node.inputs[1] = Floats({1, 1, 2}, {0.9f, 0.8f});
  for (const std::vector<float>& boxes :
       {std::vector<float>{4, 0, 6, 2, 5, 0, 7, 2},
        {6, 2, 4, 0, 5, 0, 7, 2},
        {4, 2, 6, 0, 7, 0, 5, 2}}) {
    node.inputs[0] = Floats({1, 2, 4}, boxes);
    const auto y = RunNode(node, {});
    ASSERT_TRUE(y.ok()) << y.status().message();
    EXPECT_THAT((*y)[0].values<int64_t>(), ElementsAre(0, 0, 0, 0, 0, 1));
  }
}

TEST(SelectBoxes, MismatchedInputs_AreRefused) {
  TestNode node = Node(1, 0.5);
  node.inputs[1] = Floats({1, 1, 2}, {1, 1});
  EXPECT_FALSE(RunNode(node, {}).ok());
}

}  // namespace
}  // namespace munja::ops
