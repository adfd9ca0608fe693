#include "reading/read/cropper.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace munja::ocr {
namespace {

using Color = std::array<int, 3>;

// A page whose color tells the position: red grows with x, green with y.
image::Image Page(int width, int height) {
  auto page = image::Image::Create(width, height);
  EXPECT_TRUE(page.ok());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      uint8_t* p = page->row(y) + 3 * x;
      p[0] = static_cast<uint8_t>(x);
      p[1] = static_cast<uint8_t>(y);
      p[2] = 7;
    }
  }
  return std::move(page).value();
}

Color At(const image::Image& image, int x, int y) {
  const uint8_t* p = image.row(y) + 3 * x;
  return {p[0], p[1], p[2]};
}

// Edge pixels are half a pixel inside, and one level is lost by rounding in
// each of two interpolations.
void ExpectNear(const Color& got, double x, double y, double slack) {
  EXPECT_NEAR(got[0], x, slack);
  EXPECT_NEAR(got[1], y, slack);
}

TEST(CutLine, AnUprightBox_IsCutOut) {
  const image::Image page = Page(250, 200);
  const geometry::Quad quad = {{{20, 40}, {220, 40}, {220, 88}, {20, 88}}};
  const auto line = CutLine(page.view(), quad, RecognizerConfig());
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->pixels.height(), 48);
  EXPECT_EQ(line->pixels.width(), 200);
  EXPECT_EQ(line->polygon, quad);
  ExpectNear(At(line->pixels, 0, 0), 20, 40, 2);
  ExpectNear(At(line->pixels, 199, 47), 219, 87, 2);
}

// A crop that is at least 1.5 times taller than wide is turned by 90 degrees
// counter-clockwise: what was on its right is now on top.
TEST(CutLine, ATallBox_IsTurnedCounterClockwise) {
  const image::Image page = Page(120, 250);
  const geometry::Quad quad = {{{30, 20}, {78, 20}, {78, 220}, {30, 220}}};
  const auto line = CutLine(page.view(), quad, RecognizerConfig());
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->pixels.height(), 48);
  EXPECT_EQ(line->pixels.width(), 200);
  ExpectNear(At(line->pixels, 0, 0), 77, 20, 2);      // top right
  ExpectNear(At(line->pixels, 199, 47), 30, 219, 2);  // bottom left
  // The text starts at the page's top right corner of the box.
  EXPECT_EQ(line->polygon[0], quad[1]);
  EXPECT_EQ(line->polygon[1], quad[2]);
  EXPECT_TRUE(IsVertical(quad, RecognizerConfig()));
}

TEST(CutLine, JustBelowTheTallRatio_Stays) {
  const image::Image page = Page(120, 250);
  const geometry::Quad quad = {{{30, 20}, {70, 20}, {70, 79}, {30, 79}}};
  const auto line = CutLine(page.view(), quad, RecognizerConfig());
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->polygon, quad);
  EXPECT_FALSE(IsVertical(quad, RecognizerConfig()));
}

TEST(CutLine, ATiltedBox_IsStraightened) {
  const image::Image page = Page(250, 250);
  const double a = 20 * M_PI / 180, c = std::cos(a), s = std::sin(a);
  const auto at = [&](double u, double v) {
    return geometry::Point{static_cast<float>(40 + u * c - v * s),
                           static_cast<float>(60 + u * s + v * c)};
  };
  const geometry::Quad quad = {{at(0, 0), at(180, 0), at(180, 40), at(0, 40)}};
  const auto line = CutLine(page.view(), quad, RecognizerConfig());
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->pixels.width(), 216);  // 48 * 180 / 40
  const geometry::Point middle = at(90, 20);
  ExpectNear(At(line->pixels, 108, 24), middle.x, middle.y, 2);
}

TEST(CutLine, AForeshortenedBox_IsUnwarped) {
  const image::Image page = Page(250, 250);
  const geometry::Quad quad = {{{20, 60}, {220, 20}, {220, 120}, {20, 100}}};
  const auto line = CutLine(page.view(), quad, RecognizerConfig());
  ASSERT_TRUE(line.ok());
  // Pixels of the far, left end lie up to five page pixels apart.
  ExpectNear(At(line->pixels, 0, 0), 20, 60, 5);
  ExpectNear(At(line->pixels, line->pixels.width() - 1, 0), 219, 20, 5);
  ExpectNear(At(line->pixels, 0, 47), 20, 99, 5);
}

TEST(CutLine, DegenerateBoxes_GiveAPixelAtLeast) {
  const image::Image page = Page(50, 50);
  for (const geometry::Quad& quad :
       {geometry::Quad{{{5, 5}, {5, 5}, {5, 5}, {5, 5}}},
        geometry::Quad{{{0, 0}, {50, 0}, {50, 0}, {0, 0}}},
        geometry::Quad{{{10, 10}, {30, 10}, {10, 10}, {30, 10}}}}) {
    const auto line = CutLine(page.view(), quad, RecognizerConfig());
    if (!line.ok()) continue;  // Refused is fine, too; never a crash.
    EXPECT_GE(line->pixels.width(), 1);
    EXPECT_EQ(line->pixels.height(), 48);
  }
}

TEST(WholeImage, Aspect_IsKept) {
  const image::Image picture = Page(200, 24);
  const auto line =
      CutLine(picture.view(), WholeImage(picture.view()), RecognizerConfig());
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->pixels.width(), 400);
  EXPECT_EQ(line->pixels.height(), 48);
}

// A line of forty words is some 6000 columns wide; it must not be squashed.
TEST(WholeImage, ALongLine_IsNotSquashed) {
  auto picture = image::Image::Create(6000, 48);
  ASSERT_TRUE(picture.ok());
  const auto line =
      CutLine(picture->view(), WholeImage(picture->view()), RecognizerConfig());
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->pixels.width(), 6000);
}

TEST(TurnAround, PixelsAndPolygon_AreTurned) {
  const image::Image page = Page(250, 200);
  const geometry::Quad quad = {{{20, 40}, {220, 40}, {220, 88}, {20, 88}}};
  auto line = CutLine(page.view(), quad, RecognizerConfig());
  ASSERT_TRUE(line.ok());
  const Color last = At(line->pixels, 199, 47);
  TurnAround(*line);
  EXPECT_EQ(At(line->pixels, 0, 0), last);
  EXPECT_EQ(line->polygon[0], quad[2]);
}

}  // namespace
}  // namespace munja::ocr
