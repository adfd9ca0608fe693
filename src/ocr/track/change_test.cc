#include "track/change.h"

#include <gtest/gtest.h>

#include "track/testing.h"

namespace munja::track {
namespace {

const Affine kCamera = CameraAt(1200, 800, 0, 1, 1280, 720);

TEST(Changes, SameFrameWithNoise_AreNone) {
  const Scene scene = PageScene();
  image::Image first = scene.Frame(kCamera, 1280, 720);
  image::Image second = scene.Frame(kCamera, 1280, 720);
  uint32_t random = 7;
  for (image::Image* frame : {&first, &second})
    for (int y = 0; y < 720; ++y)
      for (int i = 0; i < 3 * 1280; ++i) {
        random = random * 1664525u + 1013904223u;
        uint8_t& level = frame->row(y)[i];
        level =
            static_cast<uint8_t>(level + static_cast<int>(random >> 28) - 8);
      }
  EXPECT_FALSE(FindChanges(GrayOf(second), GrayOf(first), {}).Any());
}

TEST(Changes, OneLine_AreWhereItIs) {
  Scene scene = PageScene();
  const GrayFrame before = GrayOf(scene.Frame(kCamera, 1280, 720));
  scene.Add({800, 700, 400, 30, "new"});
  const GrayFrame now = GrayOf(scene.Frame(kCamera, 1280, 720));
  const ChangeMap changes = FindChanges(now, before, {});
  // The camera's left and top are at 560 and 440.
  EXPECT_TRUE(changes.AnyIn({240, 260, 640, 290}));
  EXPECT_FALSE(changes.AnyIn({0, 0, 1280, 220}));
  EXPECT_FALSE(changes.AnyIn({0, 330, 1280, 720}));
  ChangeMap top = changes;
  top.KeepOnly({0, 0, 1280, 220});
  EXPECT_FALSE(top.Any());
}

TEST(Changes, BrighterLight_AreNone) {
  const Scene scene = PageScene();
  const image::Image frame = scene.Frame(kCamera, 1280, 720);
  image::Image brighter = scene.Frame(kCamera, 1280, 720);
  for (int y = 0; y < 720; ++y)
    for (int i = 0; i < 3 * 1280; ++i)
      brighter.row(y)[i] = static_cast<uint8_t>(frame.row(y)[i] * 9 / 8);
  EXPECT_FALSE(FindChanges(GrayOf(brighter), GrayOf(frame), {}).Any());
}

TEST(Changes, OfAMovedCamera_AreOnlyWhatCameIntoView) {
  const Scene scene = PageScene();
  const Affine moved = CameraAt(1250, 800, 0, 1, 1280, 720);
  const GrayFrame before = GrayOf(scene.Frame(kCamera, 1280, 720));
  const GrayFrame now = GrayOf(scene.Frame(moved, 1280, 720));
  const Affine to_before = {1, 0, 12.5, 0, 1, 0};
  const ChangeMap changes = FindChanges(now, before, to_before);
  EXPECT_TRUE(changes.AnyIn({1250, 0, 1280, 720}));
  EXPECT_FALSE(changes.AnyIn({0, 0, 1180, 720}));
}

}  // namespace
}  // namespace munja::track
