#include "reading/find/line_margins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "geometry/rect.h"
#include "reading/find/line_place.h"

namespace munja::ocr {
namespace {

struct Bar {
  int left, top, right, bottom;
  uint8_t rgb[3] = {0, 0, 0};
};

image::Image LineWith(int width, int height, std::initializer_list<Bar> bars) {
  auto line = image::Image::Create(width, height);
  EXPECT_TRUE(line.ok());
  for (int y = 0; y < height; ++y)
    std::fill_n(line->row(y), 3 * width, uint8_t{250});
  for (const Bar& bar : bars)
    for (int y = bar.top; y < bar.bottom; ++y)
      for (int x = bar.left; x < bar.right; ++x)
        std::copy_n(bar.rgb, 3, line->row(y) + 3 * x);
  return std::move(line).value();
}

geometry::Rect<float> BoxOf(const image::Image& line) {
  return geometry::BoundsOf(InkBox(line.view(), RecognizerConfig()));
}

TEST(InkBox, WideMargins_AreLeftOut) {
  const image::Image line =
      LineWith(400, 120, {{100, 50, 140, 70}, {160, 45, 300, 75}});
  // A fifth of the ink's height stays on each side.
  const geometry::Rect<float> expected = {94, 39, 306, 81};
  EXPECT_EQ(BoxOf(line), expected);
}

// Light on dark, and ink that only its color shows.
TEST(InkBox, AnyInkThatDiffers_IsFound) {
  const geometry::Rect<float> expected = {94, 39, 306, 81};
  const image::Image light = LineWith(
      400, 120,
      {{0, 0, 400, 120, {20, 30, 40}}, {100, 45, 300, 75, {220, 220, 220}}});
  EXPECT_EQ(BoxOf(light), expected);
  const image::Image green = LineWith(
      400, 120,
      {{0, 0, 400, 120, {200, 0, 0}}, {100, 45, 300, 75, {0, 100, 0}}});
  EXPECT_EQ(BoxOf(green), expected);
}

TEST(InkBox, NarrowMarginsOrNoInk_AreTheWholeImage) {
  const geometry::Rect<float> whole = {0, 0, 400, 48};
  EXPECT_EQ(BoxOf(LineWith(400, 48, {{20, 8, 380, 40}})), whole);
  EXPECT_EQ(BoxOf(LineWith(400, 48, {})), whole);
  // Too little contrast for ink.
  EXPECT_EQ(BoxOf(LineWith(400, 48, {{100, 20, 300, 30, {240, 240, 240}}})),
            whole);
  // A dash, whose line is higher.
  EXPECT_EQ(BoxOf(LineWith(400, 48, {{180, 22, 220, 26}})), whole);
}

// Ink up to an edge, as of a photograph, leaves no margin there.
TEST(InkBox, InkAtTheEdges_StaysWhole) {
  const geometry::Rect<float> whole = {0, 0, 400, 120};
  EXPECT_EQ(BoxOf(LineWith(
                400, 120,
                {{100, 50, 300, 70}, {0, 0, 30, 20}, {380, 110, 400, 120}})),
            whole);
}

// A 1 in the middle of its image must not be taken for a vertical line.
TEST(InkBox, ALetterThatIsTall_IsNoVerticalLine) {
  const geometry::Quad upright =
      InkBox(LineWith(120, 120, {{57, 45, 63, 75}}).view(), RecognizerConfig());
  EXPECT_FALSE(IsVertical(upright, RecognizerConfig()));
  EXPECT_LT(geometry::BoundsOf(upright).height(), 50);
  // The ink of a tall image is one.
  const geometry::Quad tall = InkBox(
      LineWith(120, 400, {{50, 100, 70, 300}}).view(), RecognizerConfig());
  EXPECT_TRUE(IsVertical(tall, RecognizerConfig()));
  EXPECT_LT(geometry::BoundsOf(tall).width(), 30);
}

TEST(InkBox, AnImageOfOnePixel_IsWhole) {
  const geometry::Rect<float> whole = {0, 0, 1, 1};
  EXPECT_EQ(BoxOf(LineWith(1, 1, {})), whole);
}

}  // namespace
}  // namespace munja::ocr
