#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

// Quality 95 at full color resolution leaves at least 35 dB of this noisy
// pattern; a wrong color model or a turned picture gives under 15 dB.
constexpr double kPsnr = 35;

TEST(JpegDecode, ReadsEveryColorModel) {
  const Image pattern = Pattern(83, 61);
  const Image gray = GrayPattern(83, 61);
  EXPECT_GT(Psnr(MustDecode(EncodeJpeg(pattern, {})), pattern), kPsnr);
  EXPECT_GT(
      Psnr(MustDecode(EncodeJpeg(pattern, {.progressive = true})), pattern),
      kPsnr);
  EXPECT_GT(Psnr(MustDecode(EncodeJpeg(pattern, {.cmyk = true})), pattern),
            kPsnr);
  EXPECT_GT(Psnr(MustDecode(EncodeJpeg(gray, {.gray = true})), gray), kPsnr);
}

TEST(JpegDecode, AppliesEveryOrientation) {
  const Image pattern = Pattern(40, 24);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image decoded = MustDecode(EncodeJpeg(StoredAs(pattern, orientation),
                                                {.orientation = orientation}));
    EXPECT_GT(Psnr(decoded, pattern), kPsnr) << orientation;
  }
  // Values outside 1 to 8 occur in files of real cameras and mean nothing.
  EXPECT_GT(Psnr(MustDecode(EncodeJpeg(pattern, {.orientation = 9})), pattern),
            kPsnr);
}

TEST(JpegDecode, NeverGivesHalfAPicture) {
  const Image pattern = Pattern(64, 64);
  ExpectCutsRefused(EncodeJpeg(pattern, {}));
  ExpectCutsRefused(EncodeJpeg(pattern, {.progressive = true}));
  ExpectCutsRefused(EncodeJpeg(pattern, {.cmyk = true}));
}

TEST(JpegDecode, SaysWhereThePictureEnds) {
  std::vector<uint8_t> bytes = EncodeJpeg(Pattern(64, 512), {});
  bytes.resize(bytes.size() / 2);
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_THAT(std::string(image.status().message()),
              ::testing::MatchesRegex("jpeg: .*cut off after row 2.. of 512"));
}

TEST(JpegDecode, IgnoresBytesBehindThePicture) {
  std::vector<uint8_t> bytes = EncodeJpeg(Pattern(33, 17), {});
  const Image image = MustDecode(bytes);
  bytes.insert(bytes.end(), 100, 0xAB);
  EXPECT_EQ(LargestDifference(MustDecode(bytes), image), 0);
}

TEST(JpegDecode, ChecksTheSizeInTheHeader) {
  std::vector<uint8_t> bytes = EncodeJpeg(Pattern(16, 16), {});
  // The frame header: FF C0, length, precision, height, width.
  size_t at = 2;
  while (bytes[at + 1] != 0xC0) at += 2 + (bytes[at + 2] << 8 | bytes[at + 3]);
  bytes[at + 5] = bytes[at + 7] = 0xFE;
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().code(), Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::image::test_pictures
