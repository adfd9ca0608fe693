#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

// Quality 95 at full color resolution leaves at least 35 dB of this noisy
// pattern; a wrong color model or a turned image gives under 15 dB.
constexpr double kPsnr = 35;

TEST(JpegDecode, EveryColorModel_IsRead) {
  const Image pattern = Pattern(83, 61);
  const Image gray = GrayPattern(83, 61);
  EXPECT_GT(Psnr(MustDecode(EncodeJpeg(pattern, {})), pattern), kPsnr);
  EXPECT_GT(
      Psnr(MustDecode(EncodeJpeg(pattern, {.progressive = true})), pattern),
      kPsnr);
  EXPECT_GT(Psnr(MustDecode(EncodeJpeg(pattern, {.cmyk = true})), pattern),
            kPsnr);
  EXPECT_GT(
      Psnr(MustDecode(EncodeJpeg(pattern, {.cmyk = true, .adobe = false})),
           pattern),
      kPsnr);
  EXPECT_GT(Psnr(MustDecode(EncodeJpeg(gray, {.gray = true})), gray), kPsnr);
}

TEST(JpegDecode, EveryOrientation_IsApplied) {
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

TEST(JpegDecode, TruncatedFile_IsRefused) {
  const Image pattern = Pattern(64, 64);
  ExpectCutsRefused(EncodeJpeg(pattern, {}));
  ExpectCutsRefused(EncodeJpeg(pattern, {.progressive = true}));
  ExpectCutsRefused(EncodeJpeg(pattern, {.cmyk = true}));
}

// The image with its last scan `times` times more.
std::vector<uint8_t> RepeatScan(std::vector<uint8_t> bytes, int times) {
  size_t at = bytes.size() - 2;
  while (bytes[at] != 0xFF || bytes[at + 1] != 0xDA) --at;
  const std::vector<uint8_t> scan(
      bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end() - 2);
  for (int i = 0; i < times; ++i)
    bytes.insert(bytes.end() - 2, scan.begin(), scan.end());
  return bytes;
}

// A scan may be a few bytes long and takes the whole image through the
// decoder all the same: a small image may have many, a large one those that
// encoders write.
TEST(JpegDecode, ScansTimesPixels_AreBounded) {
  const auto message = [](int width, int height, int scans) {
    // libjpeg's own progression of a gray image has 6 scans.
    // All of one color: what the last scan says stays true.
    Image image = std::move(Image::Create(width, height)).value();
    std::fill_n(image.row(0), image.stride() * static_cast<size_t>(height),
                uint8_t{200});
    const std::vector<uint8_t> bytes =
        EncodeJpeg(image, {.progressive = true, .gray = true});
    const Result<Image> result = Decode(RepeatScan(bytes, scans - 6));
    return result.ok() ? "" : std::string(result.status().message());
  };
  EXPECT_EQ(message(2000, 2000, 32), "");
  EXPECT_EQ(message(2000, 2000, 33),
            "jpeg: the picture has more than 32 scans, which no encoder writes "
            "for its size");
  EXPECT_EQ(message(1000, 1000, 64), "");
  EXPECT_THAT(message(1000, 1000, 65), ::testing::HasSubstr("64 scans"));
  EXPECT_EQ(message(64, 64, 500), "");
  EXPECT_THAT(message(64, 64, 501), ::testing::HasSubstr("500 scans"));
}

TEST(JpegDecode, TruncatedImage_NamesItsLastRow) {
  std::vector<uint8_t> bytes = EncodeJpeg(Pattern(64, 512), {});
  bytes.resize(bytes.size() / 2);
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_THAT(std::string(image.status().message()),
              ::testing::MatchesRegex("jpeg: .*cut off after row 2.. of 512"));
}

TEST(JpegDecode, BytesAfterTheImage_AreIgnored) {
  std::vector<uint8_t> bytes = EncodeJpeg(Pattern(33, 17), {});
  const Image image = MustDecode(bytes);
  bytes.insert(bytes.end(), 100, 0xAB);
  EXPECT_EQ(LargestDifference(MustDecode(bytes), image), 0);
}

TEST(JpegDecode, SizeInTheHeader_IsChecked) {
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
