#include "synth/page_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "image/homography.h"

namespace munja::train {
namespace {

TEST(PageMap, Corners_ComeToLieOnCorners) {
  const std::array<Point, 4> corners = {Point{10, 20}, Point{300, 5},
                                        Point{280, 260}, Point{30, 200}};
  const PageMap map(400, 300, corners);
  const Point page[] = {{0, 0}, {400, 0}, {400, 300}, {0, 300}};
  for (size_t i = 0; i < 4; ++i) {
    // Single precision, coordinates of hundreds.
    EXPECT_NEAR(map(page[i]).x, corners[i].x, 1e-3);
    EXPECT_NEAR(map(page[i]).y, corners[i].y, 1e-3);
  }
}

// The map that straightens what was seen in perspective is computed elsewhere,
// in double precision.
TEST(PageMap, Map_AgreesWithTheHomographyThatStraightens) {
  const std::array<Point, 4> corners = {Point{10, 20}, Point{300, 5},
                                        Point{280, 260}, Point{30, 200}};
  const PageMap map(400, 300, corners);
  const auto h = image::QuadToRectangle(
      {{{10, 20}, {300, 5}, {280, 260}, {30, 200}}}, 400, 300);
  ASSERT_TRUE(h.ok());
  for (float y = 0; y <= 300; y += 37) {
    for (float x = 0; x <= 400; x += 41) {
      const std::array<double, 9>& m = h->m;
      const double w = m[6] * x + m[7] * y + m[8];
      EXPECT_NEAR(map({x, y}).x, (m[0] * x + m[1] * y + m[2]) / w, 2e-3);
      EXPECT_NEAR(map({x, y}).y, (m[3] * x + m[4] * y + m[5]) / w, 2e-3);
    }
  }
}

TEST(PageMap, Scale_IsTheRootOfTheArea) {
  const PageMap map(
      100, 50, {Point{0, 0}, Point{300, 0}, Point{300, 150}, Point{0, 150}});
  EXPECT_NEAR(map.ScaleAt({20, 20}), 3, 1e-3);
}

TEST(Placement, CurvedBaselines_KeepTheirRadiusAndLength) {
  for (const float curvature : {0.01f, -0.02f}) {
    const Placement place = Placement::Rotated({200, 100}, 0.3f, curvature);
    const float radius = 1 / curvature;
    const Point center = place.origin + place.down * radius;
    float length = 0;
    for (int x = 0; x < 100; ++x) {
      const Point p = place({static_cast<float>(x), 0}),
                  next = place({static_cast<float>(x + 1), 0});
      EXPECT_NEAR(geometry::Length(p - center), std::abs(radius), 1e-2);
      length += geometry::Length(next - p);
      // A point above the baseline (y < 0) is farther from the center of a
      // rainbow and nearer to that of a bowl.
      EXPECT_NEAR(
          geometry::Length(place({static_cast<float>(x), -10}) - center),
          std::abs(radius + 10), 1e-2);
    }
    EXPECT_NEAR(length, 100, 0.1);
  }
}

}  // namespace
}  // namespace munja::train
