// Camera: where each frame of a stream lies in the world.
#ifndef MUNJA_TRACK_CAMERA_H_
#define MUNJA_TRACK_CAMERA_H_

#include <memory>

#include "track/affine.h"
#include "track/gray_frame.h"

namespace munja::track {

class Camera {
 public:
  struct Pose {
    Affine to_world;       // From pixels of the frame.
    bool is_lost = false;  // A cut, or faster than can be followed.
    bool moved = false;    // Since the frame before.
  };
  // The next frame. While nothing moves nothing is estimated. Motion is
  // estimated against a key frame, so that errors do not add up while the
  // camera shakes.
  Pose Follow(std::shared_ptr<const GrayFrame> frame);
  void Forget() { key_ = nullptr; }

 private:
  void StartFrom(std::shared_ptr<const GrayFrame> frame, const Pose& pose);

  std::shared_ptr<const GrayFrame> key_;
  Affine key_to_world_, to_world_;
  Affine motion_;  // From the key to the last frame, small frames' pixels.
};

}  // namespace munja::track

#endif  // MUNJA_TRACK_CAMERA_H_
