#include "geometry/min_area_rect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "geometry/convex_hull.h"

namespace munja::geometry {
namespace {

TEST(ConvexHull, InnerPoints_AreLeftOut) {
  const Polygon hull = ConvexHull(
      Polygon{{2, 2}, {0, 0}, {4, 0}, {2, 0}, {4, 4}, {0, 4}, {0, 0}});
  // Clockwise on the screen from the upper left.
  EXPECT_EQ(hull, (Polygon{{0, 0}, {4, 0}, {4, 4}, {0, 4}}));
}

TEST(ConvexHull, FewPoints_AreTheirOwnHull) {
  EXPECT_TRUE(ConvexHull({}).empty());
  EXPECT_EQ(ConvexHull(Polygon{{1, 2}, {1, 2}}).size(), 1u);
  EXPECT_EQ(ConvexHull(Polygon{{0, 0}, {2, 2}, {1, 1}}),
            (Polygon{{0, 0}, {2, 2}}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(ConvexHull(Polygon{{nan, 0}}).empty());
}

TEST(MinAreaRect, UprightBox_IsFound) {
  const RotatedRect rect =
      MinAreaRect(Polygon{{10, 5}, {30, 5}, {30, 9}, {10, 9}, {20, 7}});
  EXPECT_FLOAT_EQ(rect.width * rect.height, 80);
  EXPECT_EQ(OrderedQuad(rect), (Quad{{{10, 5}, {30, 5}, {30, 9}, {10, 9}}}));
}

TEST(MinAreaRect, TurnedBox_IsFound) {
  // A rectangle of 5 x 10 whose long side rises by 3 on 4.
  const RotatedRect rect =
      MinAreaRect(Polygon{{0, 0}, {8, -6}, {11, -2}, {3, 4}});
  EXPECT_NEAR(std::max(rect.width, rect.height), 10, 1e-5);
  EXPECT_NEAR(std::min(rect.width, rect.height), 5, 1e-5);
  const Quad q = OrderedQuad(rect);
  const Quad want = {{{0, 0}, {8, -6}, {11, -2}, {3, 4}}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(q[i].x, want[i].x, 1e-5);
    EXPECT_NEAR(q[i].y, want[i].y, 1e-5);
  }
}

// Turned to either side, both ends change places together.
TEST(MinAreaRect, BoxesTurnedToEitherSide_KeepTheirCorners) {
  for (const Quad& want : {Quad{{{0, 0}, {8, -6}, {11, -2}, {3, 4}}},
                           Quad{{{3, 0}, {11, 6}, {8, 10}, {0, 4}}}}) {
    const Quad q = OrderedQuad(MinAreaRect(want));
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(q[i].x, want[i].x, 1e-5) << i;
      EXPECT_NEAR(q[i].y, want[i].y, 1e-5) << i;
    }
  }
}

TEST(MinAreaRect, FewPoints_HaveARect) {
  EXPECT_EQ(MinAreaRect({}).width, 0);
  const RotatedRect point = MinAreaRect(Polygon{{3, 4}});
  EXPECT_EQ(point.corners[2], (Point{3, 4}));
  EXPECT_EQ(point.width, 0);
  const RotatedRect line = MinAreaRect(Polygon{{0, 0}, {3, 4}, {6, 8}});
  EXPECT_FLOAT_EQ(std::max(line.width, line.height), 10);
  EXPECT_NEAR(std::min(line.width, line.height), 0, 1e-6);
}

// A diamond, two long from corner to corner, is a square of half that area
// when the rectangle may turn.
TEST(RectAtAngle, Sides_LieAtTheAngle) {
  const Polygon diamond = {{1, 0}, {2, 1}, {1, 2}, {0, 1}};
  const RotatedRect upright = RectAtAngle(diamond, 0);
  EXPECT_FLOAT_EQ(upright.width, 2);
  EXPECT_FLOAT_EQ(upright.height, 2);
  EXPECT_EQ(upright.corners[0], (Point{0, 0}));
  EXPECT_EQ(upright.corners[2], (Point{2, 2}));
  const RotatedRect turned =
      RectAtAngle(diamond, std::numbers::pi_v<float> / 4);
  EXPECT_FLOAT_EQ(turned.width, std::numbers::sqrt2_v<float>);
  EXPECT_FLOAT_EQ(turned.height, std::numbers::sqrt2_v<float>);
  EXPECT_EQ(RectAtAngle({}, 1).width, 0);
  EXPECT_EQ(RectAtAngle({}, 1).angle, 1);
}

// A rectangle given by its sides and angle, with points along its outline,
// comes back corner by corner; the angle is not reduced to half a turn.
TEST(RectAtAngle, PointsOfARectangle_GiveItBack) {
  for (int step = -12; step <= 12; ++step) {
    const double angle = step * std::numbers::pi / 12;
    const double c = std::cos(angle), s = std::sin(angle);
    const auto at = [&](double u, double v) {
      return Point{static_cast<float>(40 + u * c - v * s),
                   static_cast<float>(-7 + u * s + v * c)};
    };
    const Polygon points = {at(30, 4), at(0, 9), at(12, 0),
                            at(7, 12), at(5, 5), at(0, 2)};
    const RotatedRect rect = RectAtAngle(points, static_cast<float>(angle));
    EXPECT_FLOAT_EQ(rect.angle, static_cast<float>(angle));
    EXPECT_NEAR(rect.width, 30, 1e-4);
    EXPECT_NEAR(rect.height, 12, 1e-4);
    const Point want[4] = {at(0, 0), at(30, 0), at(30, 12), at(0, 12)};
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(rect.corners[i].x, want[i].x, 1e-4) << step << ' ' << i;
      EXPECT_NEAR(rect.corners[i].y, want[i].y, 1e-4) << step << ' ' << i;
    }
  }
}

TEST(MinAreaRect, Corners_BeginAtTheTopLeft) {
  RotatedRect rect;
  const Quad want = {{{0, 0}, {9, 1}, {9, 3}, {0, 2}}};
  Quad corners = want;
  for (int turn = 0; turn < 4; ++turn) {
    std::rotate(corners.begin(), corners.begin() + 1, corners.end());
    rect.corners = corners;
    EXPECT_EQ(OrderedQuad(rect), want);
  }
}

// The least area over all directions of edges, each by a look at all points.
double LeastArea(const Polygon& points) {
  double least = std::numeric_limits<double>::infinity();
  const Polygon hull = ConvexHull(points);
  for (size_t i = 0; i < hull.size(); ++i) {
    const Point a = hull[i], b = hull[(i + 1) % hull.size()];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
    double u0 = 1e30, u1 = -1e30, v0 = 1e30, v1 = -1e30;
    for (const Point& p : points) {
      u0 = std::min(u0, ux * p.x + uy * p.y);
      u1 = std::max(u1, ux * p.x + uy * p.y);
      v0 = std::min(v0, ux * p.y - uy * p.x);
      v1 = std::max(v1, ux * p.y - uy * p.x);
    }
    least = std::min(least, (u1 - u0) * (v1 - v0));
  }
  return least;
}

TEST(MinAreaRect, Area_IsLeastOfAllEdges) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    Polygon points(3 + random() % 40);
    const bool on_grid = round % 2 == 0;
    for (Point& p : points) {
      p.x = static_cast<float>(random() % 100);
      p.y = static_cast<float>(random() % 30);
      if (!on_grid) {
        p.x += static_cast<float>(random() % 1000) / 1000;
        p.y += static_cast<float>(random() % 1000) / 1000;
      }
    }
    if (ConvexHull(points).size() < 3) continue;
    const RotatedRect rect = MinAreaRect(points);
    const double least = LeastArea(points);
    // Sides are rounded to float: 1e-6 of the area, which is below 3100.
    ASSERT_NEAR(static_cast<double>(rect.width) * rect.height, least, 4e-3);
    // All points lie inside, to rounding of corners below 128.
    const double ux = std::cos(rect.angle), uy = std::sin(rect.angle);
    for (const Point& p : points) {
      const double dx = p.x - rect.corners[0].x, dy = p.y - rect.corners[0].y;
      ASSERT_GE(dx * ux + dy * uy, -1e-3);
      ASSERT_LE(dx * ux + dy * uy, rect.width + 1e-3);
      ASSERT_GE(dy * ux - dx * uy, -1e-3);
      ASSERT_LE(dy * ux - dx * uy, rect.height + 1e-3);
    }
  }
}

TEST(ConvexHull, NonFinitePoints_AreLeftOut) {
  const Polygon box = {{0, 0}, {4, 0}, {4, 4}, {0, 4}};
  const float nan = std::nanf(""), inf = HUGE_VALF;
  for (const Point bad : {Point{nan, 1}, Point{1, nan}, Point{inf, 1},
                          Point{1, inf}, Point{1, -inf}}) {
    Polygon points = box;
    points.push_back(bad);
    EXPECT_EQ(ConvexHull(points), ConvexHull(box)) << bad.x << ", " << bad.y;
  }
}

}  // namespace
}  // namespace munja::geometry
