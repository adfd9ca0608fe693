#include "synth/canvas.h"

#include <gtest/gtest.h>

#include <cmath>

namespace munja::train {
namespace {

Canvas Make(int width, int height) {
  return std::move(Canvas::Create(width, height)).value();
}

TEST(Canvas, Fill_MixesByCoverageAndOpacity) {
  Canvas canvas = Make(20, 10);
  canvas.Clear({100, 0, 200});
  Path path;
  path.AddBox({2, 2, 10, 8});
  canvas.Fill(path, PageMap(), {.color = {200, 50, 0}, .opacity = 0.5f});
  const uint8_t* inside = canvas.picture().row(5) + 3 * 5;
  // Opacity has 8 bits, colors are rounded.
  EXPECT_NEAR(inside[0], 150, 1);
  EXPECT_NEAR(inside[1], 25, 1);
  EXPECT_NEAR(inside[2], 100, 1);
  EXPECT_EQ(canvas.picture().row(5)[3 * 15], 100);
}

TEST(Canvas, Average_IgnoresWhatIsOutside) {
  Canvas canvas = Make(20, 10);
  canvas.Clear({10, 20, 30});
  EXPECT_EQ(canvas.Average(-100, -100, 500, 500), (Color{10, 20, 30}));
  EXPECT_EQ(canvas.Average(900, 900, 5, 5), (Color{10, 20, 30}));
}

TEST(Color, Contrast_IsKept) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Color below = RandomColor(random);
    const float contrast = random.Uniform(0, 127);
    // Rounding of three channels.
    EXPECT_GE(
        std::abs(Luma(RandomContrast(random, below, contrast)) - Luma(below)),
        contrast - 2);
  }
}

TEST(Color, Brightness_IsWithinBounds) {
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    const float luma = Luma(RandomColor(random, 60, 90));
    EXPECT_GE(luma, 58);
    EXPECT_LE(luma, 92);
  }
}

TEST(Color, Hsv_ByHand) {
  EXPECT_EQ(FromHsv(0, 1, 1), (Color{255, 0, 0}));
  EXPECT_EQ(FromHsv(1.0f / 3, 1, 1), (Color{0, 255, 0}));
  EXPECT_EQ(FromHsv(-1.0f / 3, 1, 1), (Color{0, 0, 255}));
  EXPECT_EQ(FromHsv(0.7f, 0, 0.2f), (Color{51, 51, 51}));
}

TEST(CoverageEffects, Dilate_IsTheGreatestOfADisk) {
  Coverage c{0, 0, 15, 15, std::vector<uint8_t>(225, 0)};
  c.row(7)[7] = 200;
  Dilate(c, 3);
  EXPECT_EQ(c.row(7)[10], 200);
  EXPECT_EQ(c.row(4)[7], 200);
  EXPECT_EQ(c.row(4)[4], 0);  // A corner of the square around the disk.
  EXPECT_EQ(c.row(7)[11], 0);
}

TEST(CoverageEffects, Blur_KeepsTheSumInside) {
  Coverage c{0, 0, 41, 41, std::vector<uint8_t>(41 * 41, 0)};
  for (int y = 15; y < 26; ++y) {
    for (int x = 15; x < 26; ++x) c.row(y)[x] = 255;
  }
  Blur(c, 3);
  double sum = 0;
  for (uint8_t v : c.values) sum += v;
  // Four passes each cut off less than one level a pixel.
  EXPECT_NEAR(sum, 121 * 255, 4 * 600);
  EXPECT_GT(c.row(13)[20], 0);
}

}  // namespace
}  // namespace munja::train
