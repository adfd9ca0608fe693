#include "reading/find/color_contrast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace munja::ocr {
namespace {

using Color = std::array<uint8_t, 3>;

bool IsText(int x) { return x / 3 % 10 == 1; }

// A tenth of the image is of the second color.
image::Image OfTwo(Color ground, Color text, int width = 400,
                   int height = 100) {
  auto image = image::Image::Create(width, height);
  EXPECT_TRUE(image.ok());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      std::copy_n((IsText(x) ? text : ground).data(), 3, image->row(y) + 3 * x);
  return std::move(image).value();
}

std::optional<image::Image> ContrastOf(const image::Image& image) {
  auto contrast = ContrastByColor(image.view());
  EXPECT_TRUE(contrast.ok());
  return std::move(contrast).value();
}

TEST(ContrastByColor, ColorsOfOneBrightness_BecomeBlackOnWhite) {
  const std::pair<Color, Color> pairs[] = {
      {{255, 0, 0}, {0, 160, 0}},  // Ground, text.
      {{0, 160, 0}, {255, 0, 0}},
      {{0, 0, 255}, {0, 0, 128}},
      {{0, 0, 128}, {0, 0, 255}},
      {{150, 100, 100}, {60, 130, 120}}};
  for (const auto& [ground, text] : pairs) {
    const image::Image image = OfTwo(ground, text);
    const auto contrast = ContrastOf(image);
    ASSERT_TRUE(contrast) << int{ground[0]};
    ASSERT_EQ(contrast->width(), 400);
    ASSERT_EQ(contrast->height(), 100);
    for (int y : {0, 99}) {
      for (int x : {0, 2, 3, 5, 6, 393, 399}) {
        const int expected = IsText(x) ? 0 : 255;
        for (int c = 0; c < 3; ++c)
          EXPECT_EQ(contrast->row(y)[3 * x + c], expected) << x << ", " << y;
      }
    }
  }
}

TEST(ContrastByColor, ImagesThatBrightnessTells_AreLeftUnchanged) {
  EXPECT_FALSE(ContrastOf(OfTwo({255, 255, 255}, {0, 0, 0})));
  EXPECT_FALSE(ContrastOf(OfTwo({255, 255, 255}, {200, 0, 0})));
  // Little contrast, but gray: no channel shows more.
  EXPECT_FALSE(ContrastOf(OfTwo({255, 255, 255}, {230, 230, 230})));
  // Nothing, and specks.
  EXPECT_FALSE(ContrastOf(OfTwo({255, 0, 0}, {255, 0, 0})));
  image::Image speck = OfTwo({255, 0, 0}, {255, 0, 0});
  std::copy_n(Color{0, 160, 0}.data(), 3, speck.row(50) + 150);
  EXPECT_FALSE(ContrastOf(speck));
}

TEST(ContrastByColor, ImagesOfAnySize_AreJudgedByASample) {
  EXPECT_FALSE(ContrastOf(OfTwo({255, 0, 0}, {0, 160, 0}, 1, 1)));
  EXPECT_TRUE(ContrastOf(OfTwo({255, 0, 0}, {0, 160, 0}, 3001, 2000)));
}

}  // namespace
}  // namespace munja::ocr
