#include "munja/image.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "image/decode.h"
#include "image/pixels.h"
#include "image/transform.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::image::DecodeLimits;
using munja::image::Image;
using munja::image::ImageView;

namespace {

Result<DecodeLimits> LimitsOf(const munja_decode_options* options,
                              munja_decode_options* read) {
  MUNJA_RETURN_IF_ERROR(ReadOptions(options, read));
  const munja_decode_options& o = *read;
  if (o.max_pixels < 0) return InvalidArgument("max_pixels is negative");
  if (o.threads < 0) return InvalidArgument("threads is negative");
  if (o.picture < 0) return InvalidArgument("picture is negative");
  if (!(o.dpi >= 0 && o.dpi <= 1e6))
    return InvalidArgument("dpi is not between 0 and a million");
  DecodeLimits limits;
  limits.threads = o.threads > 0
                       ? o.threads
                       : static_cast<int>(std::thread::hardware_concurrency());
  if (o.max_pixels > 0) limits.max_pixels = o.max_pixels;
  limits.picture = o.picture;
  limits.dpi = o.dpi;
  return limits;
}

using Clock = std::chrono::steady_clock;

Status Keep(Result<Image> result, Clock::time_point start,
            munja_image** image) {
  if (!result.ok()) return std::move(result).TakeStatus();
  const std::chrono::duration<double, std::milli> spent = Clock::now() - start;
  *image = new munja_image{std::move(result.value()), {}, spent.count()};
  return Status();
}

// The EXIF orientation with the same meaning; 0: no such rotation.
int OrientationOf(int32_t rotation) {
  switch (rotation) {
    case 0:
      return 1;
    case 90:
      return 6;
    case 180:
      return 3;
    case 270:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

munja_status munja_image_decode(const void* data, size_t size,
                                const munja_decode_options* options,
                                munja_image** image) {
  return KeepError(
      ErrorOf(options), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(image));
        if (data == nullptr && size > 0) return InvalidArgument("data is NULL");
        munja_decode_options o;
        MUNJA_ASSIGN_OR_RETURN(const DecodeLimits limits,
                               LimitsOf(options, &o));
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
        const Clock::time_point start = Clock::now();
        return Keep(munja::image::Decode(
                        {static_cast<const uint8_t*>(data), size}, limits),
                    start, image);
      }));
}

munja_status munja_image_load(const char* path,
                              const munja_decode_options* options,
                              munja_image** image) {
  return KeepError(
      ErrorOf(options), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(path, image));
        munja_decode_options o;
        MUNJA_ASSIGN_OR_RETURN(const DecodeLimits limits,
                               LimitsOf(options, &o));
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
        const Clock::time_point start = Clock::now();
        return Keep(munja::image::DecodeStream(path, limits), start, image);
      }));
}

munja_status munja_image_count(const void* data, size_t size, int32_t* count) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(count));
    if (data == nullptr && size > 0) return InvalidArgument("data is NULL");
    MUNJA_ASSIGN_OR_RETURN(
        *count,
        munja::image::CountPictures({static_cast<const uint8_t*>(data), size}));
    return Status();
  });
}

munja_status munja_image_from_pixels(const munja_pixels* pixels,
                                     munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(pixels, image));
    munja_pixels p;
    MUNJA_RETURN_IF_ERROR(ReadOptions(pixels, &p));
    if (p.format < MUNJA_PIXELS_GRAY8 || p.format > MUNJA_PIXELS_I420)
      return InvalidArgument("unknown pixel format " +
                             std::to_string(static_cast<int>(p.format)));
    const int orientation = OrientationOf(p.rotation);
    if (orientation == 0)
      return InvalidArgument("rotation must be 0, 90, 180 or 270");
    munja::image::PixelView view;
    view.format = static_cast<munja::image::PixelFormat>(p.format);
    view.width = p.width;
    view.height = p.height;
    for (int i = 0; i < 3; ++i) {
      view.planes[i] = static_cast<const uint8_t*>(p.planes[i]);
      view.strides[i] = p.strides[i];
    }
    MUNJA_RETURN_IF_ERROR(munja::image::Check(view));
    const bool is_rgb = p.format == MUNJA_PIXELS_RGB;
    ImageView rgb = {view.planes[0], p.width, p.height, p.strides[0]};
    if (is_rgb && orientation == 1) {
      *image = new munja_image{Image(), rgb};
      return Status();
    }
    Image converted;
    if (!is_rgb) {
      MUNJA_ASSIGN_OR_RETURN(converted, munja::image::ToRgb(view));
      rgb = converted.view();
    }
    if (orientation != 1) {
      MUNJA_ASSIGN_OR_RETURN(converted, munja::image::Orient(rgb, orientation));
    }
    *image = new munja_image{std::move(converted)};
    return Status();
  });
}

munja_status munja_image_from_rgb(const void* pixels, int32_t width,
                                  int32_t height, size_t stride,
                                  munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(pixels, image));
    munja::image::PixelView view;
    view.width = width;
    view.height = height;
    view.planes[0] = static_cast<const uint8_t*>(pixels);
    view.strides[0] = stride;
    MUNJA_ASSIGN_OR_RETURN(Image copy, munja::image::ToRgb(view));
    *image = new munja_image{std::move(copy)};
    return Status();
  });
}

void munja_image_free(munja_image* image) { delete image; }

int32_t munja_image_width(const munja_image* image) {
  return image ? image->view().width : 0;
}

int32_t munja_image_height(const munja_image* image) {
  return image ? image->view().height : 0;
}

const uint8_t* munja_image_pixels(const munja_image* image, size_t* stride) {
  if (image == nullptr) return nullptr;
  if (stride != nullptr) *stride = image->view().stride;
  return image->view().data;
}

const char* munja_image_extensions(void) {
  return "jpg jpeg jpe jfif png webp bmp dib gif tif tiff heic heif "
         "avif pnm pbm pgm ppm";
}

}  // extern "C"
