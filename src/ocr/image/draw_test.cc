#include "image/draw.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "image/testing.h"

namespace munja::image {
namespace {

using Points = std::vector<std::array<float, 2>>;

Image White(int width, int height) {
  Image image = std::move(Image::Create(width, height)).value();
  std::memset(image.row(0), 255, image.stride() * static_cast<size_t>(height));
  return image;
}

bool IsRed(const Image& image, int x, int y) {
  const uint8_t* const p = image.row(y) + 3 * x;
  return p[0] == 255 && p[1] == 0 && p[2] == 0;
}

TEST(DrawPolyline, Rectangle_IsOutlined) {
  Image image = White(20, 20);
  const Points box = {{4, 5}, {15, 5}, {15, 12}, {4, 12}};
  DrawPolyline(image, box, true, {.thickness = 1, .antialias = false});
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      const bool edge = ((x == 4 || x == 15) && y >= 5 && y <= 12) ||
                        ((y == 5 || y == 12) && x >= 4 && x <= 15);
      EXPECT_EQ(IsRed(image, x, y), edge) << x << "," << y;
    }
  }
}

TEST(DrawPolyline, OpenLine_StaysOpen) {
  Image image = White(20, 20);
  DrawPolyline(image, Points{{2, 2}, {17, 2}, {17, 17}}, false, {});
  EXPECT_TRUE(IsRed(image, 10, 2));
  EXPECT_TRUE(IsRed(image, 17, 10));
  EXPECT_FALSE(IsRed(image, 9, 9));
}

// Mixed colors are where a line is smoothed, and nowhere else.
TEST(DrawPolyline, SmoothStyle_IsAntialiased) {
  for (const bool antialias : {true, false}) {
    Image image = White(20, 20);
    DrawPolyline(image, Points{{2, 3}, {17, 9}}, false,
                 {.thickness = 2, .antialias = antialias});
    int mixed = 0;
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 20; ++x)
        mixed += image.row(y)[3 * x + 1] != 0 && image.row(y)[3 * x + 1] != 255;
    EXPECT_EQ(mixed > 0, antialias);
  }
}

TEST(DrawPolyline, Line_IsClipped) {
  const float inf = std::numeric_limits<float>::infinity();
  Image image = White(16, 16);
  DrawPolyline(image, Points{{-3e9f, 8}, {3e9f, 8}}, false, {.thickness = 3});
  for (int x = 0; x < 16; ++x) EXPECT_TRUE(IsRed(image, x, 8)) << x;
  EXPECT_FALSE(IsRed(image, 8, 12));
  Image untouched = White(16, 16);
  DrawPolyline(untouched, Points{{inf, 8}, {0, inf}}, true, {});
  DrawPolyline(untouched, Points{{100, 100}, {200, 150}}, true, {});
  DrawPolyline(untouched, {}, true, {});
  EXPECT_EQ(test_pictures::LargestDifference(untouched, White(16, 16)), 0);
}

TEST(DrawPolyline, SlantedLines_AreAntialiased) {
  Image image = White(30, 30);
  DrawPolyline(image, Points{{3, 4}, {26, 19}}, false, {});
  bool between = false;
  for (int i = 0; i < 30 * 30; ++i) {
    const uint8_t green = image.row(0)[3 * i + 1];
    between = between || (green > 20 && green < 235);
  }
  EXPECT_TRUE(between);
}

}  // namespace
}  // namespace munja::image
