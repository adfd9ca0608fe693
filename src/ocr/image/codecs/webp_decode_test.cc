#include <gtest/gtest.h>
#include <webp/encode.h>

#include <cstring>

#include "image/codecs/testing.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

TEST(WebpDecode, LosslessAndLossy_AreRead) {
  const Image pattern = Pattern(83, 61);
  EXPECT_EQ(LargestDifference(MustDecode(EncodeWebp(pattern, true)), pattern),
            0);
  // Halved color resolution on this pattern: 20 dB; nothing like it: < 12.
  EXPECT_GT(Psnr(MustDecode(EncodeWebp(pattern, false)), pattern), 18);
}

// From a width of 512 on the library takes a second thread.
TEST(WebpDecode, Pixels_DoNotDependOnThreads) {
  DecodeLimits limits;
  limits.threads = 2;
  for (const Image& pattern : {Pattern(515, 300), Pattern(700, 33)}) {
    const std::vector<uint8_t> file = EncodeWebp(pattern, false);
    const Result<Image> image = Decode(file, limits);
    ASSERT_TRUE(image.ok());
    EXPECT_EQ(LargestDifference(*image, MustDecode(file)), 0);
    for (size_t cut = 0; cut < 64; ++cut) {
      const std::vector<uint8_t> part(
          file.begin(),
          file.begin() + static_cast<ptrdiff_t>(file.size() * cut / 64));
      EXPECT_FALSE(Decode(part, limits).ok()) << cut;
    }
  }
}

TEST(WebpDecode, Transparency_IsBlendedOverWhite) {
  const std::vector<uint8_t> rgba = HalfTransparent();
  uint8_t* bytes = nullptr;
  const size_t size = WebPEncodeLosslessRGBA(rgba.data(), 16, 16, 64, &bytes);
  const Image image = MustDecode(std::vector<uint8_t>(bytes, bytes + size));
  WebPFree(bytes);
  ExpectHalfWhite(image);
}

TEST(WebpDecode, EveryOrientation_IsApplied) {
  const Image pattern = Pattern(20, 13);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(
        LargestDifference(MustDecode(EncodeWebpWithExif(
                              StoredAs(pattern, orientation), orientation)),
                          pattern),
        0)
        << orientation;
  }
}

// A 10 x 8 image at (4, 2) on a canvas of 20 x 16, then another one.
TEST(WebpDecode, Animation_GivesItsFirstImage) {
  std::vector<uint8_t> chunks = WebpHeader(0x02, 20, 16);
  PutChunk(chunks, "ANIM", {0, 0, 0, 0, 0, 0});
  const Image first = Pattern(10, 8), second = GrayPattern(20, 16);
  for (const Image* image : {&first, &second}) {
    std::vector<uint8_t> frame;
    Put24(frame, image == &first ? 2 : 0);  // Offsets count in two pixels.
    Put24(frame, image == &first ? 1 : 0);
    Put24(frame, image->width() - 1);
    Put24(frame, image->height() - 1);
    Put24(frame, 100);
    frame.push_back(0);
    for (const uint8_t byte : PixelChunk(EncodeWebp(*image, true)))
      frame.push_back(byte);
    PutChunk(chunks, "ANMF", frame);
  }
  const Image image = MustDecode(Riff(chunks));
  ASSERT_EQ(image.width(), 20);
  ASSERT_EQ(image.height(), 16);
  EXPECT_EQ(image.row(1)[12], 255);
  const Image inner = Copy({image.row(2) + 12, 10, 8, image.stride()});
  EXPECT_EQ(LargestDifference(inner, first), 0);
}

TEST(WebpDecode, TruncatedFile_IsRefused) {
  const Image pattern = Pattern(64, 64);
  ExpectCutsRefused(EncodeWebp(pattern, true));
  ExpectCutsRefused(EncodeWebp(pattern, false));
}

TEST(WebpDecode, SizeInTheHeader_IsChecked) {
  std::vector<uint8_t> chunks = WebpHeader(0, 16000000, 16000000);
  for (const uint8_t byte : PixelChunk(EncodeWebp(Pattern(8, 8), true)))
    chunks.push_back(byte);
  const Result<Image> image = Decode(Riff(chunks));
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.status().code(), Code::kInternal);
}

}  // namespace
}  // namespace munja::image::test_pictures
