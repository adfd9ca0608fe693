#include "track/camera.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "track/change.h"
#include "track/motion.h"

namespace munja::track {
namespace {

// How far the corners of the frame move, in pixels of the small frame.
double LargestShift(const Affine& motion, const GrayImage& image) {
  double largest = 0;
  for (const double x : {0.0, static_cast<double>(image.width)}) {
    for (const double y : {0.0, static_cast<double>(image.height)}) {
      const double dx = motion.a * x + motion.b * y + motion.c - x;
      const double dy = motion.d * x + motion.e * y + motion.f - y;
      largest = std::max(largest, std::hypot(dx, dy));
    }
  }
  return largest;
}

// Below, the frame is taken to stand still: noise moves it so far.
constexpr double kStill = 0.15;
// From here on the frame becomes the next key.
constexpr double kFar = 16;

double ShareChanged(const ChangeMap& changes) {
  const auto changed = std::count_if(changes.tiles.begin(), changes.tiles.end(),
                                     [](uint8_t tile) { return tile != 0; });
  return static_cast<double>(changed) /
         static_cast<double>(changes.tiles.size());
}

}  // namespace

void Camera::StartFrom(std::shared_ptr<const GrayFrame> frame,
                       const Pose& pose) {
  key_ = std::move(frame);
  key_to_world_ = to_world_ = pose.to_world;
  motion_ = {};
}

Camera::Pose Camera::Follow(std::shared_ptr<const GrayFrame> frame) {
  Pose pose;
  if (key_ == nullptr) {
    StartFrom(std::move(frame), pose);
    return pose;
  }
  const Affine before = motion_;
  const ChangeMap changes = FindChanges(*frame, *key_, {});
  std::optional<Affine> motion = Affine{};
  if (changes.Any()) {
    motion = EstimateMotion(*key_, *frame, motion_);
    // Something moves or changes in front of a ground without structure.
    if (!motion && ShareChanged(changes) < 0.3) motion = Affine{};
  }
  if (!motion) {
    pose.to_world = to_world_;
    pose.is_lost = pose.moved = true;
    StartFrom(std::move(frame), pose);
    return pose;
  }
  if (LargestShift(*motion, frame->levels[0]) < kStill) motion = Affine{};
  motion_ = *motion;
  pose.moved = LargestShift(Compose(motion_, Inverse(before)),
                            frame->levels[0]) > 4 * kStill;
  pose.to_world =
      motion_ == Affine{}
          ? key_to_world_
          : Compose(key_to_world_, Inverse(Enlarged(motion_, frame->factor)));
  to_world_ = pose.to_world;
  if (LargestShift(motion_, frame->levels[0]) > kFar)
    StartFrom(std::move(frame), pose);
  return pose;
}

}  // namespace munja::track
