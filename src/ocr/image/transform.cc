#include "image/transform.h"

#include <algorithm>
#include <cstring>

#include "base/control.h"
#include "image/rows.h"

namespace munja::image {
namespace {

// Pixels in a square block are read and written while both are in the cache.
constexpr int kBlock = 32;

// out(x, y) = in(y, x), with either axis of `in` reversed before.
void Transpose(const ImageView& in, bool reverse_x, bool reverse_y,
               Image& out) {
  for (int top = 0; top < out.height() && !IsStopped(); top += kBlock) {
    for (int left = 0; left < out.width(); left += kBlock) {
      const int bottom = std::min(top + kBlock, out.height());
      const int right = std::min(left + kBlock, out.width());
      for (int y = top; y < bottom; ++y) {
        const int in_x = reverse_x ? in.width - 1 - y : y;
        uint8_t* const row = out.row(y);
        for (int x = left; x < right; ++x) {
          const int in_y = reverse_y ? in.height - 1 - x : x;
          std::memcpy(row + 3 * x, in.row(in_y) + 3 * in_x, 3);
        }
      }
    }
  }
}

void Mirror(const ImageView& in, bool reverse_x, bool reverse_y, Image& out) {
  for (int y = 0; y < in.height && !IsStopped(); ++y) {
    const uint8_t* const from = in.row(reverse_y ? in.height - 1 - y : y);
    uint8_t* const to = out.row(y);
    if (!reverse_x) {
      std::memcpy(to, from, out.stride());
      continue;
    }
    for (int x = 0; x < in.width; ++x)
      std::memcpy(to + 3 * x, from + 3 * (in.width - 1 - x), 3);
  }
}

}  // namespace

Result<Image> Orient(const ImageView& in, int exif_orientation) {
  if (!IsUsable(in)) return InvalidArgument("turn: the picture is empty");
  const bool transposed = exif_orientation >= 5 && exif_orientation <= 8;
  MUNJA_ASSIGN_OR_RETURN(Image out, transposed
                                        ? Image::Create(in.height, in.width)
                                        : Image::Create(in.width, in.height));
  // Which corner of the upright image the first stored row and column
  // touch: EXIF 2.3, tag 0x0112.
  switch (exif_orientation) {
    case 2:
      Mirror(in, true, false, out);
      break;
    case 3:
      Mirror(in, true, true, out);
      break;
    case 4:
      Mirror(in, false, true, out);
      break;
    case 5:
      Transpose(in, false, false, out);
      break;
    case 6:
      Transpose(in, false, true, out);
      break;
    case 7:
      Transpose(in, true, true, out);
      break;
    case 8:
      Transpose(in, true, false, out);
      break;
    default:
      Mirror(in, false, false, out);
      break;
  }
  MUNJA_RETURN_IF_ERROR(CheckControl());
  return out;
}

Result<Image> Rotate(const ImageView& in, int quarter_turns_clockwise) {
  static constexpr int kOrientation[4] = {1, 6, 3, 8};
  return Orient(in, kOrientation[((quarter_turns_clockwise % 4) + 4) % 4]);
}

}  // namespace munja::image
