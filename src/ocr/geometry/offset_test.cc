#include "geometry/offset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace munja::geometry {
namespace {

double DistanceToSegment(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double t = std::clamp(
      ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

TEST(Offset, Growth_HasRoundCorners) {
  const Polygon box = {{10, 10}, {110, 10}, {110, 40}, {10, 40}};
  const double d = 12.34;
  const auto grown = Offset(box, d);
  ASSERT_EQ(grown.size(), 1u);
  // The box, a band along each side and a circle at the corners; the chords
  // of the arcs lie at most 0.05 inside, over 78 pixels of arc.
  const double want = 100 * 30 + 260 * d + std::numbers::pi * d * d;
  EXPECT_NEAR(Area(grown[0]), want, 78 * 0.05);
  for (const Point& p : grown[0]) {
    double nearest = 1e9;
    for (size_t i = 0; i < 4; ++i)
      nearest =
          std::min(nearest, DistanceToSegment(p, box[i], box[(i + 1) % 4]));
    // Points lie on the arc, to the grid.
    EXPECT_NEAR(nearest, d, 2.0 / 1024);
  }
}

TEST(Offset, FractionsOfAPixel_AreKept) {
  const Polygon box = {
      {0.25f, 0.5f}, {20.25f, 0.5f}, {20.25f, 8.5f}, {0.25f, 8.5f}};
  const auto same = Offset(box, 0);
  ASSERT_EQ(same.size(), 1u);
  EXPECT_FLOAT_EQ(Area(same[0]), 160);
  const auto grown = Offset(box, 1.5);
  ASSERT_EQ(grown.size(), 1u);
  float left = 1e9f;
  for (const Point& p : grown[0]) left = std::min(left, p.x);
  EXPECT_NEAR(left, -1.25f, 1.0 / 1024);
}

TEST(Grow, Grow_EqualsOffset) {
  const Polygon box = {{10, 10}, {110, 10}, {110, 40}, {10, 40}};
  for (const double distance : {0.0, 0.0001, 7.5}) {
    const auto grown = Grow(box, distance);
    ASSERT_TRUE(grown.ok());
    ASSERT_EQ(grown->size(), 1u);
    EXPECT_EQ((*grown)[0].size(), Offset(box, distance)[0].size());
  }
  // Nothing that can be grown is no lack of memory.
  EXPECT_TRUE(Grow({}, 1)->empty());
  EXPECT_TRUE(Grow(box, 1e7)->empty());
  EXPECT_TRUE(Grow({{5, 5}, {5, 5}, {5, 5}}, 0).ok());
  EXPECT_TRUE(Grow({{5, 5}, {9, 5}, {7, 5}}, 0).ok());
}

TEST(Offset, OutlineDirection_DoesNotMatter) {
  Polygon box = {{0, 0}, {30, 0}, {30, 10}, {0, 10}};
  const float area = Area(Offset(box, 3).at(0));
  std::reverse(box.begin(), box.end());
  EXPECT_FLOAT_EQ(Area(Offset(box, 3).at(0)), area);
}

TEST(Offset, ShrinkingOutline_FallsApartAndVanishes) {
  // A dumbbell whose handle is 4 high.
  const Polygon dumbbell = {{0, 0},   {20, 0},  {20, 8},  {40, 8},
                            {40, 0},  {60, 0},  {60, 20}, {40, 20},
                            {40, 12}, {20, 12}, {20, 20}, {0, 20}};
  EXPECT_EQ(Offset(dumbbell, -1).size(), 1u);
  EXPECT_EQ(Offset(dumbbell, -3).size(), 2u);
  EXPECT_TRUE(Offset(dumbbell, -11).empty());
}

TEST(Offset, DegeneratePolygon_IsRefused) {
  EXPECT_TRUE(Offset({}, 1).empty());
  EXPECT_TRUE(Offset({{0, 0}, {5, 5}}, 1).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(Offset({{0, 0}, {5, nan}, {5, 5}}, 1).empty());
  EXPECT_TRUE(Offset({{0, 0}, {2e6f, 0}, {5, 5}}, 1).empty());
  EXPECT_TRUE(Offset({{0, 0}, {9, 0}, {5, 5}}, std::nan("")).empty());
}

TEST(Offset, AMillionPixels_AreTooFar) {
  const auto count = [](float far, double distance) {
    return Offset({{0, 0}, {30, 0}, {30, far}, {0, far}}, distance).size();
  };
  EXPECT_EQ(count(999'999, 3), 1u);
  EXPECT_EQ(count(1e6f, 3), 0u);
  EXPECT_EQ(count(-1e6f, 3), 0u);
  EXPECT_EQ(count(10, 999'999), 1u);
  EXPECT_EQ(count(10, 1e6), 0u);
  EXPECT_EQ(count(10, -1e6), 0u);
  EXPECT_TRUE(Offset({{0, 0}, {1e6f, 0}, {0, 30}}, 3).empty());
}

}  // namespace
}  // namespace munja::geometry
