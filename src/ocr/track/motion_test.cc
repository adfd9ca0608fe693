#include "track/motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "geometry/quad.h"
#include "track/testing.h"

namespace munja::track {
namespace {

// The largest distance, in pixels of the frame, between where the motion puts
// the corners of the inner frame and where they are.
double WorstError(const Affine& before, const Affine& now, const Affine& motion,
                  int factor) {
  const Affine truth = Compose(Inverse(now), before);
  const Affine map = Enlarged(motion, factor);
  double worst = 0;
  for (const geometry::Point p :
       {geometry::Point{160, 120}, {1120, 120}, {1120, 600}, {160, 600}}) {
    const double error =
        static_cast<double>(geometry::Length(map(p) - truth(p)));
    worst = std::max(worst, error);
  }
  return worst;
}

struct MotionCase {
  double x, y, degrees, scale;
};

class MotionOf : public testing::TestWithParam<MotionCase> {};

TEST_P(MotionOf, Camera_IsEstimatedWithinTwoPixels) {
  const Scene scene = PageScene();
  const Affine before = CameraAt(1200, 800, 0, 1, 1280, 720);
  const MotionCase& c = GetParam();
  const Affine now =
      CameraAt(1200 + c.x, 800 + c.y, c.degrees, c.scale, 1280, 720);
  const GrayFrame a = GrayOf(scene.Frame(before, 1280, 720));
  const GrayFrame b = GrayOf(scene.Frame(now, 1280, 720));
  const std::optional<Affine> motion = EstimateMotion(a, b);
  ASSERT_TRUE(motion);
  // A quarter of a pixel of the small frame, and what turning enlarges it by.
  EXPECT_LT(WorstError(before, now, *motion, a.factor), 2.0);
}

INSTANTIATE_TEST_SUITE_P(
    Cameras, MotionOf,
    testing::Values(MotionCase{0, 0, 0, 1}, MotionCase{13, 0, 0, 1},
                    MotionCase{-7, 22, 0, 1}, MotionCase{90, -60, 0, 1},
                    MotionCase{0, 0, 1.5, 1}, MotionCase{0, 0, 0, 1.03},
                    MotionCase{10, 6, -2, 0.97}));

TEST(Motion, OfFramesWithoutStructure_IsUnknown) {
  const Scene scene(1400, 800);
  const GrayFrame a = GrayOf(scene.Frame({}, 1280, 720));
  EXPECT_FALSE(EstimateMotion(a, a));
}

TEST(Motion, BetweenOtherScenes_IsUnknown) {
  Scene other(2400, 1600);
  for (int i = 0; i < 30; ++i)
    other.Add({100 + i * 37, 130 + i * 41, 1000, 26, "x" + std::to_string(i)});
  const Affine camera = CameraAt(1200, 800, 0, 1, 1280, 720);
  const GrayFrame a = GrayOf(PageScene().Frame(camera, 1280, 720));
  const GrayFrame b = GrayOf(other.Frame(camera, 1280, 720));
  EXPECT_FALSE(EstimateMotion(a, b));
}

TEST(Motion, WithAHandInFront_IsThatOfTheScene) {
  const Scene scene = PageScene();
  const Affine before = CameraAt(1200, 800, 0, 1, 1280, 720);
  const Affine now = CameraAt(1212, 808, 0, 1, 1280, 720);
  const GrayFrame a = GrayOf(scene.Frame(before, 1280, 720));
  image::Image hidden = scene.Frame(now, 1280, 720);
  for (int y = 300; y < 720; ++y)
    std::fill_n(hidden.row(y) + 3 * 700, 3 * 300, uint8_t{120});
  const std::optional<Affine> motion = EstimateMotion(a, GrayOf(hidden));
  ASSERT_TRUE(motion);
  EXPECT_LT(WorstError(before, now, *motion, a.factor), 2.0);
}

TEST(GrayFrame, Rotated_IsThatOfTheUprightFrame) {
  Scene scene(700, 400);
  scene.Add({40, 60, 500, 60, "text"});
  const image::Image upright = scene.Frame({}, 640, 320);
  const GrayFrame expected = GrayOf(upright);
  // Stored turned, so that quarter turns make it upright.
  for (int turns = 1; turns < 4; ++turns) {
    const image::Image stored =
        image::Rotate(upright.view(), 4 - turns).value();
    GrayFrame gray;
    ASSERT_TRUE(MakeGrayFrame(PixelsOf(stored), turns, &gray).ok());
    EXPECT_EQ(gray.levels[0].width, expected.levels[0].width);
    EXPECT_EQ(gray.levels[0].pixels, expected.levels[0].pixels) << turns;
  }
}

TEST(GrayFrame, TinyOrExtremeFrame_IsRefused) {
  GrayFrame gray;
  for (const auto& [width, height] : {std::pair{31, 100}, {2000, 64}}) {
    const image::Image frame = image::Image::Create(width, height).value();
    const Status status = MakeGrayFrame(PixelsOf(frame), 0, &gray);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.message();
  }
}

TEST(GrayFrame, BlurredFrame_IsLessSharp) {
  const Scene scene = PageScene();
  const image::Image sharp =
      scene.Frame(CameraAt(1200, 800, 0, 1, 1280, 720), 1280, 720);
  image::Image blurred = image::Image::Create(1280, 720).value();
  for (int y = 0; y < 720; ++y)
    for (int i = 0; i < 3 * 1280; ++i) {
      int sum = 0;
      for (int k = -8; k <= 8; ++k)
        sum += sharp.row(y)[std::clamp(i + 3 * k, 0, 3 * 1280 - 1)];
      blurred.row(y)[i] = static_cast<uint8_t>(sum / 17);
    }
  EXPECT_LT(GrayOf(blurred).sharpness, GrayOf(sharp).sharpness / 2);
}

}  // namespace
}  // namespace munja::track
