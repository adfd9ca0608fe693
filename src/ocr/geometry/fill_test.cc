#include "geometry/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace munja::geometry {
namespace {

using Pixels = std::vector<PixelPoint>;

double DistanceToOutline(const Pixels& polygon, double x, double y) {
  double least = INFINITY;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const PixelPoint a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double length = dx * dx + dy * dy;
    const double along =
        length == 0
            ? 0
            : std::clamp(((x - a.x) * dx + (y - a.y) * dy) / length, 0.0, 1.0);
    least =
        std::min(least, std::hypot(a.x + along * dx - x, a.y + along * dy - y));
  }
  return least;
}

// By the crossings of the outline with a line to the right.
bool IsInside(const Pixels& polygon, double x, double y) {
  bool is_inside = false;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const PixelPoint a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    if ((a.y > y) == (b.y > y)) continue;
    if (x < a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y)) is_inside = !is_inside;
  }
  return is_inside;
}

TEST(Fill, KnownPolygons_HaveTheirSpans) {
  const auto filled = [](const Pixels& polygon) {
    return FillPolygon(polygon, 10, 8);
  };
  using Spans = std::vector<PixelSpan>;
  EXPECT_EQ(filled({{2, 1}, {5, 1}, {5, 3}, {2, 3}}),
            (Spans{{1, 2, 6}, {2, 2, 6}, {3, 2, 6}}));
  // Polygons without area cover their outline.
  EXPECT_EQ(filled({{4, 4}}), (Spans{{4, 4, 5}}));
  EXPECT_EQ(filled({{1, 2}, {6, 2}}), (Spans{{2, 1, 7}}));
  EXPECT_EQ(filled({{3, 0}, {3, 2}}), (Spans{{0, 3, 4}, {1, 3, 4}, {2, 3, 4}}));
  EXPECT_EQ(filled({{0, 0}, {2, 2}}), (Spans{{0, 0, 1}, {1, 1, 2}, {2, 2, 3}}));
  // Parts outside of the image are cut off.
  EXPECT_EQ(filled({{-5, 6}, {20, 6}, {20, 20}, {-5, 20}}),
            (Spans{{6, 0, 10}, {7, 0, 10}}));
  EXPECT_EQ(filled({{20, 1}, {30, 1}, {30, 5}}), Spans());
  EXPECT_EQ(filled({{1, -9}, {5, -9}, {5, -2}}), Spans());
  EXPECT_EQ(filled({}), Spans());
}

TEST(Fill, RandomPolygons_CoverTheirInsideAndOutline) {
  constexpr int kWidth = 40, kHeight = 30;
  std::mt19937 random(5);
  std::uniform_int_distribution<int> place(-10, 50), corners(1, 7);
  for (int n = 0; n < 300; ++n) {
    Pixels polygon(static_cast<size_t>(corners(random)));
    for (PixelPoint& p : polygon) p = {place(random), place(random)};
    std::vector<int> covered(kWidth * kHeight);
    PixelSpan last = {-1, 0, 0};
    for (const PixelSpan& span : FillPolygon(polygon, kWidth, kHeight)) {
      ASSERT_TRUE(span.y >= 0 && span.y < kHeight && span.begin >= 0 &&
                  span.begin < span.end && span.end <= kWidth);
      // In order, and spans that meet are one.
      ASSERT_TRUE(span.y > last.y ||
                  (span.y == last.y && span.begin > last.end));
      for (int x = span.begin; x < span.end; ++x)
        covered[static_cast<size_t>(span.y * kWidth + x)] = 1;
      last = span;
    }
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const double distance = DistanceToOutline(polygon, x, y);
        const bool is_covered = covered[static_cast<size_t>(y * kWidth + x)];
        // A line of one pixel has its middle within half a pixel; crossings
        // are rounded to 2^-16 in each of at most 60 rows.
        if (distance > 0.01 && IsInside(polygon, x, y)) {
          EXPECT_TRUE(is_covered) << n << ": " << x << ' ' << y;
        } else if (is_covered) {
          EXPECT_LE(distance, 0.5 + 1e-9) << n << ": " << x << ' ' << y;
        }
      }
    }
    for (const PixelPoint& p : polygon) {
      if (p.x >= 0 && p.x < kWidth && p.y >= 0 && p.y < kHeight) {
        EXPECT_TRUE(covered[static_cast<size_t>(p.y * kWidth + p.x)]);
      }
    }
  }
}

}  // namespace
}  // namespace munja::geometry
