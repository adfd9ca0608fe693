// Pixels that callers pass.
#ifndef MUNJA_CAPI_READING_PIXEL_ARGS_H_
#define MUNJA_CAPI_READING_PIXEL_ARGS_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "capi/runtime/arguments.h"
#include "image/pixels.h"
#include "munja/image.h"

namespace munja::capi {

struct GivenPixels {
  image::PixelView view;
  int quarter_turns = 0;  // Clockwise ones that make them upright: 0 to 3.
};

// kInvalidArgument: an unknown format or rotation, or as image::Check().
inline Result<GivenPixels> PixelsOf(const munja_pixels& pixels) {
  munja_pixels p;
  MUNJA_RETURN_IF_ERROR(ReadOptions(&pixels, &p));
  if (p.format < MUNJA_PIXELS_GRAY8 || p.format > MUNJA_PIXELS_I420)
    return InvalidArgument("unknown pixel format " +
                           std::to_string(static_cast<int>(p.format)));
  if (p.rotation != 0 && p.rotation != 90 && p.rotation != 180 &&
      p.rotation != 270)
    return InvalidArgument("rotation must be 0, 90, 180 or 270");
  GivenPixels given;
  given.quarter_turns = p.rotation / 90;
  image::PixelView& view = given.view;
  view.format = static_cast<image::PixelFormat>(p.format);
  view.width = p.width;
  view.height = p.height;
  for (int i = 0; i < 3; ++i) {
    view.planes[i] = static_cast<const uint8_t*>(p.planes[i]);
    view.strides[i] = p.strides[i];
  }
  MUNJA_RETURN_IF_ERROR(image::Check(view));
  return given;
}

}  // namespace munja::capi

#endif  // MUNJA_CAPI_READING_PIXEL_ARGS_H_
