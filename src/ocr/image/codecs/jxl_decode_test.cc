#include <gmock/gmock.h>
#include <gtest/gtest.h>
#ifdef MUNJA_HAS_JXL
#include <jxl/encode.h>
#endif

#include <span>
#include <string>
#include <vector>

#include "image/codecs/codec.h"
#include "image/codecs/testing.h"
#include "image/decode.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

using testing::HasSubstr;

#ifdef MUNJA_HAS_JXL
// `pixels`: of 3 or, with alpha, 4 samples. distance 0: lossless.
std::vector<uint8_t> EncodeJxl(std::span<const uint8_t> pixels, int width,
                               int height, uint32_t channels, float distance,
                               JxlOrientation orientation) {
  JxlEncoder* const encoder = JxlEncoderCreate(nullptr);
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = static_cast<uint32_t>(width);
  info.ysize = static_cast<uint32_t>(height);
  info.bits_per_sample = 8;
  info.orientation = orientation;
  info.uses_original_profile = distance == 0 ? JXL_TRUE : JXL_FALSE;
  if (channels == 4) {
    info.num_extra_channels = 1;
    info.alpha_bits = 8;
  }
  EXPECT_EQ(JxlEncoderSetBasicInfo(encoder, &info), JXL_ENC_SUCCESS);
  JxlColorEncoding color;
  JxlColorEncodingSetToSRGB(&color, JXL_FALSE);
  EXPECT_EQ(JxlEncoderSetColorEncoding(encoder, &color), JXL_ENC_SUCCESS);
  JxlEncoderFrameSettings* const settings =
      JxlEncoderFrameSettingsCreate(encoder, nullptr);
  if (distance == 0)
    JxlEncoderSetFrameLossless(settings, JXL_TRUE);
  else
    JxlEncoderSetFrameDistance(settings, distance);
  const JxlPixelFormat format = {channels, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN,
                                 0};
  EXPECT_EQ(
      JxlEncoderAddImageFrame(settings, &format, pixels.data(), pixels.size()),
      JXL_ENC_SUCCESS);
  JxlEncoderCloseInput(encoder);
  std::vector<uint8_t> file(1 << 20);
  uint8_t* next = file.data();
  size_t left = file.size();
  EXPECT_EQ(JxlEncoderProcessOutput(encoder, &next, &left), JXL_ENC_SUCCESS);
  file.resize(file.size() - left);
  JxlEncoderDestroy(encoder);
  return file;
}

std::vector<uint8_t> JxlOf(const Image& image, float distance = 0,
                           JxlOrientation orientation = JXL_ORIENT_IDENTITY) {
  return EncodeJxl(
      {image.row(0), image.stride() * static_cast<size_t>(image.height())},
      image.width(), image.height(), 3, distance, orientation);
}

TEST(JxlDecode, LosslessAndLossy_AreRead) {
  const Image pattern = Pattern(83, 61);
  const std::vector<uint8_t> file = JxlOf(pattern);
  EXPECT_STREQ(SniffFormat(file), "jxl");
  EXPECT_EQ(LargestDifference(MustDecode(file), pattern), 0);
  EXPECT_GT(Psnr(MustDecode(JxlOf(pattern, 1)), pattern), 25);
}

TEST(JxlDecode, EveryOrientation_IsApplied) {
  const Image pattern = Pattern(20, 13);
  for (int orientation = 1; orientation <= 8; ++orientation)
    EXPECT_EQ(LargestDifference(
                  MustDecode(JxlOf(StoredAs(pattern, orientation), 0,
                                   static_cast<JxlOrientation>(orientation))),
                  pattern),
              0)
        << orientation;
}

TEST(JxlDecode, Transparency_IsBlendedOverWhite) {
  const std::vector<uint8_t> rgba = HalfTransparent();
  const Image image =
      MustDecode(EncodeJxl(rgba, 16, 16, 4, 0, JXL_ORIENT_IDENTITY));
  ExpectHalfWhite(image);
}

TEST(JxlDecode, TruncatedFile_IsAnErrorOrUnchanged) {
  const Image pattern = Pattern(40, 30);
  const std::vector<uint8_t> file = JxlOf(pattern);
  for (size_t size = 0; size < file.size(); size += 5) {
    const Result<Image> image = Decode(std::span(file).first(size));
    if (!image.ok()) continue;
    EXPECT_EQ(LargestDifference(*image, pattern), 0) << size;
  }
}

TEST(JxlDecode, Limits_Apply) {
  DecodeLimits limits;
  limits.max_pixels = 40 * 30 - 1;
  EXPECT_EQ(Decode(JxlOf(Pattern(40, 30)), limits).status().code(),
            Code::kOutOfMemory);
}
#else
TEST(JxlDecode, MissingLibrary_NamesThePackage) {
  const Result<Image> image = Decode(std::vector<uint8_t>{0xFF, 0x0A, 0});
  EXPECT_THAT(std::string(image.status().message()), HasSubstr("libjxl-dev"));
}
#endif

TEST(JxlSniff, FileAndCodestream_AreRecognized) {
  const std::vector<uint8_t> stream = {0xFF, 0x0A, 0};
  EXPECT_TRUE(codecs::jxl::Sniff(stream));
  const std::string file("\0\0\0\x0CJXL \r\n\x87\n", 12);
  EXPECT_TRUE(codecs::jxl::Sniff(
      {reinterpret_cast<const uint8_t*>(file.data()), file.size()}));
  EXPECT_FALSE(codecs::jxl::Sniff({}));
}

}  // namespace
}  // namespace munja::image::test_pictures
