#include "reading/find/color_stains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace munja::ocr {
namespace {

using Rgb = std::array<uint8_t, 3>;

constexpr Rgb kPaper = {250, 248, 245}, kPrintInk = {25, 25, 30};
constexpr Rgb kRed = {205, 40, 40}, kGreen = {30, 190, 60};

void Cover(image::Image& page, int x0, int y0, int x1, int y1, Rgb color) {
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x)
      std::copy(color.begin(), color.end(), page.row(y) + 3 * x);
}

image::Image PrintedPage() {
  image::Image page = image::Image::Create(640, 480).value();
  Cover(page, 0, 0, 640, 480, kPaper);
  for (int y = 40; y < 440; y += 40)
    for (int x = 40; x < 600; x += 12)
      Cover(page, x, y, x + 8, y + 16, kPrintInk);
  return page;
}

// A frame from (320, 200).
void Stamp(image::Image& page, Rgb color) {
  Cover(page, 320, 200, 420, 206, color);
  Cover(page, 320, 294, 420, 300, color);
  Cover(page, 320, 200, 326, 300, color);
  Cover(page, 414, 200, 420, 300, color);
}

TEST(FindColorStains, AStampOverPrint_IsFoundWhereTheyMeet) {
  image::Image page = PrintedPage();
  Stamp(page, kRed);
  const ColorStains stains = FindColorStains(page.view());
  EXPECT_EQ(stains.level, 205);
  ASSERT_FALSE(stains.places.empty());
  for (const geometry::Rect<float>& place : stains.places) {
    EXPECT_LT(place.left, 420);
    EXPECT_GT(place.right, 320);
    EXPECT_LT(place.top, 300);
    EXPECT_GT(place.bottom, 200);
  }
}

TEST(FindColorStains, OtherPages_HaveNone) {
  EXPECT_TRUE(FindColorStains(PrintedPage().view()).places.empty());
  image::Image colorful = PrintedPage();
  Stamp(colorful, kRed);
  Cover(colorful, 40, 340, 200, 346, kGreen);
  Cover(colorful, 40, 380, 200, 386, kGreen);
  EXPECT_TRUE(FindColorStains(colorful.view()).places.empty());
  image::Image flooded = PrintedPage();
  Cover(flooded, 0, 0, 640, 200, kRed);
  EXPECT_TRUE(FindColorStains(flooded.view()).places.empty());
  image::Image dark = PrintedPage();
  Stamp(dark, {120, 10, 10});
  EXPECT_TRUE(FindColorStains(dark.view()).places.empty());
}

TEST(WithoutColor, Print_Stays) {
  image::Image page = PrintedPage();
  Stamp(page, kRed);
  const auto gray = WithoutColor(page.view(), 205);
  ASSERT_TRUE(gray.ok());
  EXPECT_EQ(gray->row(202)[3 * 370], 255);  // The stamp.
  EXPECT_LT(gray->row(205)[3 * 44], 50);    // Ink.
  EXPECT_EQ(gray->row(182)[3 * 10], 255);   // Paper.
}

}  // namespace
}  // namespace munja::ocr
