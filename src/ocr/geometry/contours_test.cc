#include "geometry/contours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace munja::geometry {
namespace {

// A bitmap drawn in text: "#" is set.
struct Bitmap {
  explicit Bitmap(const std::vector<std::string>& rows)
      : width(static_cast<int>(rows[0].size())),
        height(static_cast<int>(rows.size())) {
    for (const std::string& row : rows)
      for (const char c : row) pixels.push_back(c == '#' ? 255 : 0);
  }
  Bitmap(int w, int h)
      : width(w), height(h), pixels(static_cast<size_t>(w) * h) {}
  bool at(int x, int y) const {
    return x >= 0 && y >= 0 && x < width && y < height &&
           pixels[static_cast<size_t>(y) * width + x] != 0;
  }
  Contours Find(size_t most = 1000000) const {
    auto contours = FindContours(pixels.data(), width, height,
                                 static_cast<size_t>(width), most);
    EXPECT_TRUE(contours.ok());
    return std::move(contours).value();
  }
  int width, height;
  std::vector<uint8_t> pixels;
};

TEST(Contours, EmptyBitmap_HasNone) {
  EXPECT_TRUE(Bitmap(40, 30).Find().empty());
  EXPECT_TRUE(FindContours(nullptr, 0, 5, 0, 10)->empty());
}

TEST(Contours, OnePixel_IsAContour) {
  EXPECT_EQ(Bitmap({"...", ".#.", "..."}).Find(), (Contours{{{1, 1}}}));
  EXPECT_EQ(Bitmap({"#"}).Find(), (Contours{{{0, 0}}}));
}

TEST(Contours, Rectangle_IsItsCorners) {
  // From the upper left corner down, as OpenCV lists it.
  EXPECT_EQ(Bitmap({"......", ".####.", ".####.", ".####.", "......"}).Find(),
            (Contours{{{1, 1}, {1, 3}, {4, 3}, {4, 1}}}));
}

TEST(Contours, StraightRuns_KeepTheirEnds) {
  EXPECT_EQ(Bitmap({"#####"}).Find(), (Contours{{{0, 0}, {4, 0}}}));
  EXPECT_EQ(Bitmap({"#...", ".#..", "..#.", "...#"}).Find(),
            (Contours{{{0, 0}, {3, 3}}}));
}

TEST(Contours, Hole_HasABorderOfItsOwn) {
  // The diamond around the hole: its pixels that touch the hole's sides.
  EXPECT_EQ(Bitmap({"####", "#..#", "####"}).Find(),
            (Contours{{{0, 0}, {0, 2}, {3, 2}, {3, 0}},
                      {{0, 1}, {1, 0}, {2, 0}, {3, 1}, {2, 2}, {1, 2}}}));
}

TEST(Contours, DiagonalNeighbors_AreOneComponent) {
  EXPECT_EQ(Bitmap({"#.", ".#"}).Find().size(), 1u);
  EXPECT_EQ(Bitmap({"#..", "..#"}).Find().size(), 2u);
}

TEST(Contours, Contours_AreInRowOrderUpToTheLimit) {
  const Bitmap bitmap({"...#", "#...", "..#."});
  EXPECT_EQ(bitmap.Find(), (Contours{{{3, 0}}, {{0, 1}}, {{2, 2}}}));
  EXPECT_EQ(bitmap.Find(2), (Contours{{{3, 0}}, {{0, 1}}}));
  EXPECT_TRUE(bitmap.Find(0).empty());
}

TEST(Contours, Stride_MayExceedTheWidth) {
  const uint8_t pixels[] = {1, 1, 9, 9, 0, 1, 9, 9};
  const auto contours = FindContours(pixels, 2, 2, 4, 10);
  ASSERT_TRUE(contours.ok());
  EXPECT_EQ(*contours, (Contours{{{0, 0}, {1, 1}, {1, 0}}}));
}

TEST(Contours, WidestRow_IsFollowed) {
  Bitmap bitmap(65535, 2);
  bitmap.pixels[65534] = bitmap.pixels[2 * 65535 - 1] = 1;
  EXPECT_EQ(bitmap.Find(), (Contours{{{65534, 0}, {65534, 1}}}));
}

// Components by flood fill: 8-connected set ones, 4-connected clear ones of
// which the one around the bitmap is no hole.
int CountBorders(const Bitmap& bitmap) {
  const int w = bitmap.width + 2, h = bitmap.height + 2;
  std::vector<bool> seen(static_cast<size_t>(w) * h);
  int components = 0;
  for (int start = 0; start < w * h; ++start) {
    if (seen[start]) continue;
    ++components;
    const bool set = bitmap.at(start % w - 1, start / w - 1);
    std::vector<int> open = {start};
    seen[start] = true;
    while (!open.empty()) {
      const int x = open.back() % w, y = open.back() / w;
      open.pop_back();
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (!set && dx != 0 && dy != 0) continue;
          const int nx = x + dx, ny = y + dy;
          if (nx < 0 || ny < 0 || nx >= w || ny >= h) continue;
          if (seen[ny * w + nx] || bitmap.at(nx - 1, ny - 1) != set) continue;
          seen[ny * w + nx] = true;
          open.push_back(ny * w + nx);
        }
      }
    }
  }
  return components - 1;
}

TEST(Contours, ComponentsAndHoles_HaveOneContourEach) {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    Bitmap bitmap(1 + random() % 40, 1 + random() % 30);
    const unsigned density = 1 + random() % 9;
    for (uint8_t& pixel : bitmap.pixels) pixel = random() % 10 < density;
    const Contours contours = bitmap.Find();
    ASSERT_EQ(static_cast<int>(contours.size()), CountBorders(bitmap));
    std::set<std::pair<int, int>> followed, border;
    for (const auto& contour : contours) {
      for (size_t i = 0; i < contour.size(); ++i) {
        const PixelPoint p = contour[i], q = contour[(i + 1) % contour.size()];
        ASSERT_TRUE(bitmap.at(p.x, p.y));
        // On a border one of the four neighbors is outside.
        ASSERT_FALSE(bitmap.at(p.x - 1, p.y) && bitmap.at(p.x + 1, p.y) &&
                     bitmap.at(p.x, p.y - 1) && bitmap.at(p.x, p.y + 1));
        // Between two points it runs in one of eight directions.
        const int dx = std::abs(p.x - q.x), dy = std::abs(p.y - q.y);
        ASSERT_TRUE(dx == 0 || dy == 0 || dx == dy);
        const int steps = std::max(dx, dy);
        for (int k = 0; k <= steps && steps > 0; ++k)
          followed.emplace(p.x + k * (q.x - p.x) / steps,
                           p.y + k * (q.y - p.y) / steps);
        followed.emplace(p.x, p.y);
        // It is listed because the direction changes there.
        const PixelPoint r = contour[(i + 2) % contour.size()];
        if (contour.size() > 2) {
          ASSERT_FALSE((q.x - p.x) * (r.y - q.y) == (q.y - p.y) * (r.x - q.x) &&
                       (q.x - p.x) * (r.x - q.x) >= 0 &&
                       (q.y - p.y) * (r.y - q.y) >= 0);
        }
      }
    }
    // All borders are followed, to their last pixel, and nothing else.
    for (int y = 0; y < bitmap.height; ++y) {
      for (int x = 0; x < bitmap.width; ++x) {
        if (bitmap.at(x, y) && !(bitmap.at(x - 1, y) && bitmap.at(x + 1, y) &&
                                 bitmap.at(x, y - 1) && bitmap.at(x, y + 1)))
          border.emplace(x, y);
      }
    }
    ASSERT_EQ(followed, border);
  }
}

}  // namespace
}  // namespace munja::geometry
