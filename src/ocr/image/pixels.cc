#include "image/pixels.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "image/ground.h"

namespace munja::image {
namespace {

size_t BytesPerPixel(PixelFormat format) {
  switch (format) {
    case PixelFormat::kRgb:
    case PixelFormat::kBgr:
      return 3;
    case PixelFormat::kRgba:
    case PixelFormat::kBgra:
      return 4;
    default:
      return 1;
  }
}

// Bytes of a row of a plane; 0: the format has no such plane.
size_t RowBytes(const PixelView& pixels, int plane) {
  const auto width = static_cast<size_t>(pixels.width);
  if (plane == 0) return width * BytesPerPixel(pixels.format);
  const size_t chroma = (width + 1) / 2;
  switch (pixels.format) {
    case PixelFormat::kNv12:
    case PixelFormat::kNv21:
      return plane == 1 ? 2 * chroma : 0;
    case PixelFormat::kI420:
      return chroma;
    default:
      return 0;
  }
}

uint8_t Blend(uint8_t value, uint8_t alpha, uint8_t ground) {
  return static_cast<uint8_t>((value * alpha + ground * (255 - alpha) + 127) /
                              255);
}

uint8_t Clamp(int value) {
  return static_cast<uint8_t>(std::clamp(value, 0, 255));
}

// BT.601, limited range, in units of 1/256 as ITU-R BT.601 defines it:
// R = 1.164 (Y - 16) + 1.596 (V - 128), and so on.
void YuvToRgb(int y, int u, int v, uint8_t* rgb) {
  const int luma = 298 * (y - 16) + 128;
  u -= 128;
  v -= 128;
  rgb[0] = Clamp((luma + 409 * v) >> 8);
  rgb[1] = Clamp((luma - 100 * u - 208 * v) >> 8);
  rgb[2] = Clamp((luma + 516 * u) >> 8);
}

void PackedRow(PixelFormat format, const uint8_t* in, int width, uint8_t ground,
               uint8_t* rgb) {
  for (int x = 0; x < width; ++x, rgb += 3) {
    switch (format) {
      case PixelFormat::kBgr:
        rgb[0] = in[3 * x + 2];
        rgb[1] = in[3 * x + 1];
        rgb[2] = in[3 * x];
        break;
      case PixelFormat::kRgba:
      case PixelFormat::kBgra: {
        const bool is_bgr = format == PixelFormat::kBgra;
        const uint8_t* const p = in + 4 * x;
        rgb[0] = Blend(p[is_bgr ? 2 : 0], p[3], ground);
        rgb[1] = Blend(p[1], p[3], ground);
        rgb[2] = Blend(p[is_bgr ? 0 : 2], p[3], ground);
        break;
      }
      default:
        rgb[0] = rgb[1] = rgb[2] = in[x];
    }
  }
}

void YuvRow(const PixelView& pixels, int y, uint8_t* rgb) {
  const uint8_t* const luma =
      pixels.planes[0] + static_cast<size_t>(y) * pixels.strides[0];
  const size_t half = static_cast<size_t>(y) / 2;
  const uint8_t* const first = pixels.planes[1] + half * pixels.strides[1];
  const bool is_planar = pixels.format == PixelFormat::kI420;
  const uint8_t* const second =
      is_planar ? pixels.planes[2] + half * pixels.strides[2] : first + 1;
  const int step = is_planar ? 1 : 2;
  const bool is_v_first = pixels.format == PixelFormat::kNv21;
  for (int x = 0; x < pixels.width; ++x, rgb += 3) {
    const int a = first[x / 2 * step], b = second[x / 2 * step];
    YuvToRgb(luma[x], is_v_first ? b : a, is_v_first ? a : b, rgb);
  }
}

Result<Image> ToRgbOver(const PixelView& pixels, uint8_t ground) {
  MUNJA_ASSIGN_OR_RETURN(Image image,
                         Image::Create(pixels.width, pixels.height));
  const bool is_yuv = pixels.format == PixelFormat::kNv12 ||
                      pixels.format == PixelFormat::kNv21 ||
                      pixels.format == PixelFormat::kI420;
  for (int y = 0; y < pixels.height; ++y) {
    const uint8_t* const row =
        pixels.planes[0] + static_cast<size_t>(y) * pixels.strides[0];
    if (is_yuv)
      YuvRow(pixels, y, image.row(y));
    else if (pixels.format == PixelFormat::kRgb)
      std::memcpy(image.row(y), row, image.stride());
    else
      PackedRow(pixels.format, row, pixels.width, ground, image.row(y));
  }
  return image;
}

}  // namespace

Status Check(const PixelView& pixels) {
  if (pixels.width < 1 || pixels.height < 1 || pixels.width > kMaxImageSide ||
      pixels.height > kMaxImageSide)
    return InvalidArgument(
        "an image has 1 to " + std::to_string(kMaxImageSide) +
        " pixels in width and height, not " + std::to_string(pixels.width) +
        " x " + std::to_string(pixels.height));
  for (int i = 0; i < 3; ++i) {
    const size_t row = RowBytes(pixels, i);
    if (row == 0) continue;
    if (pixels.planes[i] == nullptr)
      return InvalidArgument("plane " + std::to_string(i) + " is NULL");
    if (pixels.strides[i] < row)
      return InvalidArgument("the stride of plane " + std::to_string(i) +
                             " is shorter than a row of pixels");
  }
  return Status();
}

Result<Image> ToRgb(const PixelView& pixels) {
  MUNJA_RETURN_IF_ERROR(Check(pixels));
  const bool has_alpha = pixels.format == PixelFormat::kRgba ||
                         pixels.format == PixelFormat::kBgra;
  return OverWhiteOrBlack(
      has_alpha, [&](uint8_t ground) { return ToRgbOver(pixels, ground); });
}

}  // namespace munja::image
