#include "image/codecs/codec.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace munja::image::codecs {
namespace {

// An EXIF block whose only entry is the orientation, in either byte order.
std::vector<uint8_t> Exif(bool is_big, bool has_prefix, int orientation) {
  std::vector<uint8_t> block;
  if (has_prefix) block = {'E', 'x', 'i', 'f', 0, 0};
  const auto put = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (is_big ? bytes - 1 - i : i);
      block.push_back(static_cast<uint8_t>(value >> shift));
    }
  };
  block.insert(block.end(), 2, is_big ? 'M' : 'I');
  put(42, 2);
  put(8, 4);
  put(1, 2);  // Entries.
  put(0x0112, 2);
  put(3, 2);  // A 16-bit number,
  put(1, 4);  // and one of it.
  put(static_cast<uint32_t>(orientation), 2);
  put(0, 2);
  put(0, 4);  // No other directory.
  return block;
}

TEST(ExifOrientation, BothByteOrders_AreRead) {
  for (const bool is_big : {false, true}) {
    for (const bool has_prefix : {false, true}) {
      for (int orientation = 0; orientation <= 9; ++orientation) {
        const bool is_known = orientation >= 1 && orientation <= 8;
        EXPECT_EQ(ExifOrientation(Exif(is_big, has_prefix, orientation)),
                  is_known ? orientation : 1)
            << is_big << has_prefix << orientation;
      }
    }
  }
  EXPECT_EQ(ExifOrientation({}), 1);
}

}  // namespace
}  // namespace munja::image::codecs
