// Pixels in the layouts of cameras and graphics libraries, to RGB.
#ifndef MUNJA_IMAGE_PIXELS_H_
#define MUNJA_IMAGE_PIXELS_H_

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "image/image.h"

namespace munja::image {

// 8 bits per channel. NV12, NV21 and I420 are BT.601 with limited range; their
// chroma planes have half the width and height, rounded up.
enum class PixelFormat {
  kGray8,
  kRgb,
  kBgr,
  kRgba,
  kBgra,
  kNv12,
  kNv21,
  kI420
};

// Non-owning.
struct PixelView {
  PixelFormat format = PixelFormat::kRgb;
  int width = 0, height = 0;
  const uint8_t* planes[3] = {};
  size_t strides[3] = {};  // Bytes from row to row of each plane.
};

// kInvalidArgument: a size outside [1, kMaxImageSide], a plane that is missing,
// a stride shorter than its row.
Status Check(const PixelView& pixels);

// Transparency is blended over white, or over black where nothing would be seen
// over white. As Check(); kOutOfMemory.
Result<Image> ToRgb(const PixelView& pixels);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_PIXELS_H_
