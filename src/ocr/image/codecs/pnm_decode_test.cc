#include <gtest/gtest.h>

#include <string>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

Result<Image> DecodeText(const std::string& text) {
  return Decode(std::vector<uint8_t>(text.begin(), text.end()));
}

std::vector<int> Levels(const std::string& text) {
  const Result<Image> image = DecodeText(text);
  if (!image.ok()) {
    ADD_FAILURE() << image.status().message();
    return {};
  }
  const size_t count = image->stride() * static_cast<size_t>(image->height());
  return {image->row(0), image->row(0) + count};
}

using Samples = std::vector<int>;

TEST(PnmDecode, EveryKind_IsRead) {
  EXPECT_EQ(Levels("P1\n# a comment\n2 2\n0 1\n10\n"),
            (Samples{255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255}));
  EXPECT_EQ(Levels("P2 2 1 # here too\n 10\n 5 10"),
            (Samples{128, 128, 128, 255, 255, 255}));
  EXPECT_EQ(Levels("P3\n2 1\n255\n1 2 3  4 5 6\n"),
            (Samples{1, 2, 3, 4, 5, 6}));
  // Ten columns: the rest of a row's last byte is padding.
  EXPECT_EQ(Levels("P4\n10 1\n\xAA\xBF")[24], 0);
  EXPECT_EQ(Levels("P4\n10 1\n\xAA\x3F")[24], 255);
  EXPECT_EQ(Levels("P5\n3 1\n255\nABC"),
            (Samples{65, 65, 65, 66, 66, 66, 67, 67, 67}));
  EXPECT_EQ(Levels("P6\n2 1\n255\nABCDEF"), (Samples{65, 66, 67, 68, 69, 70}));
  // 16 bits, high byte first: 0x8000 of 65535 is 127.5 levels.
  EXPECT_EQ(Levels(std::string("P5\n2 1\n65535\n\x80\x00\xFF\xFF", 18)),
            (Samples{128, 128, 128, 255, 255, 255}));
  // Levels above the stated maximum are white.
  EXPECT_EQ(Levels("P2 1 1 10 99"), (Samples{255, 255, 255}));
}

// Levels are parts of the maximum, which also says how many bytes a sample has.
TEST(PnmDecode, EveryMaximum_IsScaled) {
  for (const int max : {1, 10, 100, 254, 255, 256, 257, 1000, 65535}) {
    const std::string head = " 2 1 " + std::to_string(max) + "\n";
    std::string raw = "P5" + head, plain = "P2" + head;
    for (const int level : {max / 2, max}) {
      if (max > 255) raw += static_cast<char>(level >> 8);
      raw += static_cast<char>(level & 255);
      plain += std::to_string(level) + "\n";
    }
    const int half = (max / 2 * 255 + max / 2) / max;
    const Samples want = {half, half, half, 255, 255, 255};
    EXPECT_EQ(Levels(raw), want) << max;
    EXPECT_EQ(Levels(plain), want) << max;
  }
}

// Ten bits of a camera in a file of sixteen would be black.
TEST(PnmDecode, SixteenBitsOfASmallRange_AreStretched) {
  const Samples stretched = {0, 0, 0, 85, 85, 85, 255, 255, 255};
  EXPECT_EQ(Levels("P2 3 1 65535 0 341 1023\n"), stretched);
  EXPECT_EQ(Levels(std::string("P5\n3 1\n65535\n\0\0\1\x55\3\xFF", 19)),
            stretched);
  // A dark picture stays dark, and black is black.
  EXPECT_EQ(Levels("P2 2 1 65535 257 4096\n"), (Samples{1, 1, 1, 16, 16, 16}));
  EXPECT_EQ(Levels("P2 1 1 65535 0\n"), (Samples{0, 0, 0}));
}

TEST(PnmDecode, TruncatedFile_IsRefused) {
  std::string raw = "P6\n32 32\n255\n" + std::string(32 * 32 * 3, 'x');
  ExpectCutsRefused({raw.begin(), raw.end()});
  std::string plain = "P2\n16 16\n255\n";
  for (int i = 0; i < 256; ++i) plain += std::to_string(i) + "\n";
  ExpectCutsRefused({plain.begin(), plain.end()});
  const Result<Image> image = DecodeText("P5\n4 4\n255\nabcdefghij");
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().message(),
            "pnm: the picture is cut off after row 2 of 4");
}

TEST(PnmDecode, TruncatedLastNumber_IsRefused) {
  EXPECT_EQ(DecodeText("P2 2 1 255 10 20").status().message(),
            "pnm: the file ends in a number; a line end must follow it");
  EXPECT_FALSE(DecodeText("P2 2 1 255 10 25").ok());
  // There is no larger one.
  EXPECT_EQ(Levels("P2 2 1 255 10 255"), (Samples{10, 10, 10, 255, 255, 255}));
  EXPECT_EQ(Levels("P2 2 1 255 10 26"), (Samples{10, 10, 10, 26, 26, 26}));
  EXPECT_EQ(Levels("P2 2 1 255 10 20 "), (Samples{10, 10, 10, 20, 20, 20}));
}

TEST(PnmDecode, BadHeaders_AreRefused) {
  const struct {
    const char* text;
    Code code;
  } kCases[] = {
      {"P6\n", Code::kMalformed},
      {"P6\nx y\n255\n", Code::kMalformed},
      {"P6\n0 3\n255\n", Code::kMalformed},
      {"P6\n-3 3\n255\n", Code::kMalformed},
      {"P6\n1 1\n0\nabc", Code::kMalformed},
      {"P6\n1 1\n65536\nabcdef", Code::kMalformed},
      {"P6\n99999999999 1\n255\nabc", Code::kMalformed},
      {"P6\n60000 60000\n255\nabc", Code::kOutOfMemory},
      {"P6\n10000 10000\n255\nabc", Code::kMalformed},
      {"P2\n1 1\n255\nred", Code::kMalformed},
  };
  for (const auto& c : kCases) {
    const Result<Image> image = DecodeText(c.text);
    ASSERT_FALSE(image.ok()) << c.text;
    EXPECT_EQ(image.status().code(), c.code) << image.status().message();
  }
}

}  // namespace
}  // namespace munja::image::test_pictures
