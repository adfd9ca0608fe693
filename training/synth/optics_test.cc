#include "synth/optics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "synth/jpeg_artifacts.h"
#include "synth/texture.h"

namespace munja::train {
namespace {

Canvas Make(int width, int height, uint64_t seed) {
  Canvas canvas = std::move(Canvas::Create(width, height)).value();
  Random random(seed);
  const std::vector<Color> ramp =
      RandomRamp(random, {20, 30, 10}, {230, 200, 240}, 1, false);
  PaintPlane(canvas, SmoothNoise(random, width, height, {{9, 9, 1}}), ramp);
  return canvas;
}

double MeanLevel(const image::Image& picture) {
  double sum = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int i = 0; i < 3 * picture.width(); ++i) sum += picture.row(y)[i];
  }
  return sum / (3.0 * picture.width() * picture.height());
}

double MeanDifference(const image::Image& a, const image::Image& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int i = 0; i < 3 * a.width(); ++i)
      sum += std::abs(a.row(y)[i] - b.row(y)[i]);
  }
  return sum / (3.0 * a.width() * a.height());
}

TEST(Blur, Weights_SumUp) {
  for (const float size : {0.3f, 0.5f, 1.0f, 2.3f, 5.0f, 9.0f}) {
    for (const auto& taps :
         {DefocusTaps(size), GaussianTaps(size), MotionTaps(size, -2 * size)}) {
      int sum = 0;
      for (const BlurTap& tap : taps) sum += tap.weight;
      EXPECT_EQ(sum, 256) << size;
    }
  }
}

TEST(Blur, Result_IsTheConvolution) {
  Canvas canvas = Make(67, 31, 1);  // No multiple of any vector.
  const Canvas before = Make(67, 31, 1);
  const std::vector<BlurTap> taps = MotionTaps(5, 3);
  ASSERT_TRUE(BlurPicture(canvas.picture(), taps).ok());
  for (int y = 0; y < 31; ++y) {
    for (int x = 0; x < 67; ++x) {
      for (int c = 0; c < 3; ++c) {
        int sum = 128;
        for (const BlurTap& t : taps) {
          const int from_x = std::clamp(x + t.dx, 0, 66),
                    from_y = std::clamp(y + t.dy, 0, 30);
          sum += t.weight * before.picture().row(from_y)[3 * from_x + c];
        }
        ASSERT_EQ(canvas.picture().row(y)[3 * x + c], sum >> 8)
            << x << ", " << y;
      }
    }
  }
}

TEST(Light, NoLight_ChangesNothing) {
  Canvas canvas = Make(80, 50, 2);
  const Canvas before = Make(80, 50, 2);
  const float balance[3] = {1, 1, 1};
  ApplyLight(canvas.picture(), LightField(), balance, 0);
  EXPECT_EQ(MeanDifference(canvas.picture(), before.picture()), 0);
}

TEST(Light, Gain_ScalesLevels) {
  Canvas canvas = Make(80, 50, 2);
  const double before = MeanLevel(canvas.picture());
  LightField light;
  for (auto& row : light.gain) std::fill(std::begin(row), std::end(row), 0.5f);
  const float balance[3] = {1, 1, 1};
  ApplyLight(canvas.picture(), light, balance, 0);
  EXPECT_NEAR(MeanLevel(canvas.picture()), before / 2, 1);  // Rounded down.
}

TEST(Light, Shadows_DarkenOneSide) {
  Random random(8);
  for (int i = 0; i < 50; ++i) {
    LightField light;
    light.Shadow(random, 0.5f);
    float low = 2, high = 0;
    for (const auto& row : light.gain) {
      for (float g : row) {
        low = std::min(low, g);
        high = std::max(high, g);
      }
    }
    EXPECT_GE(low, 0.499f);
    EXPECT_LE(high, 1.0f);
  }
}

TEST(Grain, Deviation_IsAsGiven) {
  for (const float color_part : {0.0f, 0.5f, 1.0f}) {
    Canvas canvas = std::move(Canvas::Create(200, 200)).value();
    canvas.Clear({128, 128, 128});
    Random random(5);
    AddGrain(canvas.picture(), random, 8, color_part);
    double squares = 0;
    for (int y = 0; y < 200; ++y) {
      for (int i = 0; i < 600; ++i)
        squares += std::pow(canvas.picture().row(y)[i] - 128.0, 2);
    }
    // Rounding down adds a part of a level.
    EXPECT_NEAR(std::sqrt(squares / 120000), 8, 0.8) << color_part;
  }
}

TEST(Jpeg, LowQuality_LosesMore) {
  Canvas fine = Make(120, 90, 6), coarse = Make(120, 90, 6);
  const Canvas before = Make(120, 90, 6);
  ASSERT_TRUE(CompressAsJpeg(fine.picture(), 95, false).ok());
  ASSERT_TRUE(CompressAsJpeg(coarse.picture(), 15, true).ok());
  ASSERT_EQ(fine.width(), 120);
  ASSERT_EQ(fine.height(), 90);
  const double a = MeanDifference(fine.picture(), before.picture()),
               b = MeanDifference(coarse.picture(), before.picture());
  EXPECT_LT(a, 4);
  EXPECT_GT(b, 2 * a);
}

TEST(TakePicture, SameSeed_GivesTheSameImage) {
  for (const Capture capture :
       {Capture::kScreenshot, Capture::kScan, Capture::kPhone}) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      Canvas a = Make(96, 64, 7), b = Make(96, 64, 7);
      Random ra(seed), rb(seed);
      ASSERT_TRUE(TakePicture(a, ra, capture, 1).ok());
      ASSERT_TRUE(TakePicture(b, rb, capture, 1).ok());
      ASSERT_EQ(a.width(), 96);
      EXPECT_EQ(MeanDifference(a.picture(), b.picture()), 0);
    }
  }
}

TEST(Texture, Noise_HasMeanZeroAndIsSmooth) {
  Random random(9);
  const Plane plane =
      SmoothNoise(random, 300, 200, {{20, 20, 1}, {7, 7, 0.5f}});
  double sum = 0, steps = 0;
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 300; ++x) {
      sum += plane.row(y)[x];
      if (x > 0) steps += std::abs(plane.row(y)[x] - plane.row(y)[x - 1]);
    }
  }
  // 150 independent cells of deviation about 60: the mean is off by about 5.
  EXPECT_NEAR(sum / 60000, 128, 20);
  EXPECT_LT(steps / 60000, 12);
}

}  // namespace
}  // namespace munja::train
