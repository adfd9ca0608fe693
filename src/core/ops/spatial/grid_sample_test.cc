#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/support/custom_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

// A line of four, sampled at these places.
std::vector<float> Sample(const std::string& mode, const std::string& padding,
                          bool align, std::vector<float> places) {
  graph::Attributes options;
  options.Set("mode", mode);
  options.Set("padding", padding);
  options.Set("align_corners", int64_t{align});
  TestNode node;
  node.op = "MunjaGridSample";
  const auto n = static_cast<int32_t>(places.size());
  node.inputs = {Floats({1, 1, 4}, {1, 2, 4, 8}), Floats({1, n, 1}, places)};
  node.custom_options = EncodeCustomOptions(options);
  const auto y = RunNode(node, {});
  EXPECT_TRUE(y.ok()) << y.status().message();
  return y.ok() ? (*y)[0].values<float>() : std::vector<float>();
}

TEST(GridSample, PlacesOfALine_AreSampled) {
  // Ends are centers: -1, 0 and 1 are elements 0, 1.5 and 3.
  EXPECT_THAT(Sample("linear", "zeros", true, {-1, 0, 1}),
              ElementsAre(1, 3, 8));
  // Ends are edges: half of what lies outside is zero.
  EXPECT_THAT(Sample("linear", "zeros", false, {-1, -0.75f, 1}),
              ElementsAre(0.5f, 1, 4));
  EXPECT_THAT(Sample("linear", "border", false, {-1, 3}), ElementsAre(1, 8));
  // Element 4, 5 and 6 of a line that turns at 3.
  EXPECT_THAT(Sample("linear", "reflection", true, {5.0f / 3, 7.0f / 3, 3}),
              Pointwise(FloatNear(1e-5f), {4.0f, 2.0f, 1.0f}));
  EXPECT_THAT(Sample("nearest", "zeros", true, {-0.9f, 0.4f, 2}),
              ElementsAre(1, 4, 0));
  // At elements a cubic curve is what they are.
  EXPECT_THAT(Sample("cubic", "zeros", true, {-1, 1}),
              Pointwise(FloatNear(1e-5f), {1.0f, 8.0f}));
}

// The last axis of a place goes along the first axis of the map.
TEST(GridSample, AxesOfAPlane_AreSampled) {
  TestNode node;
  node.op = "MunjaGridSample";
  node.inputs = {Floats({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}),
                 Floats({1, 1, 2, 2}, {1, -1, -1, 1})};
  graph::Attributes options;
  options.Set("align_corners", int64_t{1});
  node.custom_options = EncodeCustomOptions(options);
  const auto y = RunNode(node, {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ((*y)[0].shape, (Shape{1, 1, 1, 2}));
  EXPECT_THAT((*y)[0].values<float>(), ElementsAre(3, 4));
}

TEST(GridSample, MismatchedInputs_AreRefused) {
  TestNode node;
  node.op = "MunjaGridSample";
  node.inputs = {Floats({1, 1, 4}, {1, 2, 4, 8}), Floats({1, 1, 2}, {0, 0})};
  EXPECT_FALSE(RunNode(node, {}).ok());
  node.inputs[1] = Floats({1, 1, 1}, {0});
  EXPECT_TRUE(RunNode(node, {}).ok());
  graph::Attributes options;
  options.Set("mode", std::string("magic"));
  node.custom_options = EncodeCustomOptions(options);
  EXPECT_FALSE(RunNode(node, {}).ok());
}

}  // namespace
}  // namespace munja::ops
