#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "ops/support/custom_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using testing::ElementsAre;

// A map whose element at row y, column x is 10 y + x: a sample of it is the
// same formula of its place.
TestNode RegionOf(std::vector<float> region, graph::Attributes options,
                  int32_t map = 0) {
  std::vector<float> values;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) values.push_back(10.0f * y + x);
  TestNode node;
  node.op = "MunjaRoiAlign";
  node.inputs = {Floats({1, 1, 5, 5}, values), Floats({1, 4}, region),
                 Ints({1}, {map})};
  node.custom_options = EncodeCustomOptions(options);
  return node;
}

TEST(RoiAlign, Cells_AreMeansOfSamples) {
  graph::Attributes options;
  options.Set("height", int64_t{1});
  options.Set("width", int64_t{2});
  options.Set("samples", int64_t{2});
  // Columns 0 to 4 and rows 1 to 3: centers of the halves are (2, 1), (2, 3).
  auto y = RunNode(RegionOf({0, 1, 4, 3}, options), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ((*y)[0].shape, (Shape{1, 1, 1, 2}));
  EXPECT_THAT((*y)[0].values<float>(), ElementsAre(21, 23));
  // Centers of elements at halves; regions in units of two.
  options.Set("half", int64_t{1});
  options.Set("scale", 0.5);
  y = RunNode(RegionOf({1, 3, 9, 7}, options), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_THAT((*y)[0].values<float>(), ElementsAre(21, 23));
}

// Without a number each element of the region has a sample: three in a region
// that is 2.4 wide, of which the first is on the map.
TEST(RoiAlign, SamplesThatAreNotCounted_FollowTheSize) {
  const auto y = RunNode(RegionOf({4, 1, 6.4f, 2}, {}), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_THAT((*y)[0].values<float>(),
              ElementsAre(testing::FloatEq(19.0f / 3)));
}

TEST(RoiAlign, SamplesOutside_AreZero) {
  graph::Attributes options;
  options.Set("samples", int64_t{1});
  const auto y = RunNode(RegionOf({20, 20, 22, 22}, options), {});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_THAT((*y)[0].values<float>(), ElementsAre(0));
  EXPECT_FALSE(RunNode(RegionOf({0, 0, 1, 1}, options, 1), {}).ok());
  EXPECT_FALSE(RunNode(RegionOf({0, 0, 1, 1}, options, -1), {}).ok());
}

}  // namespace
}  // namespace munja::ops
