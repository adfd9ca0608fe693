// Homography: a projective map of the plane.
#ifndef MUNJA_IMAGE_HOMOGRAPHY_H_
#define MUNJA_IMAGE_HOMOGRAPHY_H_

#include <array>

#include "base/status.h"

namespace munja::image {

// (x, y) -> ((m0 x + m1 y + m2) / w, (m3 x + m4 y + m5) / w),
// w = m6 x + m7 y + m8. Pixel (i, j) is the point (i, j): its center.
struct Homography {
  std::array<double, 9> m = {1, 0, 0, 0, 1, 0, 0, 0, 1};
};

// The map that brings the points (0, 0), (width, 0), (width, height),
// (0, height) of an upright rectangle to the four `corners` {x, y} of a quad
// in an image: WarpPerspective() with it straightens the quad into a
// width x height image. kInvalidArgument when a corner is not finite, a
// side is < 1 or the corners do not span an area (three on one line).
Result<Homography> QuadToRectangle(
    const std::array<std::array<float, 2>, 4>& corners, int width, int height);

// kInvalidArgument when the map is not invertible.
Result<Homography> Invert(const Homography& map);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_HOMOGRAPHY_H_
