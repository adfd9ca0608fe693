#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "image/codecs/testing.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

const BmpOptions kPlain[] = {
    {.name = "1 bit", .bits = 1},
    {.name = "2 bits", .bits = 2},
    {.name = "4 bits", .bits = 4},
    {.name = "8 bits", .bits = 8},
    {.name = "8 bits, OS/2", .bits = 8, .os2 = true},
    {.name = "16 bits", .bits = 16},
    {.name = "16 bits, masks",
     .bits = 16,
     .compression = 3,
     .masks = {0xF800, 0x07E0, 0x001F}},
    {.name = "24 bits"},
    {.name = "24 bits, top down", .top_down = true},
    {.name = "24 bits, OS/2", .os2 = true},
    {.name = "32 bits", .bits = 32},
    {.name = "32 bits, alpha all zero",
     .bits = 32,
     .compression = 6,
     .masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000}},
};

TEST(BmpDecode, EveryDepth_IsRead) {
  for (const BmpOptions& o : kPlain) {
    for (const int width : {1, 3, 8, 37}) {
      SCOPED_TRACE(o.name);
      const Image pattern = Pattern(width, 19);
      Image shown = Copy(pattern.view());
      const std::vector<uint8_t> pixels = BmpPixels(o, pattern, shown);
      const Image image = MustDecode(BmpFile(o, width, 19, pixels));
      EXPECT_EQ(LargestDifference(image, shown), 0) << width;
    }
  }
}

TEST(BmpDecode, TruncatedFile_IsRefused) {
  for (const BmpOptions& o : kPlain) {
    SCOPED_TRACE(o.name);
    Image pattern = Pattern(64, 64);
    const std::vector<uint8_t> pixels = BmpPixels(o, pattern, pattern);
    ExpectCutsRefused(BmpFile(o, 64, 64, pixels));
  }
}

TEST(BmpDecode, Alpha_IsBlendedOverWhite) {
  const BmpOptions o = {.bits = 32,
                        .compression = 6,
                        .masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000}};
  const Image image =
      MustDecode(BmpFile(o, 2, 1, {10, 20, 30, 255, 10, 20, 30, 0}));
  EXPECT_EQ(std::vector<uint8_t>(image.row(0), image.row(0) + 6),
            (std::vector<uint8_t>{30, 20, 10, 255, 255, 255}));
}

// The red channel of an image is the palette index.
std::string Indices(const Image& image) {
  std::string out;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x)
      out += static_cast<char>('0' + image.row(y)[3 * x]);
    out += '/';
  }
  return out;
}

TEST(BmpDecode, Runs_AreExpanded) {
  const BmpOptions rle8 = {.bits = 8, .compression = 1};
  const BmpOptions rle4 = {.bits = 4, .compression = 2};
  // Rows come from the bottom; what is not set is index 0.
  EXPECT_EQ(Indices(MustDecode(
                BmpFile(rle8, 5, 3, {3, 7, 2, 1, 0, 0,               // 77711
                                     0, 3, 1, 2, 3, 0xEE, 0, 0,      // 123
                                     0, 2, 2, 0, 2, 9,    0, 1}))),  // ..99
            "00990/12300/77711/");
  EXPECT_EQ(
      Indices(MustDecode(BmpFile(
          rle4, 5, 2, {5, 0x12, 0, 0, 0, 5, 0x45, 0x67, 0x80, 0xEE, 0, 1}))),
      "45678/12121/");
  // Runs that leave the image are cut off at its border.
  EXPECT_EQ(Indices(MustDecode(BmpFile(rle8, 2, 2, {9, 4, 0, 0, 9, 5, 0, 1}))),
            "55/44/");
  const Result<Image> image = Decode(BmpFile(rle8, 4, 4, {4, 1, 0, 0, 4, 2}));
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().message(),
            "bmp: the picture is cut off after row 1 of 4");
}

TEST(BmpDecode, BadHeaders_AreRefused) {
  const struct {
    const char* name;
    BmpOptions options;
    int width, height;
    Code code;
  } kCases[] = {
      {"no width", {}, 0, 4, Code::kMalformed},
      {"negative width", {}, -4, 4, Code::kMalformed},
      {"17 bits", {.bits = 17}, 4, 4, Code::kUnsupported},
      {"embedded PNG", {.compression = 5}, 4, 4, Code::kUnsupported},
      {"too big", {}, 60000, 60000, Code::kOutOfMemory},
      {"torn mask",
       {.bits = 16, .compression = 3, .masks = {0xF00F, 0xF0, 0xF00}},
       1,
       1,
       Code::kMalformed},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Result<Image> image =
        Decode(BmpFile(c.options, c.width, c.height, {0, 0, 0, 0}));
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().code(), c.code) << image.status().message();
  }
}

}  // namespace
}  // namespace munja::image::test_pictures
