#include "geometry/iou.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace munja::geometry {
namespace {

using Corners = std::vector<PointD>;

Corners Box(double x, double y, double w, double h) {
  return {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
}

TEST(IntersectionOverUnion, Boxes_Overlap) {
  EXPECT_DOUBLE_EQ(IntersectionOverUnion(Box(0, 0, 4, 2), Box(0, 0, 4, 2)), 1);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion(Box(0, 0, 4, 2), Box(2, 0, 4, 2)),
                   4.0 / 12);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion(Box(0, 0, 4, 4), Box(1, 1, 2, 2)),
                   4.0 / 16);
  EXPECT_EQ(IntersectionOverUnion(Box(0, 0, 4, 2), Box(4, 0, 4, 2)), 0);
  EXPECT_EQ(IntersectionOverUnion(Box(0, 0, 4, 2), Box(9, 9, 4, 2)), 0);
}

TEST(IntersectionOverUnion, TurnedSquare_Overlaps) {
  // Both have area 2; they share an octagon.
  const Corners diamond = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
  const double half = std::sqrt(2) / 2;
  const Corners square = Box(-half, -half, 2 * half, 2 * half);
  const double cut = (1 - half) * (1 - half);  // A tip beyond the square.
  const double shared = 2 - 4 * cut;
  EXPECT_NEAR(IntersectionOverUnion(diamond, square), shared / (4 - shared),
              1e-12);
}

TEST(IntersectionOverUnion, ConcaveQuads_UseTheirHulls) {
  // A hollow outline counts as full, the order of points does not matter.
  const Corners hollow = {{0, 0}, {10, 0}, {5, 3}, {10, 10}, {0, 10}};
  EXPECT_DOUBLE_EQ(IntersectionOverUnion(hollow, Box(0, 0, 10, 10)), 1);
  Corners shuffled = Box(0, 0, 4, 2);
  std::swap(shuffled[0], shuffled[1]);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion(shuffled, Box(0, 0, 4, 2)), 1);
}

TEST(IntersectionOverUnion, EmptyQuads_GiveZero) {
  EXPECT_EQ(IntersectionOverUnion(Corners{}, Box(0, 0, 1, 1)), 0);
  EXPECT_EQ(IntersectionOverUnion(Box(0, 0, 1, 1), Corners{{0, 0}, {1, 1}}), 0);
  EXPECT_EQ(IntersectionOverUnion(Box(0, 0, 5, 0), Box(0, 0, 5, 5)), 0);
}

// Boxes whose corners and areas are integers, and the same under a map that
// keeps ratios of areas.
TEST(IntersectionOverUnion, RandomParallelograms_MatchExactAreas) {
  std::mt19937 random(6);
  const auto any = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int round = 0; round < 1000; ++round) {
    const int x = any(0, 9), y = any(0, 9), w = any(1, 9), h = any(1, 9);
    const int u = any(0, 9), v = any(0, 9), a = any(1, 9), b = any(1, 9);
    const int both = std::max(0, std::min(x + w, u + a) - std::max(x, u)) *
                     std::max(0, std::min(y + h, v + b) - std::max(y, v));
    const double want = static_cast<double>(both) / (w * h + a * b - both);
    Corners p = Box(x, y, w, h), q = Box(u, v, a, b);
    EXPECT_NEAR(IntersectionOverUnion(p, q), want, 1e-12);
    const int m[4] = {any(-5, 5), any(-5, 5), any(-5, 5), any(-5, 5)};
    if (m[0] * m[3] == m[1] * m[2]) continue;
    for (Corners* corners : {&p, &q})
      for (PointD& c : *corners)
        c = {m[0] * c.x + m[1] * c.y, m[2] * c.x + m[3] * c.y};
    EXPECT_NEAR(IntersectionOverUnion(p, q), want, 1e-12);
  }
}

TEST(IntersectionOverUnion, RandomQuads_MatchCountsOnAGrid) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0, 20), angle(0, 3.14);
  const auto make = [&] {
    const double x = place(random), y = place(random), a = angle(random);
    const double w = 5 + place(random), h = 5 + place(random) / 4;
    const double c = std::cos(a), s = std::sin(a);
    return Corners{{x, y},
                   {x + w * c, y + w * s},
                   {x + w * c - h * s, y + w * s + h * c},
                   {x - h * s, y + h * c}};
  };
  const auto holds = [](const Corners& p, double x, double y) {
    for (size_t i = 0; i < 4; ++i) {
      const PointD a = p[i], b = p[(i + 1) % 4];
      if ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) < 0) return false;
    }
    return true;
  };
  for (int round = 0; round < 100; ++round) {
    const Corners p = make(), q = make();
    const double iou = IntersectionOverUnion(p, q);
    EXPECT_NEAR(iou, IntersectionOverUnion(q, p), 1e-12);
    double both = 0, any = 0;
    for (double y = -30; y < 60; y += 0.2) {
      for (double x = -30; x < 60; x += 0.2) {
        const bool in_p = holds(p, x, y), in_q = holds(q, x, y);
        both += in_p && in_q;
        any += in_p || in_q;
      }
    }
    // Each has 25 units of area or more, that is 625 samples.
    EXPECT_NEAR(iou, both / any, 0.03);
  }
}

}  // namespace
}  // namespace munja::geometry
