// Scaling of RGB images. Integer arithmetic: the same bytes come out on
// every SIMD target and for every number of threads.
#ifndef MUNJA_IMAGE_RESIZE_H_
#define MUNJA_IMAGE_RESIZE_H_

#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"

namespace munja::image {

// Scales `in` to the size of `out` (made with Image::Create), bilinear:
// pixel centers lie at half-integers, coordinates are clamped to the edge
// pixels, there is no low-pass filter, weights have 11 bits. This is the
// INTER_LINEAR rule of OpenCV for 8-bit images, which OCR networks are
// trained with. `in` and `out` must not overlap. `pool` may be null.
// kInvalidArgument for an empty image, kOutOfMemory.
Status Resize(const ImageView& in, Image& out, ThreadPool* pool = nullptr);

// Scales by averaging the area that each output pixel covers: use it to make
// an image much smaller without aliasing. A side that grows is interpolated
// linearly. Contract otherwise as Resize().
Status ResizeArea(const ImageView& in, Image& out, ThreadPool* pool = nullptr);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_RESIZE_H_
