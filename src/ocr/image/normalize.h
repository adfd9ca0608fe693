// RGB bytes -> the floats a network wants.
#ifndef MUNJA_IMAGE_NORMALIZE_H_
#define MUNJA_IMAGE_NORMALIZE_H_

#include <cstddef>

#include "base/thread_pool.h"
#include "image/image.h"

namespace munja::image {

// out[y][x][c] = (pixel - mean[c]) * scale[c], where c counts the channels of
// the output: R, G, B, or B, G, R with `swap_to_bgr`. `mean` is in levels
// (0 to 255). Row y starts at out + y * out_stride (floats, >= 3 * width);
// what lies between the end of a row and the next is not touched, so padding
// is the caller's. Every target gives the same floats. `pool` may be null.
void NormalizeToFloat(const ImageView& in, const float mean[3],
                      const float scale[3], bool swap_to_bgr, float* out,
                      size_t out_stride, ThreadPool* pool = nullptr);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_NORMALIZE_H_
