#include "munja/image.h"

#include <cstring>
#include <thread>
#include <utility>

#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "image/decode.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::image::DecodeLimits;
using munja::image::Image;

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

Status Keep(Result<Image> result, munja_image** image) {
  if (!result.ok()) return std::move(result).TakeStatus();
  *image = new munja_image{std::move(result.value())};
  return Status();
}

}  // namespace

extern "C" {

munja_status munja_image_decode(const void* data, size_t size,
                                const munja_decode_options* options,
                                munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(image));
    if (data == nullptr && size > 0) return InvalidArgument("data is NULL");
    munja_decode_options o;
    MUNJA_ASSIGN_OR_RETURN(const DecodeLimits limits, LimitsOf(options, &o));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    return Keep(
        munja::image::Decode({static_cast<const uint8_t*>(data), size}, limits),
        image);
  });
}

munja_status munja_image_load(const char* path,
                              const munja_decode_options* options,
                              munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path, image));
    munja_decode_options o;
    MUNJA_ASSIGN_OR_RETURN(const DecodeLimits limits, LimitsOf(options, &o));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    return Keep(munja::image::DecodeStream(path, limits), image);
  });
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

munja_status munja_image_from_rgb(const void* pixels, int32_t width,
                                  int32_t height, size_t stride,
                                  munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(pixels, image));
    MUNJA_ASSIGN_OR_RETURN(Image copy, Image::Create(width, height));
    if (stride < copy.stride())
      return InvalidArgument("stride is shorter than a row of pixels");
    for (int32_t y = 0; y < height; ++y)
      std::memcpy(
          copy.row(y),
          static_cast<const uint8_t*>(pixels) + static_cast<size_t>(y) * stride,
          copy.stride());
    *image = new munja_image{std::move(copy)};
    return Status();
  });
}

void munja_image_free(munja_image* image) { delete image; }

int32_t munja_image_width(const munja_image* image) {
  return image ? image->image.width() : 0;
}

int32_t munja_image_height(const munja_image* image) {
  return image ? image->image.height() : 0;
}

const uint8_t* munja_image_pixels(const munja_image* image) {
  return image ? image->image.row(0) : nullptr;
}

const char* munja_image_extensions(void) {
  return "jpg jpeg jpe jfif png webp bmp dib gif tif tiff heic heif "
         "avif pnm pbm pgm ppm";
}

}  // extern "C"
