#include "synth/line_optics.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace munja::train {
namespace {

constexpr int kWidth = 120, kHeight = 32;

// Bars of 4 pixels as "text", over the whole picture.
Coverage Bars() {
  Coverage bars;
  bars.width = kWidth;
  bars.height = kHeight;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x)
      bars.values.push_back(x % 16 < 4 ? 255 : 0);
  }
  return bars;
}

// `contrast` levels left of `limit`, 1 right of it.
image::Image Picture(int contrast, int limit, int noise) {
  FloatPicture picture(kWidth, kHeight);
  Random random(1);
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const float ink =
            static_cast<float>(x % 16 < 4 ? (x < limit ? contrast : 1) : 0);
        picture.row(c, y)[x] =
            150 - ink + static_cast<float>(noise) * random.Normal();
      }
    }
  }
  return std::move(picture.Finish()).value();
}

TEST(StandsOut, Contrast_IsNeededEverywhere) {
  EXPECT_TRUE(StandsOut(Picture(60, kWidth, 0), Bars(), 24));
  EXPECT_FALSE(StandsOut(Picture(4, kWidth, 0), Bars(), 24));
  EXPECT_FALSE(StandsOut(Picture(60, 60, 0), Bars(), 24));
}

TEST(StandsOut, Noise_HidesLowContrast) {
  EXPECT_TRUE(StandsOut(Picture(14, kWidth, 4), Bars(), 24));
  EXPECT_FALSE(StandsOut(Picture(14, kWidth, 40), Bars(), 24));
}

TEST(TakeLinePicture, WithoutStrength_OnlyColorChanges) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    FloatPicture picture(kWidth, kHeight);
    for (auto& plane : picture.planes) {
      for (size_t i = 0; i < plane.size(); ++i)
        plane[i] = static_cast<float>(i % 251);
    }
    Random random(seed);
    const auto taken =
        TakeLinePicture(picture, 24, Scenery::kDocument, 0, random);
    ASSERT_TRUE(taken.ok());
    for (int i = 0; i < kWidth; ++i)
      EXPECT_EQ(taken->row(0)[3 * i], i % 251);  // Gray stays gray.
  }
}

TEST(TakeLinePicture, Line_KeepsItsSizeAndDependsOnlyOnTheSeed) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Scenery scenery = SceneryAt(static_cast<int>(seed % kSceneries));
    image::Image taken[2];
    for (image::Image& out : taken) {
      FloatPicture picture(kWidth, kHeight);
      for (auto& plane : picture.planes) plane.assign(picture.size(), 128);
      Random random(seed);
      auto made = TakeLinePicture(picture, 24, scenery, 1.2f, random);
      ASSERT_TRUE(made.ok());
      out = std::move(made).value();
    }
    ASSERT_EQ(taken[0].width(), kWidth);
    ASSERT_EQ(taken[0].height(), kHeight);
    EXPECT_EQ(std::memcmp(taken[0].row(0), taken[1].row(0),
                          taken[0].stride() * kHeight),
              0)
        << seed;
  }
}

}  // namespace
}  // namespace munja::train
