#include "image/codecs/codec.h"

#include <libexif/exif-data.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "image/transform.h"

namespace munja::image::codecs {

Status CheckSize(int64_t width, int64_t height, const DecodeLimits& limits) {
  const auto size = [&] {
    return std::to_string(width) + " x " + std::to_string(height);
  };
  if (width < 1 || height < 1)
    return Malformed("the header states a size of " + size() + " pixels");
  const int side = std::min(limits.max_side, kMaxImageSide);
  if (width > side || height > side) {
    return OutOfMemory("the picture has " + size() +
                       " pixels, a side may have " + std::to_string(side));
  }
  if (width * height > limits.max_pixels) {
    return OutOfMemory("the picture has " + size() + " pixels, at most " +
                       std::to_string(limits.max_pixels) + " are allowed");
  }
  return Status();
}

Status CutOff(int64_t rows_read, int64_t height) {
  return Malformed("the picture is cut off after row " +
                   std::to_string(rows_read) + " of " + std::to_string(height));
}

int ExifOrientation(Bytes exif) {
  constexpr char kPrefix[6] = {'E', 'x', 'i', 'f', 0, 0};
  // A JPEG segment, where EXIF blocks come from, cannot be longer.
  constexpr size_t kLongest = 65533;
  uint8_t block[kLongest + sizeof(kPrefix)];
  size_t size = 0;
  if (exif.size() < sizeof(kPrefix) ||
      std::memcmp(exif.data(), kPrefix, sizeof(kPrefix)) != 0) {
    std::memcpy(block, kPrefix, sizeof(kPrefix));
    size = sizeof(kPrefix);
  }
  const size_t copied = std::min(exif.size(), kLongest);
  if (copied > 0) std::memcpy(block + size, exif.data(), copied);
  size += copied;

  ExifData* const data = exif_data_new();
  if (data == nullptr) return 1;
  exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
  exif_data_load_data(data, block, static_cast<unsigned>(size));
  int orientation = 1;
  const ExifEntry* const entry =
      exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (entry != nullptr && entry->format == EXIF_FORMAT_SHORT &&
      entry->components >= 1 && entry->data != nullptr && entry->size >= 2) {
    orientation = exif_get_short(entry->data, exif_data_get_byte_order(data));
  }
  exif_data_unref(data);
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

Result<Image> Upright(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  return Orient(image.view(), orientation);
}

void SetPaperOf(double across, double down, Image& image) {
  constexpr double kPoints = 72;                // To the inch.
  constexpr double kLeast = 3, kMost = 14'400;  // The sides of a PDF page.
  if (!(across > 0 && down > 0)) return;
  const double width = image.width() * kPoints / across;
  const double height = image.height() * kPoints / down;
  if (std::min(width, height) >= kLeast && std::max(width, height) <= kMost)
    image.SetPaper(width, height);
}

bool MayHaveSmallSamples(const Image& image) {
  constexpr uint8_t kLargest = (kLargestSmallSample + 128) / 257;
  for (int y = 0; y < image.height(); ++y) {
    const uint8_t* const row = image.row(y);
    if (*std::max_element(row, row + image.stride()) > kLargest) return false;
  }
  return true;
}

void OverGround(const uint8_t* rgba, size_t count, uint8_t ground,
                uint8_t* rgb) {
  for (size_t i = 0; i < count; ++i) {
    const uint32_t alpha = rgba[4 * i + 3];
    for (size_t c = 0; c < 3; ++c) {
      // value / 255 rounded to nearest; exact for all value <= 255 * 255.
      const uint32_t value =
          rgba[4 * i + c] * alpha + ground * (255 - alpha) + 128;
      rgb[3 * i + c] = static_cast<uint8_t>((value + (value >> 8)) >> 8);
    }
  }
}

}  // namespace munja::image::codecs
