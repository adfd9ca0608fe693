// Turning and straightening images.
#ifndef MUNJA_IMAGE_TRANSFORM_H_
#define MUNJA_IMAGE_TRANSFORM_H_

#include "base/status.h"
#include "base/thread_pool.h"
#include "image/homography.h"
#include "image/image.h"

namespace munja::image {

// Turns by quarter_turns_clockwise * 90 degrees; any integer, 0 copies.
// kInvalidArgument for an empty view, kOutOfMemory.
Result<Image> Rotate(const ImageView& in, int quarter_turns_clockwise);

// Brings an image stored with EXIF orientation 1 to 8 upright; every other
// value counts as 1 (a copy).
Result<Image> Orient(const ImageView& in, int exif_orientation);

enum class Interpolation {
  kBilinear,
  kBicubic,  // Catmull-Rom-like cubic with a = -0.75, as OpenCV.
};

// out(x, y) = in at inverse_map(x, y), for every pixel of `out` (made with
// Image::Create). Beyond the border the nearest border pixel is repeated.
// Coordinates are rounded to 1/32 pixel and weights have 15 bits, so that the
// same bytes come out on every SIMD target and for every number of threads.
// `in` and `out` must not overlap. `pool` may be null. kInvalidArgument for
// an empty image or a map with entries that are not finite or above 1e100.
Status WarpPerspective(const ImageView& in, const Homography& inverse_map,
                       Image& out,
                       Interpolation interpolation = Interpolation::kBicubic,
                       ThreadPool* pool = nullptr);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_TRANSFORM_H_
