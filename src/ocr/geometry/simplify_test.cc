#include "geometry/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace munja::geometry {
namespace {

TEST(Quad, KnownQuad_HasItsLengthAreaAndPerimeter) {
  const Quad quad = {{{0, 0}, {4, 3}, {1, 7}, {-3, 4}}};
  EXPECT_FLOAT_EQ(Length({3, 4}), 5);
  EXPECT_FLOAT_EQ(Area(quad), 25);
  EXPECT_FLOAT_EQ(Perimeter(quad), 20);
  const Polygon triangle = {{0, 0}, {0, 3}, {4, 0}};
  EXPECT_FLOAT_EQ(Area(triangle), 6);
  EXPECT_DOUBLE_EQ(Perimeter(triangle), 12);
  EXPECT_EQ(Area(Polygon()), 0);
  EXPECT_EQ(Perimeter(Polygon()), 0);
}

TEST(Simplify, PointsNearTheLine_AreDropped) {
  const Polygon box = {{0, 0},  {5, 0.4f}, {10, 0}, {10, 2},
                       {10, 6}, {4, 6},    {0, 6}};
  EXPECT_EQ(Simplify(box, 0.5), (Polygon{{0, 0}, {10, 0}, {10, 6}, {0, 6}}));
  EXPECT_EQ(Simplify(box, 0.1),
            (Polygon{{0, 0}, {5, 0.4f}, {10, 0}, {10, 6}, {0, 6}}));
}

TEST(Simplify, ToleranceOfZero_DropsOnlyWhatLiesOnALine) {
  const Polygon box = {{0, 0}, {5, 0}, {10, 0}, {10, 6}, {4, 6.01f}, {0, 6}};
  EXPECT_EQ(Simplify(box, 0),
            (Polygon{{0, 0}, {10, 0}, {10, 6}, {4, 6.01f}, {0, 6}}));
  EXPECT_EQ(Simplify(box, -1), box);
  EXPECT_EQ(Simplify(box, std::nan("")), box);
}

TEST(Simplify, TurningBack_IsKept) {
  // The spike lies on the line of its neighbors, but beyond them.
  const Polygon spike = {{0, 0}, {10, 0}, {14, 0}, {10, 0}, {10, 8}, {0, 8}};
  const Polygon out = Simplify(spike, 0.5);
  EXPECT_NE(std::find(out.begin(), out.end(), Point{14, 0}), out.end());
}

// Within a stretch, too: (15, 9) lies on the line through (20, 14) and (11, 9)
// all but exactly as the last stretch sees it, but beyond its end.
TEST(Simplify, PointsBeyondTheEndOfAStretch_AreKept) {
  const Polygon outline = {{15, 9}, {11, 9}, {3, 16}, {20, 14}, {4, 10}};
  const Polygon out = Simplify(outline, 1);
  EXPECT_NE(std::find(out.begin(), out.end(), Point{15, 9}), out.end());
}

TEST(Simplify, FewPoints_AreKept) {
  EXPECT_TRUE(Simplify({}, 1).empty());
  EXPECT_EQ(Simplify({{1, 1}, {1, 1}, {1, 1}}, 1), (Polygon{{1, 1}}));
  EXPECT_EQ(Simplify({{1, 1}, {1, 1}}, 1), (Polygon{{1, 1}, {1, 1}}));
  EXPECT_EQ(Simplify({{0, 0}, {5, 0.1f}, {9, 0}}, 1),
            (Polygon{{0, 0}, {9, 0}}));
  EXPECT_EQ(Simplify({{0, 0}, {5, 0}, {9, 0}, {5, 0}}, 1),
            (Polygon{{0, 0}, {9, 0}}));
}

TEST(Simplify, DroppedPoints_LieWithinTheTolerance) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const double tolerance = 0.1 + static_cast<double>(random() % 100) / 25;
    Polygon blob;
    for (int i = 0; i < 200; ++i) {
      const double a = 2 * std::numbers::pi * i / 200;
      const double r = 50 + 10 * std::sin(3 * a) + (random() % 100) / 50.0;
      blob.push_back({static_cast<float>(r * std::cos(a)),
                      static_cast<float>(r * std::sin(a))});
    }
    // Every other outline crosses itself, which may need all of its points.
    const bool crosses = round % 2 == 1;
    if (crosses) {
      for (Point& p : blob) {
        p = {static_cast<float>(random() % 100),
             static_cast<float>(random() % 3)};
      }
    }
    const Polygon out = Simplify(blob, tolerance);
    EXPECT_LT(out.size(), blob.size() + crosses);
    for (const Point& p : blob) {
      double nearest = 1e9;
      for (size_t i = 0; i < out.size(); ++i) {
        const Point a = out[i], b = out[(i + 1) % out.size()];
        const double dx = b.x - a.x, dy = b.y - a.y;
        const double t = std::clamp(
            ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0,
            1.0);
        nearest = std::min(nearest,
                           std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy));
      }
      ASSERT_LE(nearest, tolerance + 1e-4);  // Coordinates are float.
    }
  }
}

}  // namespace
}  // namespace munja::geometry
