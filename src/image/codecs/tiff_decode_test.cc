#include <gtest/gtest.h>
#include <tiffio.h>

#include <cstring>
#include <string>

#include "base/file.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

struct Options {
  const char* name = "";
  int compression = COMPRESSION_NONE;
  int samples = 3, bits = 8;
  bool tiled = false, planar = false;
  int orientation = 0;
  int photometric = PHOTOMETRIC_RGB;
  int rows_per_strip = 7;
  int pages = 1;
};

// The samples of one row, in the layout of the options; plane -1: all.
std::vector<uint8_t> Row(const Image& image, int y, const Options& o,
                         int plane) {
  std::vector<uint8_t> row;
  int bits = 0;
  for (int x = 0; x < image.width(); ++x) {
    for (int c = 0; c < o.samples; ++c) {
      if (plane >= 0 && c != plane) continue;
      // The fourth sample is alpha, and full.
      const uint8_t level = c == 3 ? 255 : image.row(y)[3 * x + c];
      if (o.bits == 16) {
        const uint16_t sample = static_cast<uint16_t>(level * 257);
        row.resize(row.size() + 2);
        std::memcpy(&row[row.size() - 2], &sample, 2);
      } else if (o.bits == 12) {
        const int sample = (level * 4095 + 127) / 255;
        if (bits % 8 == 0) {
          row.push_back(static_cast<uint8_t>(sample >> 4));
          row.push_back(static_cast<uint8_t>(sample << 4));
        } else {
          row.back() = static_cast<uint8_t>(row.back() | sample >> 8);
          row.push_back(static_cast<uint8_t>(sample));
        }
        bits += 12;
      } else if (o.bits == 8) {
        row.push_back(level);
      } else {
        if (bits % 8 == 0) row.push_back(0);
        const int bit =
            (level >= 128) != (o.photometric == PHOTOMETRIC_MINISWHITE);
        row.back() = static_cast<uint8_t>(row.back() | bit << (7 - bits % 8));
        ++bits;
      }
    }
  }
  return row;
}

void WriteTiles(TIFF* file, const Image& image, const Options& o) {
  TIFFSetField(file, TIFFTAG_TILEWIDTH, 16);
  TIFFSetField(file, TIFFTAG_TILELENGTH, 32);
  const int bytes = 3 * o.bits / 8;
  for (int top = 0; top < image.height(); top += 32) {
    for (int left = 0; left < image.width(); left += 16) {
      std::vector<uint8_t> tile(static_cast<size_t>(16 * 32 * bytes));
      for (int y = top; y < std::min(top + 32, image.height()); ++y) {
        const std::vector<uint8_t> row = Row(image, y, o, -1);
        const int count = std::min(16, image.width() - left) * bytes;
        std::memcpy(&tile[static_cast<size_t>((y - top) * 16 * bytes)],
                    &row[static_cast<size_t>(left * bytes)],
                    static_cast<size_t>(count));
      }
      TIFFWriteTile(file, tile.data(), static_cast<uint32_t>(left),
                    static_cast<uint32_t>(top), 0, 0);
    }
  }
}

std::vector<uint8_t> Encode(const Image& image, const Options& o) {
  const std::string path = ::testing::TempDir() + "munja_tiff_decode_test.tif";
  TIFF* const file = TIFFOpen(path.c_str(), "w");
  for (int page = 0; page < o.pages; ++page) {
    TIFFSetField(file, TIFFTAG_IMAGEWIDTH, image.width());
    TIFFSetField(file, TIFFTAG_IMAGELENGTH, image.height());
    TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, o.samples);
    TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, o.bits);
    TIFFSetField(file, TIFFTAG_PHOTOMETRIC, o.photometric);
    TIFFSetField(file, TIFFTAG_COMPRESSION, o.compression);
    TIFFSetField(file, TIFFTAG_PLANARCONFIG,
                 o.planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (o.samples == 4 && o.photometric == PHOTOMETRIC_RGB) {
      const uint16_t extra = EXTRASAMPLE_UNASSALPHA;
      TIFFSetField(file, TIFFTAG_EXTRASAMPLES, 1, &extra);
    }
    if (o.orientation > 0)
      TIFFSetField(file, TIFFTAG_ORIENTATION, o.orientation);
    if (o.tiled) {
      WriteTiles(file, image, o);
    } else {
      TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, o.rows_per_strip);
      for (int plane = 0; plane < (o.planar ? o.samples : 1); ++plane) {
        for (int y = 0; y < image.height(); ++y) {
          std::vector<uint8_t> row = Row(image, y, o, o.planar ? plane : -1);
          // Later pages are black.
          if (page > 0) std::fill(row.begin(), row.end(), uint8_t{0});
          TIFFWriteScanline(file, row.data(), static_cast<uint32_t>(y),
                            static_cast<uint16_t>(plane));
        }
      }
    }
    TIFFWriteDirectory(file);
  }
  TIFFClose(file);
  std::vector<uint8_t> bytes = std::move(ReadFile(path)).value();
  std::remove(path.c_str());
  return bytes;
}

Image BlackAndWhite(const Image& image) {
  Image out = Copy(image.view());
  for (size_t i = 0; i < out.stride() * static_cast<size_t>(out.height()); ++i)
    out.row(0)[i] = out.row(0)[i] >= 128 ? 255 : 0;
  return out;
}

TEST(TiffDecode, ReadsEveryLayout) {
  const Options kCases[] = {
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
  for (const Options& o : kCases) {
    SCOPED_TRACE(o.name);
    EXPECT_EQ(LargestDifference(MustDecode(Encode(pattern, o)), pattern), 0);
  }
}

TEST(TiffDecode, ReadsGrayAndFax) {
  const Image gray = GrayPattern(83, 61);
  const Options kGray = {.samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
  EXPECT_EQ(LargestDifference(MustDecode(Encode(gray, kGray)), gray), 0);
  const Options kGray12 = {
      .samples = 1, .bits = 12, .photometric = PHOTOMETRIC_MINISBLACK};
  EXPECT_EQ(LargestDifference(MustDecode(Encode(gray, kGray12)), gray), 0);
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4}) {
    for (const int photometric :
         {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE}) {
      const Options o = {.compression = compression,
                         .samples = 1,
                         .bits = 1,
                         .photometric = photometric};
      EXPECT_EQ(
          LargestDifference(MustDecode(Encode(gray, o)), BlackAndWhite(gray)),
          0)
          << compression << " " << photometric;
    }
  }
}

TEST(TiffDecode, AppliesEveryOrientation) {
  const Image pattern = Pattern(20, 13);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool tiled : {false, true}) {
      const Image decoded =
          MustDecode(Encode(StoredAs(pattern, orientation),
                            {.tiled = tiled, .orientation = orientation}));
      EXPECT_EQ(LargestDifference(decoded, pattern), 0) << orientation;
    }
  }
}

TEST(TiffDecode, NeverGivesHalfAPicture) {
  const Image pattern = Pattern(64, 64);
  ExpectCutsRefused(Encode(pattern, {}));
  ExpectCutsRefused(Encode(pattern, {.compression = COMPRESSION_LZW}));
  ExpectCutsRefused(Encode(pattern, {.tiled = true}));
  ExpectCutsRefused(Encode(pattern, {.bits = 12}));
}

TEST(TiffDecode, SaysWhatItCannotRead) {
  const Result<Image> image = Decode(
      Encode(Pattern(8, 8), {.bits = 16, .photometric = PHOTOMETRIC_LOGLUV}));
  ASSERT_FALSE(image.ok());
  EXPECT_FALSE(image.status().message().empty());
}

}  // namespace
}  // namespace munja::image::test_pictures
