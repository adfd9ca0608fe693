#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "ops/support/custom_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using testing::ElementsAre;

TestNode UniqueOf(TestTensor x, graph::Attributes options) {
  TestNode node;
  node.op = "MunjaUnique";
  node.inputs = {std::move(x)};
  node.outputs.assign(4, {ElementType::kInt64});
  node.outputs[0].type = node.inputs[0].type;
  node.custom_options = EncodeCustomOptions(options);
  return node;
}

TEST(UniqueSlices, Elements_AreUniqueInEitherOrder) {
  graph::Attributes options;
  const TestTensor x = Floats({2, 3}, {2, 1, 1, 3, 4, 3});
  auto y = RunNode(UniqueOf(x, options), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_THAT((*y)[0].values<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT((*y)[1].values<int64_t>(), ElementsAre(1, 0, 3, 4));
  EXPECT_THAT((*y)[2].values<int64_t>(), ElementsAre(1, 0, 0, 2, 3, 2));
  EXPECT_THAT((*y)[3].values<int64_t>(), ElementsAre(2, 1, 2, 1));
  options.Set("sorted", int64_t{0});
  y = RunNode(UniqueOf(x, options), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_THAT((*y)[0].values<float>(), ElementsAre(2, 1, 3, 4));
  EXPECT_THAT((*y)[1].values<int64_t>(), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT((*y)[2].values<int64_t>(), ElementsAre(0, 1, 1, 2, 3, 2));
  EXPECT_THAT((*y)[3].values<int64_t>(), ElementsAre(1, 2, 2, 1));
}

// Columns: (1, 0), (1, -1), (1, 0).
TEST(UniqueSlices, Slices_AreUniqueAlongAnAxis) {
  graph::Attributes options;
  options.Set("axis", int64_t{-1});
  const auto y =
      RunNode(UniqueOf(Floats({2, 3}, {1, 1, 1, 0, -1, 0}), options), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ((*y)[0].shape, (Shape{2, 2}));
  EXPECT_THAT((*y)[0].values<float>(), ElementsAre(1, 1, -1, 0));
  EXPECT_THAT((*y)[1].values<int64_t>(), ElementsAre(1, 0));
  EXPECT_THAT((*y)[2].values<int64_t>(), ElementsAre(1, 0, 1));
  EXPECT_THAT((*y)[3].values<int64_t>(), ElementsAre(1, 2));
  options.Set("axis", int64_t{2});
  EXPECT_FALSE(RunNode(UniqueOf(Floats({1, 1}, {1}), options), {}).ok());
}

}  // namespace
}  // namespace munja::ops
