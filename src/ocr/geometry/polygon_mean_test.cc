#include "geometry/polygon_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "geometry/fill.h"

namespace munja::geometry {
namespace {

std::vector<std::string> Drawn(const std::vector<PixelPoint>& polygon,
                               int width, int height) {
  std::vector<std::string> rows(height, std::string(width, '.'));
  for (const PixelSpan& span : FillPolygon(polygon, width, height))
    for (int x = span.begin; x < span.end; ++x) rows[span.y][x] = '#';
  return rows;
}

TEST(FillPolygon, Outline_IsFilled) {
  EXPECT_EQ(Drawn({{1, 1}, {4, 1}, {4, 2}, {1, 2}}, 6, 4),
            (std::vector<std::string>{"......", ".####.", ".####.", "......"}));
  EXPECT_EQ(Drawn({{2, 1}}, 4, 3),
            (std::vector<std::string>{"....", "..#.", "...."}));
  EXPECT_TRUE(FillPolygon({}, 4, 4).empty());
}

// The expected pixels are from cv2.fillPoly of OpenCV 4.6.
TEST(FillPolygon, Pixels_EqualThoseOfOpenCv) {
  EXPECT_EQ(Drawn({{6, 1}, {15, 0}, {12, 6}}, 17, 8),
            (std::vector<std::string>{
                "...........#####.", "......#########..", ".......########..",
                "........######...", "..........####...", "...........##....",
                "............#....", "................."}));
  EXPECT_EQ(Drawn({{9, 7}, {10, 7}, {15, 1}}, 17, 8),
            (std::vector<std::string>{
                ".................", "...............#.", "..............#..",
                ".............#...", "............#....", "...........##....",
                "..........##.....", ".........##......"}));
}

TEST(FillPolygon, Fill_IsEvenOddAndClipped) {
  // A bow tie, of which the image shows the lower half, as OpenCV draws it.
  EXPECT_EQ(
      Drawn({{0, -4}, {6, -4}, {0, 4}, {6, 4}}, 7, 4),
      (std::vector<std::string>{"...#...", "..###..", ".####..", ".#####."}));
  EXPECT_TRUE(
      FillPolygon(std::vector<PixelPoint>{{-9, -9}, {-5, -9}, {-5, -5}}, 4, 4)
          .empty());
}

// A slow drawing of a convex polygon's inside: pixels whose center is not
// outside of any edge. FillPolygon adds the pixels of the outline, whose
// centers lie up to half a pixel outside.
TEST(FillPolygon, ConvexPolygons_CoverTheirInsideAndLittleMore) {
  std::mt19937 random(8);
  for (int round = 0; round < 500; ++round) {
    std::vector<PixelPoint> p;
    for (int i = 0; i < 3; ++i)
      p.push_back(
          {static_cast<int>(random() % 50), static_cast<int>(random() % 40)});
    const int turn = (p[1].x - p[0].x) * (p[2].y - p[0].y) -
                     (p[1].y - p[0].y) * (p[2].x - p[0].x);
    if (turn == 0) continue;
    if (turn < 0) std::swap(p[1], p[2]);
    const std::vector<std::string> drawn = Drawn(p, 50, 40);
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 50; ++x) {
        double outside = -1e9;  // Distance from the farthest edge.
        for (int i = 0; i < 3; ++i) {
          const PixelPoint a = p[i], b = p[(i + 1) % 3];
          const double dx = b.x - a.x, dy = b.y - a.y;
          outside = std::max(outside, (dy * (x - a.x) - dx * (y - a.y)) /
                                          std::max(std::abs(dx), std::abs(dy)));
        }
        if (drawn[y][x] == '#') {
          ASSERT_LE(outside, 0.5) << x << ' ' << y;
        } else {
          ASSERT_GT(outside, -1e-3) << x << ' ' << y;
        }
      }
    }
  }
}

TEST(PolygonMean, Box_HasItsMean) {
  // Columns 0..9 hold their own number.
  std::vector<float> map;
  for (int i = 0; i < 60; ++i) map.push_back(static_cast<float>(i % 10));
  // Corners are cut off: columns 2 to 5.
  EXPECT_FLOAT_EQ(PolygonMean(map.data(), 10, 6,
                              {{2.9f, 1}, {5.9f, 1}, {5.9f, 4}, {2.9f, 4}}),
                  3.5f);
  EXPECT_FLOAT_EQ(
      PolygonMean(map.data(), 10, 6, {{7, 1}, {20, 1}, {20, 9}, {7, 9}}), 8);
  EXPECT_FLOAT_EQ(PolygonMean(map.data(), 10, 6, {{3, 3}}), 3);
}

TEST(PolygonMean, PolygonOutside_HasMeanZero) {
  const std::vector<float> map(60, 1.0f);
  EXPECT_EQ(PolygonMean(map.data(), 10, 6, {}), 0);
  EXPECT_EQ(PolygonMean(map.data(), 10, 6, {{20, 1}, {30, 1}, {30, 4}}), 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(PolygonMean(map.data(), 10, 6, {{1, 1}, {nan, 1}, {3, 4}}), 0);
  EXPECT_EQ(PolygonMean(map.data(), 10, 6, {{1, 1}, {3e9f, 1}, {3, 4}}), 0);
}

TEST(PolygonMean, Mean_EqualsThatOfTheFilledPixels) {
  std::mt19937 random(6);
  std::uniform_real_distribution<float> x(0, 59), y(0, 39), value(0, 1);
  std::vector<float> map(60 * 40);
  for (float& v : map) v = value(random);
  for (int round = 0; round < 300; ++round) {
    Polygon polygon(3 + random() % 4);
    std::vector<PixelPoint> corners;
    for (Point& p : polygon) {
      p = {x(random), y(random)};
      corners.push_back({static_cast<int>(p.x), static_cast<int>(p.y)});
    }
    double sum = 0, count = 0;
    for (const PixelSpan& span : FillPolygon(corners, 60, 40)) {
      for (int i = span.begin; i < span.end; ++i, ++count)
        sum += map[span.y * 60 + i];
    }
    ASSERT_NEAR(PolygonMean(map.data(), 60, 40, polygon), sum / count, 1e-6);
  }
}

}  // namespace
}  // namespace munja::geometry
