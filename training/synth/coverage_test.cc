#include "synth/coverage.h"

#include <gtest/gtest.h>

#include <cmath>

namespace munja::train {
namespace {

// Sum of the covered parts of all pixels.
double AreaOf(const Coverage& coverage) {
  double sum = 0;
  for (uint8_t v : coverage.values) sum += v / 255.0;
  return sum;
}

Coverage Of(const Path& path, int width = 100, int height = 80) {
  CoverageBuilder builder(width, height);
  builder.Add(path, PageMap());
  return builder.Take();
}

int At(const Coverage& c, int x, int y) {
  x -= c.left;
  y -= c.top;
  return x >= 0 && y >= 0 && x < c.width && y < c.height ? c.row(y)[x] : 0;
}

TEST(Coverage, PartsOfPixels_AreExact) {
  Path path;
  path.AddBox({10.25f, 20.5f, 13.75f, 22.0f});
  const Coverage c = Of(path);
  // Levels are rounded: one of 255.
  EXPECT_NEAR(At(c, 10, 20), 255 * 0.75 * 0.5, 1);
  EXPECT_NEAR(At(c, 11, 20), 255 * 0.5, 1);
  EXPECT_NEAR(At(c, 13, 21), 255 * 0.75, 1);
  EXPECT_EQ(At(c, 11, 21), 255);
  EXPECT_EQ(At(c, 14, 21), 0);
  EXPECT_EQ(At(c, 9, 21), 0);
}

TEST(Coverage, SlantedEdges_KeepTheArea) {
  Path path;
  const Point corners[] = {{5.3f, 60.1f}, {40.7f, 3.2f}, {90.9f, 33.3f}};
  path.AddPolygon(corners);
  const double area = 0.5 * std::abs((40.7 - 5.3) * (33.3 - 60.1) -
                                     (90.9 - 5.3) * (3.2 - 60.1));
  // Each of about 250 edge pixels is rounded by at most half a level.
  EXPECT_NEAR(AreaOf(Of(path)), area, 0.5);
}

TEST(Coverage, CurvesAndHoles_KeepTheArea) {
  Path ring;
  ring.AddEllipse({50, 40}, 30, 20);
  ring.AddEllipse({50, 40}, 15, 10, true);
  const double area = 3.14159265 * (30 * 20 - 15 * 10);
  // Chords stand for arcs: a little is cut off.
  EXPECT_NEAR(AreaOf(Of(ring)), area, 0.01 * area);
  EXPECT_EQ(At(Of(ring), 50, 40), 0);
}

TEST(Coverage, Overlap_IsFilledOnce) {
  Path path;
  path.AddBox({10, 10, 30, 30});
  path.AddBox({20, 20, 40, 40});
  EXPECT_NEAR(AreaOf(Of(path)), 2 * 400 - 100, 1e-6);
}

TEST(Coverage, Outside_IsCut) {
  Path path;
  path.AddBox({-500, 70, 1e6f, 500});
  EXPECT_NEAR(AreaOf(Of(path)), 100 * 10, 1e-6);
  Path away;
  away.AddBox({200, 10, 300, 20});
  EXPECT_NEAR(AreaOf(Of(away)), 0, 1e-6);
}

TEST(Coverage, StraightLines_BendWithThePaper) {
  PageMap map;
  map.Bend(100, 20, false);
  Path path;
  path.AddBox({0, 20, 100, 30});
  CoverageBuilder builder(100, 80);
  builder.Add(path, map);
  const Coverage c = builder.Take();
  // In the middle the paper is 20 lower; at the left end it is where it was.
  // Both edges follow, also the one that closes the outline.
  EXPECT_EQ(At(c, 50, 45), 255);
  EXPECT_EQ(At(c, 50, 37), 0);
  EXPECT_EQ(At(c, 50, 52), 0);
  EXPECT_EQ(At(c, 1, 24), 255);
  EXPECT_NEAR(AreaOf(c), 1000, 10);
}

}  // namespace
}  // namespace munja::train
