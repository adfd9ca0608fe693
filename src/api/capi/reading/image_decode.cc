// Decoding of image files.
#include "munja/image.h"

#include <chrono>
#include <thread>
#include <utility>

#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "image/decode.h"

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

// Calls `decode` with the limits of the options, and times it.
template <class Decode>
Status DecodeInto(const munja_decode_options* options, const Decode& decode,
                  munja_image** image) {
  munja_decode_options o;
  MUNJA_ASSIGN_OR_RETURN(const DecodeLimits limits, LimitsOf(options, &o));
  const munja::ControlScope scope(munja::capi::ControlOf(o.control));
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  MUNJA_ASSIGN_OR_RETURN(Image decoded, decode(limits));
  const std::chrono::duration<double, std::milli> spent = Clock::now() - start;
  *image = new munja_image{std::move(decoded), {}, spent.count()};
  return Status();
}

}  // namespace

extern "C" {

munja_status munja_image_decode(const void* data, size_t size,
                                const munja_decode_options* options,
                                munja_image** image) {
  return KeepError(ErrorOf(options), Guard([&]() -> Status {
                     MUNJA_RETURN_IF_ERROR(RequireAll(image));
                     if (data == nullptr && size > 0)
                       return InvalidArgument("data is NULL");
                     const auto decode = [&](const DecodeLimits& limits) {
                       return munja::image::Decode(
                           {static_cast<const uint8_t*>(data), size}, limits);
                     };
                     return DecodeInto(options, decode, image);
                   }));
}

munja_status munja_image_load(const char* path,
                              const munja_decode_options* options,
                              munja_image** image) {
  return KeepError(ErrorOf(options), Guard([&]() -> Status {
                     MUNJA_RETURN_IF_ERROR(RequireAll(path, image));
                     const auto decode = [&](const DecodeLimits& limits) {
                       return munja::image::DecodeStream(path, limits);
                     };
                     return DecodeInto(options, decode, image);
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

const char* munja_image_extensions(void) {
  return "jpg jpeg jpe jfif png webp bmp dib gif tif tiff heic heif "
         "avif jp2 j2k j2c jpc jpf jpx jxl pnm pbm pgm ppm";
}

}  // extern "C"
