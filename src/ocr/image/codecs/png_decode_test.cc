#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <array>
#include <cstring>
#include <vector>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

struct Case {
  const char* name;
  int color_type, depth;
};

class PngDecodeTest : public ::testing::TestWithParam<Case> {};

// The pattern as the encoder of the tests writes it, seen over white.
Image Expected(const Image& pattern, const Case& c) {
  Image out = Copy(pattern.view());
  for (int y = 0; y < out.height(); ++y) {
    for (int x = 0; x < out.width(); ++x) {
      uint8_t* const p = out.row(y) + 3 * x;
      int rgb[3] = {p[0], p[1], p[2]};
      double alpha = 1;
      if (c.color_type == PNG_COLOR_TYPE_PALETTE) {
        const int index = p[0] >> (8 - c.depth);
        rgb[0] = index, rgb[1] = 255 - index, rgb[2] = 7;
        if (index == 0) alpha = 0;
      } else {
        if ((c.color_type & PNG_COLOR_MASK_COLOR) == 0) rgb[1] = rgb[2] = p[0];
        if ((c.color_type & PNG_COLOR_MASK_ALPHA) != 0) {
          alpha = (255 - p[0]) / 255.0;
        }
        if (c.depth < 8) {
          const int top = (1 << c.depth) - 1;
          for (int& level : rgb) level = (level >> (8 - c.depth)) * 255 / top;
        }
      }
      for (int i = 0; i < 3; ++i) {
        p[i] = static_cast<uint8_t>(rgb[i] * alpha + 255 * (1 - alpha) + 0.5);
      }
    }
  }
  return out;
}

TEST_P(PngDecodeTest, WrittenImage_ReadsBack) {
  const Case& c = GetParam();
  for (const int width : {1, 7, 8, 45}) {
    const Image pattern = Pattern(width, 21);
    for (const bool interlaced : {false, true}) {
      const std::vector<uint8_t> bytes =
          EncodePngAs(pattern, {c.color_type, c.depth, interlaced});
      // A 16-bit alpha is rounded once more than the oracle's.
      const bool alpha16 =
          c.depth == 16 && (c.color_type & PNG_COLOR_MASK_ALPHA) != 0;
      EXPECT_LE(LargestDifference(MustDecode(bytes), Expected(pattern, c)),
                alpha16 ? 1 : 0)
          << width << (interlaced ? " interlaced" : "");
    }
  }
}

TEST_P(PngDecodeTest, TruncatedFile_IsRefused) {
  const Case& c = GetParam();
  const Image pattern = Pattern(64, 64);
  for (const bool interlaced : {false, true}) {
    std::vector<uint8_t> bytes =
        EncodePngAs(pattern, {c.color_type, c.depth, interlaced});
    ExpectCutsRefused(bytes);
    // Without the end chunk, before which a turn may have been stated.
    bytes.resize(bytes.size() - 12);
    const Result<Image> image = Decode(bytes);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().message(),
              "png: the file ends before its end chunk");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, PngDecodeTest,
    ::testing::Values(Case{"Gray1", 0, 1}, Case{"Gray2", 0, 2},
                      Case{"Gray4", 0, 4}, Case{"Gray8", 0, 8},
                      Case{"Gray16", 0, 16}, Case{"Rgb8", 2, 8},
                      Case{"Rgb16", 2, 16}, Case{"Palette1", 3, 1},
                      Case{"Palette2", 3, 2}, Case{"Palette4", 3, 4},
                      Case{"Palette8", 3, 8}, Case{"GrayAlpha8", 4, 8},
                      Case{"GrayAlpha16", 4, 16}, Case{"Rgba8", 6, 8},
                      Case{"Rgba16", 6, 16}),
    [](const auto& format) { return format.param.name; });

TEST(PngDecode, EveryOrientation_IsApplied) {
  const Image pattern = Pattern(20, 13);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image decoded = MustDecode(EncodePngAs(StoredAs(pattern, orientation),
                                                 {.orientation = orientation}));
    EXPECT_EQ(LargestDifference(decoded, pattern), 0) << orientation;
  }
}

TEST(PngDecode, FlippedBit_IsRefused) {
  std::vector<uint8_t> bytes = EncodePngAs(Pattern(50, 50), {});
  bytes[bytes.size() / 2] ^= 0x10;
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().code(), Code::kMalformed);
}

// libpng would go on without the turn, or without the transparency.
TEST(PngDecode, DamagedVisibleChunk_IsRefused) {
  std::vector<uint8_t> turned = EncodePngAs(Pattern(9, 5), {.orientation = 6});
  ASSERT_EQ(std::memcmp(&turned[37], "eXIf", 4), 0);
  turned[50] ^= 1;
  EXPECT_EQ(Decode(turned).status().message(),
            "png: eXIf: the checksum is wrong");
  std::vector<uint8_t> palette =
      EncodePngAs(Pattern(9, 5), {.color_type = 3, .depth = 1});
  const size_t at = 33 + 12 + 6;  // Behind the header and two colors.
  ASSERT_EQ(std::memcmp(&palette[at + 4], "tRNS", 4), 0);
  palette[at + 8] ^= 1;
  EXPECT_EQ(Decode(palette).status().message(),
            "png: tRNS: the checksum is wrong");
}

// The chunk that follows the header states 2 GB, of which nothing is there;
// the replay under the address sanitizer fails when they are allocated.
TEST(PngDecode, HugeChunks_AreRefusedBeforeAllocation) {
  std::vector<uint8_t> bytes = EncodePngAs(Pattern(5, 5), {.orientation = 6});
  ASSERT_EQ(std::memcmp(&bytes[37], "eXIf", 4), 0);
  bytes[33] = 0x7A;
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().code(), Code::kMalformed);
  EXPECT_THAT(std::string(image.status().message()),
              ::testing::HasSubstr("ends inside"));
}

TEST(PngDecode, SizeInTheHeader_IsChecked) {
  std::vector<uint8_t> bytes = EncodePngAs(Pattern(5, 5), {});
  bytes[18] = bytes[22] = 0xFD;  // 65 thousand each way; the checksum is off.
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().code(), Code::kOutOfMemory);
  bytes[18] = bytes[19] = 0;
  EXPECT_EQ(Decode(bytes).status().code(), Code::kMalformed);
}

// One row of `width` pixels in a format of libpng.
std::vector<uint8_t> OneRow(uint32_t width, uint32_t format,
                            const void* samples) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = 1;
  image.format = format;
  std::vector<uint8_t> bytes(4096);
  png_alloc_size_t size = bytes.size();
  EXPECT_NE(png_image_write_to_memory(&image, bytes.data(), &size, 0, samples,
                                      0, nullptr),
            0);
  bytes.resize(size);
  return bytes;
}

// 16-bit gray or RGB with these samples in all channels of three pixels.
std::vector<uint8_t> SixteenBits(const std::array<uint16_t, 3>& levels,
                                 bool is_rgb) {
  std::vector<uint16_t> samples;
  for (const uint16_t level : levels)
    samples.insert(samples.end(), is_rgb ? 3 : 1, level);
  return OneRow(3, is_rgb ? PNG_FORMAT_LINEAR_RGB : PNG_FORMAT_LINEAR_Y,
                samples.data());
}

// Ten bits of a camera in a file of sixteen would be black.
TEST(PngDecode, SixteenBitsOfASmallRange_AreStretched) {
  for (const bool is_rgb : {false, true}) {
    const auto levels = [&](std::array<uint16_t, 3> samples) {
      const Image image = MustDecode(SixteenBits(samples, is_rgb));
      return std::vector<int>{image.row(0), image.row(0) + 9};
    };
    EXPECT_EQ(levels({0, 341, 1023}),
              (std::vector<int>{0, 0, 0, 85, 85, 85, 255, 255, 255}));
    EXPECT_EQ(levels({0, 819, 4095}),
              (std::vector<int>{0, 0, 0, 51, 51, 51, 255, 255, 255}));
    // A dark picture stays dark, and black is black.
    EXPECT_EQ(levels({0, 257, 4096}),
              (std::vector<int>{0, 0, 0, 1, 1, 1, 16, 16, 16}));
    EXPECT_EQ(levels({0, 0, 0}), (std::vector<int>(9, 0)));
  }
}

// Two pixels of 8-bit gray and alpha.
std::vector<uint8_t> GrayAndAlpha(const std::array<uint8_t, 4>& samples) {
  return OneRow(2, PNG_FORMAT_GA, samples.data());
}

TEST(PngDecode, WhiteOnTransparent_IsSeenOverBlack) {
  const auto levels = [](const std::array<uint8_t, 4>& samples) {
    const Image image = MustDecode(GrayAndAlpha(samples));
    return std::vector<int>{image.row(0), image.row(0) + 6};
  };
  EXPECT_EQ(levels({255, 255, 0, 0}),
            (std::vector<int>{255, 255, 255, 0, 0, 0}));
  EXPECT_EQ(levels({240, 255, 0, 0}),
            (std::vector<int>{240, 240, 240, 0, 0, 0}));
  // Black print, and images without any.
  EXPECT_EQ(levels({0, 255, 255, 0}),
            (std::vector<int>{0, 0, 0, 255, 255, 255}));
  EXPECT_EQ(levels({0, 0, 255, 0}), (std::vector<int>(6, 255)));
  EXPECT_EQ(levels({255, 255, 255, 255}), (std::vector<int>(6, 255)));
}

}  // namespace
}  // namespace munja::image::test_pictures
