#include "train/text_maps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace munja::train {
namespace {

constexpr int kMapWidth = 200, kMapHeight = 100;

struct Drawn {
  explicit Drawn(const std::vector<OutlinedLine>& lines) {
    for (auto* map : {&text, &text_mask, &threshold, &threshold_mask})
      map->assign(kMapWidth * kMapHeight, 0);
    DrawTextMaps(lines, kMapWidth, kMapHeight, 6,
                 {text.data(), text_mask.data(), threshold.data(),
                  threshold_mask.data()});
  }
  static float At(const std::vector<float>& map, int x, int y) {
    return map[static_cast<size_t>(y * kMapWidth + x)];
  }
  std::vector<float> text, text_mask, threshold, threshold_mask;
};

OutlinedLine Box(float left, float top, float right, float bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}, false};
}

// 120 x 30: area 3600, perimeter 300, so d = 3600 * 0.84 / 300 = 10.08.
TEST(TextMapsTest, Text_IsTheOutlineMovedInward) {
  const std::vector<OutlinedLine> lines = {Box(40, 30, 160, 60)};
  EXPECT_NEAR(ShrinkDistance(lines[0].outline), 10.08, 1e-3);
  const Drawn d(lines);
  double sum = 0;
  for (float v : d.text) sum += v;
  // 99.84 x 9.84 pixels, their borders rounded outward by less than one pixel.
  EXPECT_GE(sum, 99.0 * 9.0);
  EXPECT_LE(sum, 102.0 * 12.0);
  EXPECT_EQ(Drawn::At(d.text, 100, 45), 1);
  EXPECT_EQ(Drawn::At(d.text, 100, 37), 0);
  EXPECT_EQ(Drawn::At(d.text, 45, 45), 0);
  EXPECT_EQ(Drawn::At(d.text_mask, 100, 37), 1);
}

TEST(TextMapsTest, Threshold_FallsFromTheOutlineToBothSides) {
  const Drawn d({Box(40, 30, 160, 60)});
  const auto at = [&](int y) { return Drawn::At(d.threshold, 100, y); };
  EXPECT_NEAR(at(30), kMostThreshold, 1e-4);
  // Five pixels from the outline: half of d but for 0.04 pixels.
  EXPECT_NEAR(at(25), 0.3 + 0.4 * (1 - 5 / 10.08), 1e-4);
  EXPECT_NEAR(at(35), at(25), 1e-4);
  EXPECT_EQ(Drawn::At(d.threshold_mask, 100, 15), 0);
  EXPECT_EQ(Drawn::At(d.threshold_mask, 100, 22), 1);
  EXPECT_EQ(Drawn::At(d.threshold_mask, 10, 45), 0);
}

TEST(TextMapsTest, IgnoredAndThinLines_AreMaskedOut) {
  OutlinedLine ignored = Box(10, 10, 90, 30);
  ignored.ignore = true;
  const Drawn d({ignored, Box(10, 60, 190, 63)});  // Three pixels thin.
  EXPECT_EQ(Drawn::At(d.text_mask, 50, 20), 0);
  EXPECT_EQ(Drawn::At(d.text_mask, 50, 61), 0);
  EXPECT_EQ(Drawn::At(d.text_mask, 50, 45), 1);
  for (float v : d.text) EXPECT_EQ(v, 0);
  for (float v : d.threshold_mask) EXPECT_EQ(v, 0);
}

// Area by perimeter, half a line's height, is a quarter of a lone letter's.
TEST(TextMapsTest, LoneLetters_AreNoThinLines) {
  const Drawn d({Box(50, 40, 57, 54), Box(100, 40, 103, 54)});
  EXPECT_EQ(Drawn::At(d.text, 53, 47), 1);
  EXPECT_EQ(Drawn::At(d.text_mask, 53, 47), 1);
  EXPECT_EQ(Drawn::At(d.text_mask, 101, 47), 0);  // Three pixels wide.
}

TEST(TextMapsTest, OutlinesBeyondTheMap_AreCut) {
  const Drawn d({Box(-300, -20, 500, 40), Box(1e7f, 0, 2e7f, 50)});
  EXPECT_EQ(Drawn::At(d.text, 0, 5), 1);
  EXPECT_EQ(Drawn::At(d.text, kMapWidth - 1, 5), 1);
}

}  // namespace
}  // namespace munja::train
