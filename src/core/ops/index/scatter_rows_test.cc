#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ops/support/custom_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using testing::ElementsAre;

TestNode Node(const std::string& reduction, std::vector<int32_t> positions) {
  graph::Attributes options;
  options.Set("reduction", reduction);
  TestNode node;
  node.op = "MunjaScatter";
  node.inputs = {Floats({3, 2}, {1, 2, 3, 4, 5, 6}), Ints({2}, positions),
                 Floats({2, 2}, {10, 20, 30, 1})};
  node.custom_options = EncodeCustomOptions(options);
  return node;
}

TEST(ScatterRows, EveryReduction_IsApplied) {
  const auto run = [](const char* reduction, std::vector<int32_t> positions) {
    const auto y = RunNode(Node(reduction, std::move(positions)), {});
    EXPECT_TRUE(y.ok()) << y.status().message();
    return y.ok() ? (*y)[0].values<float>() : std::vector<float>();
  };
  EXPECT_THAT(run("none", {2, 0}), ElementsAre(30, 1, 3, 4, 10, 20));
  EXPECT_THAT(run("none", {1, 1}), ElementsAre(1, 2, 30, 1, 5, 6));
  EXPECT_THAT(run("add", {1, 1}), ElementsAre(1, 2, 43, 25, 5, 6));
  EXPECT_THAT(run("mul", {1, 1}), ElementsAre(1, 2, 900, 80, 5, 6));
  EXPECT_THAT(run("max", {0, 2}), ElementsAre(10, 20, 3, 4, 30, 6));
  EXPECT_THAT(run("min", {0, 2}), ElementsAre(1, 2, 3, 4, 5, 1));
}

TEST(ScatterRows, MismatchedInputs_AreRefused) {
  EXPECT_FALSE(RunNode(Node("average", {0, 1}), {}).ok());
  EXPECT_FALSE(RunNode(Node("none", {0, 3}), {}).ok());
  EXPECT_FALSE(RunNode(Node("none", {-1, 0}), {}).ok());
  TestNode node = Node("none", {0, 1});
  node.inputs[2] = Floats({2, 1}, {1, 2});
  EXPECT_FALSE(RunNode(node, {}).ok());
}

}  // namespace
}  // namespace munja::ops
