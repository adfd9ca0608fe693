#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

void Put16(std::vector<uint8_t>& out, uint32_t v) {
  out.push_back(static_cast<uint8_t>(v));
  out.push_back(static_cast<uint8_t>(v >> 8));
}
void Put32(std::vector<uint8_t>& out, uint32_t v) {
  Put16(out, v & 0xFFFF);
  Put16(out, v >> 16);
}

struct Options {
  const char* name = "";
  uint32_t bits = 24;
  uint32_t compression = 0;
  bool top_down = false, os2 = false;
  std::vector<uint32_t> masks = {};
};

// Palette entry i: (i, 255 - i, 3).
std::vector<uint8_t> File(const Options& o, int width, int height,
                          const std::vector<uint8_t>& pixels) {
  const size_t palette = o.bits <= 8 ? size_t{1} << o.bits : 0;
  const size_t header = o.os2 ? 12 : 40;
  const size_t offset =
      14 + header + palette * (o.os2 ? 3 : 4) + o.masks.size() * 4;
  std::vector<uint8_t> out = {'B', 'M'};
  Put32(out, static_cast<uint32_t>(offset + pixels.size()));
  Put32(out, 0);
  Put32(out, static_cast<uint32_t>(offset));
  Put32(out, static_cast<uint32_t>(header));
  if (o.os2) {
    Put16(out, static_cast<uint32_t>(width));
    Put16(out, static_cast<uint32_t>(height));
  } else {
    Put32(out, static_cast<uint32_t>(width));
    Put32(out, static_cast<uint32_t>(o.top_down ? -height : height));
  }
  Put16(out, 1);
  Put16(out, o.bits);
  if (!o.os2) {
    Put32(out, o.compression);
    for (int i = 0; i < 5; ++i) Put32(out, 0);
  }
  for (const uint32_t mask : o.masks) Put32(out, mask);
  for (size_t i = 0; i < palette; ++i) {
    out.push_back(3);
    out.push_back(static_cast<uint8_t>(255 - i));
    out.push_back(static_cast<uint8_t>(i));
    if (!o.os2) out.push_back(0);
  }
  out.insert(out.end(), pixels.begin(), pixels.end());
  return out;
}

// The picture's pixels in the layout of the options, and what is shown.
std::vector<uint8_t> Pixels(const Options& o, const Image& in, Image& shown) {
  std::vector<uint8_t> out;
  for (int i = 0; i < in.height(); ++i) {
    const int y = o.top_down ? i : in.height() - 1 - i;
    uint32_t packed = 0, bits = 0;
    const size_t begin = out.size();
    for (int x = 0; x < in.width(); ++x) {
      const uint8_t* const p = in.row(y) + 3 * x;
      uint8_t* const s = shown.row(y) + 3 * x;
      if (o.bits <= 8) {
        const uint32_t index = p[0] >> (8 - o.bits);
        s[0] = static_cast<uint8_t>(index);
        s[1] = static_cast<uint8_t>(255 - index);
        s[2] = 3;
        packed = packed << o.bits | index;
        bits += o.bits;
        if (bits == 8) out.push_back(static_cast<uint8_t>(packed)), bits = 0;
      } else if (o.bits == 16) {  // 5, 6 or 5, 5, 5 bits.
        const int green = o.masks.empty() ? 5 : 6;
        Put16(out, static_cast<uint32_t>(p[0] >> 3 << (5 + green) |
                                         p[1] >> (8 - green) << 5 | p[2] >> 3));
        const auto scaled = [](int level, int max) {
          return static_cast<uint8_t>((level * 255 * 2 + max) / (2 * max));
        };
        s[0] = scaled(p[0] >> 3, 31);
        s[1] = scaled(p[1] >> (8 - green), (1 << green) - 1);
        s[2] = scaled(p[2] >> 3, 31);
      } else {
        out.insert(out.end(), {p[2], p[1], p[0]});
        if (o.bits == 32) out.push_back(0);
        std::copy(p, p + 3, s);
      }
    }
    if (bits > 0) out.push_back(static_cast<uint8_t>(packed << (8 - bits)));
    while ((out.size() - begin) % 4 != 0) out.push_back(0xEE);
  }
  return out;
}

const Options kPlain[] = {
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

TEST(BmpDecode, ReadsEveryDepth) {
  for (const Options& o : kPlain) {
    for (const int width : {1, 3, 8, 37}) {
      SCOPED_TRACE(o.name);
      const Image pattern = Pattern(width, 19);
      Image shown = Copy(pattern.view());
      const std::vector<uint8_t> pixels = Pixels(o, pattern, shown);
      const Image image = MustDecode(File(o, width, 19, pixels));
      EXPECT_EQ(LargestDifference(image, shown), 0) << width;
    }
  }
}

TEST(BmpDecode, NeverGivesHalfAPicture) {
  for (const Options& o : kPlain) {
    SCOPED_TRACE(o.name);
    Image pattern = Pattern(64, 64);
    const std::vector<uint8_t> pixels = Pixels(o, pattern, pattern);
    ExpectCutsRefused(File(o, 64, 64, pixels));
  }
}

TEST(BmpDecode, LaysAlphaOverWhite) {
  const Options o = {.bits = 32,
                     .compression = 6,
                     .masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000}};
  const Image image =
      MustDecode(File(o, 2, 1, {10, 20, 30, 255, 10, 20, 30, 0}));
  EXPECT_EQ(std::vector<uint8_t>(image.row(0), image.row(0) + 6),
            (std::vector<uint8_t>{30, 20, 10, 255, 255, 255}));
}

// The red channel of a picture is the palette index.
std::string Indices(const Image& image) {
  std::string out;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x)
      out += static_cast<char>('0' + image.row(y)[3 * x]);
    out += '/';
  }
  return out;
}

TEST(BmpDecode, ExpandsRuns) {
  const Options rle8 = {.bits = 8, .compression = 1};
  const Options rle4 = {.bits = 4, .compression = 2};
  // Rows come from the bottom; what is not set is index 0.
  EXPECT_EQ(Indices(MustDecode(
                File(rle8, 5, 3, {3, 7, 2, 1, 0, 0,               // 77711
                                  0, 3, 1, 2, 3, 0xEE, 0, 0,      // 123
                                  0, 2, 2, 0, 2, 9,    0, 1}))),  // ..99
            "00990/12300/77711/");
  EXPECT_EQ(
      Indices(MustDecode(File(
          rle4, 5, 2, {5, 0x12, 0, 0, 0, 5, 0x45, 0x67, 0x80, 0xEE, 0, 1}))),
      "45678/12121/");
  // Runs that leave the picture are cut off at its border.
  EXPECT_EQ(Indices(MustDecode(File(rle8, 2, 2, {9, 4, 0, 0, 9, 5, 0, 1}))),
            "55/44/");
  const Result<Image> image = Decode(File(rle8, 4, 4, {4, 1, 0, 0, 4, 2}));
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().message(),
            "bmp: the picture is cut off after row 1 of 4");
}

TEST(BmpDecode, RefusesBadHeaders) {
  const struct {
    const char* name;
    Options options;
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
        Decode(File(c.options, c.width, c.height, {0, 0, 0, 0}));
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().code(), c.code) << image.status().message();
  }
}

}  // namespace
}  // namespace munja::image::test_pictures
