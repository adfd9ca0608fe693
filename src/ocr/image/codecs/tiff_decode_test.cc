#include <gtest/gtest.h>
#include <tiffio.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "image/codecs/testing.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

// Nothing for what can be read.
std::optional<Code> TiffCode(const Result<Image>& image) {
  return image.ok() ? std::nullopt : std::optional(image.status().code());
}

Image BlackAndWhite(const Image& image) {
  Image out = Copy(image.view());
  for (size_t i = 0; i < out.stride() * static_cast<size_t>(out.height()); ++i)
    out.row(0)[i] = out.row(0)[i] >= 128 ? 255 : 0;
  return out;
}

TEST(TiffDecode, EveryLayout_IsRead) {
  const TiffOptions kCases[] = {
      {.name = "plain"},
      {.name = "lzw", .compression = COMPRESSION_LZW},
      {.name = "deflate", .compression = COMPRESSION_ADOBE_DEFLATE},
      {.name = "packbits", .compression = COMPRESSION_PACKBITS},
      {.name = "16 bits", .bits = 16},
      {.name = "12 bits", .bits = 12},
      {.name = "12 bits, lzw", .compression = COMPRESSION_LZW, .bits = 12},
      {.name = "alpha", .samples = 4},
      {.name = "planes", .planar = true},
      {.name = "tiles", .tiled = true},
      {.name = "tiles, 16 bits", .bits = 16, .tiled = true},
      {.name = "one strip", .rows_per_strip = 1000},
      {.name = "row strips", .rows_per_strip = 1},
      {.name = "two pages", .pages = 2},
  };
  const Image pattern = Pattern(83, 61);
  for (const TiffOptions& o : kCases) {
    SCOPED_TRACE(o.name);
    EXPECT_EQ(LargestDifference(MustDecode(EncodeTiff(pattern, o)), pattern),
              0);
  }
}

TEST(TiffDecode, GrayAndFax_AreRead) {
  const Image gray = GrayPattern(83, 61);
  const TiffOptions kGray = {.samples = 1,
                             .photometric = PHOTOMETRIC_MINISBLACK};
  EXPECT_EQ(LargestDifference(MustDecode(EncodeTiff(gray, kGray)), gray), 0);
  const TiffOptions kGray12 = {
      .samples = 1, .bits = 12, .photometric = PHOTOMETRIC_MINISBLACK};
  EXPECT_EQ(LargestDifference(MustDecode(EncodeTiff(gray, kGray12)), gray), 0);
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4}) {
    for (const int photometric :
         {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE}) {
      const TiffOptions o = {.compression = compression,
                             .samples = 1,
                             .bits = 1,
                             .photometric = photometric};
      EXPECT_EQ(LargestDifference(MustDecode(EncodeTiff(gray, o)),
                                  BlackAndWhite(gray)),
                0)
          << compression << " " << photometric;
    }
  }
}

TEST(TiffDecode, EveryOrientation_IsApplied) {
  const Image pattern = Pattern(20, 13);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool tiled : {false, true}) {
      const Image decoded =
          MustDecode(EncodeTiff(StoredAs(pattern, orientation),
                                {.tiled = tiled, .orientation = orientation}));
      EXPECT_EQ(LargestDifference(decoded, pattern), 0) << orientation;
    }
  }
}

TEST(TiffDecode, EachPage_IsRead) {
  const Image pattern = Pattern(83, 61);
  const std::vector<uint8_t> bytes = EncodeTiff(pattern, {.pages = 3});
  ASSERT_TRUE(CountPictures(bytes).ok());
  EXPECT_EQ(*CountPictures(bytes), 3);
  DecodeLimits limits;
  EXPECT_EQ(LargestDifference(*Decode(bytes, limits), pattern), 0);
  for (limits.picture = 1; limits.picture < 3; ++limits.picture) {
    const Result<Image> page = Decode(bytes, limits);
    ASSERT_TRUE(page.ok()) << page.status().message();
    EXPECT_EQ(page->width(), 83);
    EXPECT_EQ(page->row(30)[90], 0);  // These are black.
  }
  EXPECT_EQ(TiffCode(Decode(bytes, limits)), Code::kInvalidArgument);
  limits.picture = -1;
  EXPECT_EQ(TiffCode(Decode(bytes, limits)), Code::kInvalidArgument);
}

// A file cut off behind a page: what is lost is not lost without a word.
TEST(TiffDecode, DamagedPage_IsNamed) {
  std::vector<uint8_t> bytes = EncodeTiff(Pattern(83, 61), {.pages = 3});
  bytes.resize(bytes.size() - 40);
  ASSERT_TRUE(CountPictures(bytes).ok());
  const int count = *CountPictures(bytes);
  ASSERT_GT(count, 1);
  ASSERT_LE(count, 3);
  DecodeLimits limits;
  EXPECT_TRUE(Decode(bytes, limits).ok());
  limits.picture = count - 1;
  EXPECT_EQ(TiffCode(Decode(bytes, limits)), Code::kMalformed);
}

TEST(TiffDecode, TruncatedFile_IsRefused) {
  const Image pattern = Pattern(64, 64);
  ExpectCutsRefused(EncodeTiff(pattern, {}));
  ExpectCutsRefused(EncodeTiff(pattern, {.compression = COMPRESSION_LZW}));
  ExpectCutsRefused(EncodeTiff(pattern, {.tiled = true}));
  ExpectCutsRefused(EncodeTiff(pattern, {.bits = 12}));
}

// The entry of a tag in a little-endian file of one page.
uint8_t* FindTag(std::vector<uint8_t>& bytes, uint32_t tag) {
  const auto number = [&](size_t at, size_t size) {
    size_t value = 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | bytes[at + i];
    return value;
  };
  const size_t directory = number(4, 4);
  for (size_t i = 0; i < number(directory, 2); ++i) {
    const size_t at = directory + 2 + 12 * i;
    if (number(at, 2) == tag) return &bytes[at];
  }
  ADD_FAILURE() << "no tag " << tag;
  return bytes.data();
}

TEST(TiffDecode, DamagedTag_IsRefused) {
  // The library drops a tag of a type that it never has.
  for (const uint32_t tag : {TIFFTAG_ORIENTATION, TIFFTAG_COLORMAP}) {
    std::vector<uint8_t> bytes = EncodeTiff(
        Pattern(20, 13),
        {.samples = 1, .orientation = 6, .photometric = PHOTOMETRIC_PALETTE});
    FindTag(bytes, tag)[2] = TIFF_DOUBLE;
    const Result<Image> image = Decode(bytes);
    ASSERT_FALSE(image.ok()) << tag;
    EXPECT_EQ(image.status().message(),
              std::string("tiff: the value of the tag ") +
                  (tag == TIFFTAG_COLORMAP ? "ColorMap" : "Orientation") +
                  " is cut off or damaged");
  }
  // One that changes nothing may be.
  std::vector<uint8_t> bytes =
      EncodeTiff(Pattern(20, 13), {.rows_per_strip = 13});
  uint8_t* const useless = FindTag(bytes, TIFFTAG_ROWSPERSTRIP);
  useless[0] = TIFFTAG_IMAGEDESCRIPTION & 255;
  useless[1] = TIFFTAG_IMAGEDESCRIPTION >> 8;
  useless[2] = TIFF_DOUBLE;
  MustDecode(bytes);
}

// A few pixels in tiles of a billion.
TEST(TiffDecode, OversizedPieces_AreRefused) {
  std::vector<uint8_t> bytes =
      EncodeTiff(Pattern(20, 13),
                 {.compression = COMPRESSION_ADOBE_DEFLATE, .tiled = true});
  for (const uint32_t tag : {TIFFTAG_TILEWIDTH, TIFFTAG_TILELENGTH}) {
    FindTag(bytes, tag)[8] = 0;
    FindTag(bytes, tag)[9] = 0x40;
  }
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().code(), Code::kOutOfMemory)
      << image.status().message();
}

// Every row is stated to take 64 KiB of the file, which are copied each time
// to turn their bits around.
TEST(TiffDecode, OverlappingPieces_AreRefused) {
  const TiffOptions options = {.compression = COMPRESSION_PACKBITS,
                               .rows_per_strip = 1,
                               .lowest_bit_first = true};
  std::vector<uint8_t> bytes = EncodeTiff(Pattern(16, 4096), options);
  MustDecode(bytes);
  const uint8_t* const tag = FindTag(bytes, TIFFTAG_STRIPBYTECOUNTS);
  ASSERT_EQ(tag[2], TIFF_LONG);
  const size_t at = tag[8] | tag[9] << 8 | tag[10] << 16;
  for (size_t i = 0; i < 4096; ++i)
    bytes[at + 4 * i] = bytes[at + 4 * i + 1] = 0xFF;
  bytes.resize(bytes.size() + 0x10000);  // All that they state is there.
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().message(),
            "tiff: the strips or tiles lie in the same place");
}

// A page of one row, 12 or 16 bits a sample, written by hand.
std::vector<uint8_t> WideSamples(int bits, int photometric, int samples,
                                 int width, const std::vector<uint8_t>& data) {
  std::vector<uint8_t> file = {'I', 'I', 42, 0, 8, 0, 0, 0};
  const auto put16 = [&](int v) {
    file.push_back(static_cast<uint8_t>(v & 255));
    file.push_back(static_cast<uint8_t>(v >> 8));
  };
  const std::vector<std::array<int, 2>> tags = {
      {256, width},   {257, 1},           {258, bits},
      {259, 1},       {262, photometric}, {273, 0},
      {277, samples}, {278, 1},           {279, static_cast<int>(data.size())}};
  const int count = static_cast<int>(tags.size());
  // Behind the tags: the bits of each sample where there are several, then the
  // row.
  const int end = 8 + 2 + 12 * count + 4;
  put16(count);
  for (const auto& [tag, value] : tags) {
    const bool is_list = tag == 258 && samples > 1;
    put16(tag);
    put16(3);
    put16(is_list ? samples : 1);
    put16(0);
    put16(is_list ? end : tag == 273 ? end + 6 : value);
    put16(0);
  }
  put16(0);
  put16(0);
  for (int i = 0; i < 3; ++i) put16(bits);
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::vector<int> FirstRow(const std::vector<uint8_t>& file) {
  const Image image = MustDecode(file);
  return {image.row(0), image.row(0) + 3 * image.width()};
}

TEST(TiffDecode, TwelveBits_AreRead) {
  // 0x000, 0xfff, 0x800: nothing, all, a half; the first bit is the highest.
  const std::vector<uint8_t> row = {0x00, 0x0f, 0xff, 0x80, 0x00};
  EXPECT_EQ(FirstRow(WideSamples(12, 1, 1, 3, row)),
            (std::vector<int>{0, 0, 0, 255, 255, 255, 128, 128, 128}));
  EXPECT_EQ(FirstRow(WideSamples(12, 0, 1, 3, row)),
            (std::vector<int>{255, 255, 255, 0, 0, 0, 127, 127, 127}));
  EXPECT_EQ(FirstRow(WideSamples(12, 2, 3, 1, row)),
            (std::vector<int>{0, 255, 128}));
}

// Ten bits of a camera in a file of sixteen would be black.
TEST(TiffDecode, SixteenBitsOfASmallRange_AreStretched) {
  // 0, 341 and 1023.
  const std::vector<uint8_t> row = {0, 0, 0x55, 1, 0xff, 3};
  EXPECT_EQ(FirstRow(WideSamples(16, 1, 1, 3, row)),
            (std::vector<int>{0, 0, 0, 85, 85, 85, 255, 255, 255}));
  EXPECT_EQ(FirstRow(WideSamples(16, 2, 3, 1, row)),
            (std::vector<int>{0, 85, 255}));
  // A dark picture stays dark, and black is black.
  const std::vector<uint8_t> dark = {0, 0, 0, 8, 0, 16};
  EXPECT_LE(FirstRow(WideSamples(16, 2, 3, 1, dark))[2], 16);
  EXPECT_EQ(FirstRow(WideSamples(16, 2, 3, 1, {0, 0, 0, 0, 0, 0})),
            (std::vector<int>{0, 0, 0}));
}

TEST(TiffDecode, UnsupportedLayout_IsNamed) {
  const Result<Image> image = Decode(EncodeTiff(
      Pattern(8, 8), {.bits = 16, .photometric = PHOTOMETRIC_LOGLUV}));
  ASSERT_FALSE(image.ok());
  EXPECT_FALSE(image.status().message().empty());
}

// A fax has half as many rows to the inch as columns.
TEST(TiffDecode, UnequalResolution_IsMadeEqual) {
  const Image pattern = Pattern(204, 98);
  const Image fax =
      MustDecode(EncodeTiff(pattern, {.across = 204, .down = 98}));
  EXPECT_EQ(fax.width(), 204);
  EXPECT_EQ(fax.height(), 204);
  EXPECT_NEAR(fax.paper_width(), 72, 0.01);
  EXPECT_NEAR(fax.paper_height(), 72, 0.01);
  // Rows in between are those of the file.
  EXPECT_NEAR(fax.row(0)[0], pattern.row(0)[0], 2);
  EXPECT_NEAR(fax.row(203)[3 * 203], pattern.row(97)[3 * 203], 2);
  // On its side.
  const Image turned = MustDecode(
      EncodeTiff(pattern, {.orientation = 6, .across = 204, .down = 98}));
  EXPECT_EQ(turned.width(), 204);
  EXPECT_EQ(turned.height(), 204);
  // Mistakes, and what is not stated.
  for (const double down : {0.0, 200.0, 2.0}) {
    const Image same = MustDecode(
        EncodeTiff(pattern, {.across = down > 0 ? 204.0 : 0.0, .down = down}));
    EXPECT_EQ(LargestDifference(same, pattern), 0) << down;
    EXPECT_EQ(same.paper_width() > 0, down > 0) << down;
  }
  DecodeLimits limits;
  limits.max_pixels = 204 * 200;
  EXPECT_EQ(Decode(EncodeTiff(pattern, {.across = 204, .down = 98}), limits)
                .status()
                .code(),
            Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::image::test_pictures
