#include "reading/orient/upright_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "reading/orient/testing.h"

namespace munja::ocr {
namespace {

using geometry::Point;

// The first corner of a square of a pixel that reaches towards the middle.
Point Back(const UprightPage& upright, float x, float y) {
  const float right = x + (2 * x < upright.view().width ? 1.0f : -1.0f);
  const float below = y + (2 * y < upright.view().height ? 1.0f : -1.0f);
  TextBox box{{{{x, y}, {right, y}, {right, below}, {x, below}}}};
  EXPECT_TRUE(upright.MapBack(&box));
  return box.quad[0];
}

// One white pixel in a black page: where it comes to lie, and back.
TEST(UprightPage, Pixels_GoWhereTheyShouldAndBack) {
  auto page = image::Image::Create(7, 5);
  ASSERT_TRUE(page.ok());
  constexpr int kX = 5, kY = 1;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 21; ++x) page->row(y)[x] = 0;
  for (int c = 0; c < 3; ++c) page->row(kY)[3 * kX + c] = 255;
  const std::pair<int, int> kTurned[] = {{5, 1}, {3, 5}, {1, 3}, {1, 1}};
  for (int quarters = 1; quarters < 4; ++quarters) {
    const auto upright =
        UprightPage::Create(page->view(), {.quarters = quarters}, 100, nullptr);
    ASSERT_TRUE(upright.ok());
    const image::ImageView view = upright->view();
    EXPECT_EQ(view.width, quarters == 2 ? 7 : 5);
    const auto [x, y] = kTurned[quarters];
    EXPECT_EQ(view.row(y)[3 * x], 255) << quarters;
    const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
    EXPECT_EQ(Back(*upright, fx, fy), (Point{kX, kY})) << quarters;
    // Corners that would lie a pixel outside stay inside.
    const auto w = static_cast<float>(view.width),
               h = static_cast<float>(view.height);
    TextBox whole{{{{0, 0}, {w, 0}, {w, h}, {0, h}}}};
    ASSERT_TRUE(upright->MapBack(&whole));
    ASSERT_TRUE(whole.outline);
    for (const Point& p : *whole.outline) {
      EXPECT_GE(p.x, 0);
      EXPECT_GE(p.y, 0);
      EXPECT_LE(p.x, 7);
      EXPECT_LE(p.y, 5);
    }
  }
}

// A page of many more pixels than the detector sees is made smaller, by its
// size after deskewing; boxes are still in coordinates of the original page.
TEST(UprightPage, Size_IsWhatTheDetectorSees) {
  auto page = image::Image::Create(1200, 900);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 900; ++y) std::fill_n(page->row(y), 3 * 1200, uint8_t{0});
  // A white square of 30 x 30 pixels around (915, 315).
  for (int y = 300; y < 330; ++y)
    std::fill_n(page->row(y) + 3 * 900, 3 * 30, uint8_t{255});
  for (const PageTurn turn : {PageTurn{1, 0}, PageTurn{2, 0}, PageTurn{3, 0},
                              PageTurn{0, 0.3f}, PageTurn{3, -0.6f}}) {
    const auto upright = UprightPage::Create(page->view(), turn, 267, nullptr);
    ASSERT_TRUE(upright.ok());
    const image::ImageView view = upright->view();
    EXPECT_LE(std::max(view.width, view.height), 401);
    EXPECT_GT(std::max(view.width, view.height), 390);
    float x = 0, y = 0, sum = 0;
    for (int row = 0; row < view.height; ++row) {
      for (int column = 0; column < view.width; ++column) {
        const float light = view.row(row)[3 * column];
        x += light * static_cast<float>(column);
        y += light * static_cast<float>(row);
        sum += light;
      }
    }
    ASSERT_GT(sum, 0);
    const Point center = {x / sum, y / sum};
    TextBox box{{{center, center + Point{1, 0}, center + Point{1, 1},
                  center + Point{0, 1}}}};
    ASSERT_TRUE(upright->MapBack(&box));
    // A third of a pixel of the page that is looked at.
    EXPECT_NEAR(box.quad[0].x, 914.5f, 1) << turn.quarters << ' ' << turn.skew;
    EXPECT_NEAR(box.quad[0].y, 314.5f, 1) << turn.quarters << ' ' << turn.skew;
  }
}

// The corners of a straightened page are no part of the page as it was.
TEST(UprightPage, BoxBesideThePage_IsDropped) {
  auto page = image::Image::Create(400, 300);
  ASSERT_TRUE(page.ok());
  const auto upright =
      UprightPage::Create(page->view(), {.skew = 20 * kDegree}, 1000, nullptr);
  ASSERT_TRUE(upright.ok());
  TextBox beside{{{{2, 2}, {40, 2}, {40, 8}, {2, 8}}}};
  EXPECT_FALSE(upright->MapBack(&beside));
  TextBox inside{{{{200, 200}, {240, 200}, {240, 210}, {200, 210}}}};
  EXPECT_TRUE(upright->MapBack(&inside));
  EXPECT_FALSE(inside.outline);
  // One that begins beside it is cut out as it lies, and ends with the page.
  TextBox half{{{{-8, 130}, {200, 130}, {200, 150}, {-8, 150}}}};
  EXPECT_TRUE(upright->MapBack(&half));
  EXPECT_NEAR(geometry::Length(half.quad[1] - half.quad[0]), 208, 0.01);
  ASSERT_TRUE(half.outline);
  EXPECT_LT(half.quad[0].x, 0);
  EXPECT_EQ((*half.outline)[0].x, 0);
}

TEST(UprightPage, AStrokeSkewed_LiesStraightAfterwards) {
  auto page = image::Image::Create(400, 300);
  ASSERT_TRUE(page.ok());
  const float slope = std::tan(10 * kDegree);
  const auto is_ink = [&](float x, float y) {
    return x >= 60 && x < 340 && std::abs(y - 150 - slope * (x - 200)) < 3;
  };
  for (int y = 0; y < 300; ++y)
    for (int x = 0; x < 400; ++x)
      for (int c = 0; c < 3; ++c)
        page->row(y)[3 * x + c] =
            is_ink(static_cast<float>(x), static_cast<float>(y)) ? 0 : 255;
  for (const int quarters : {0, 1}) {
    const auto upright = UprightPage::Create(
        page->view(), {.quarters = quarters, .skew = 10 * kDegree}, 1000,
        nullptr);
    ASSERT_TRUE(upright.ok());
    const image::ImageView view = upright->view();
    // The stroke is six pixels thick, 284 long, and lies along a side.
    int ink = 0, lines = 0;
    for (int i = 0; i < (quarters == 0 ? view.height : view.width); ++i) {
      int dark = 0;
      for (int k = 0; k < (quarters == 0 ? view.width : view.height); ++k) {
        const int x = quarters == 0 ? k : i, y = quarters == 0 ? i : k;
        if (view.row(y)[3 * x] >= 128) continue;
        ++dark;
        const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
        const Point back = Back(*upright, fx, fy);
        // Within a pixel of what was drawn.
        EXPECT_TRUE(is_ink(back.x, back.y) || is_ink(back.x, back.y + 1) ||
                    is_ink(back.x, back.y - 1) || is_ink(back.x + 1, back.y) ||
                    is_ink(back.x - 1, back.y));
      }
      ink += dark;
      lines += dark > 140;
    }
    EXPECT_GE(lines, 5);
    EXPECT_LE(lines, 8);
    EXPECT_NEAR(ink, 6 * 284, 200);
  }
}

}  // namespace
}  // namespace munja::ocr
