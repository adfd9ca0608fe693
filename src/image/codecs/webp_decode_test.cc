#include <gtest/gtest.h>
#include <webp/encode.h>

#include <cstring>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

void Put(std::vector<uint8_t>& out, const char* name,
         const std::vector<uint8_t>& data) {
  out.insert(out.end(), name, name + 4);
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<uint8_t>(data.size() >> shift));
  out.insert(out.end(), data.begin(), data.end());
  if (data.size() % 2 != 0) out.push_back(0);
}

void Put24(std::vector<uint8_t>& out, int value) {
  for (int shift = 0; shift < 24; shift += 8)
    out.push_back(static_cast<uint8_t>(value >> shift));
}

std::vector<uint8_t> Riff(const std::vector<uint8_t>& chunks) {
  std::vector<uint8_t> data = {'W', 'E', 'B', 'P'}, out;
  data.insert(data.end(), chunks.begin(), chunks.end());
  Put(out, "RIFF", data);
  return out;
}

std::vector<uint8_t> Take(uint8_t* bytes, size_t size) {
  std::vector<uint8_t> out(bytes, bytes + size);
  WebPFree(bytes);
  return out;
}

std::vector<uint8_t> Encode(const Image& image, bool lossless) {
  uint8_t* bytes = nullptr;
  const int stride = static_cast<int>(image.stride());
  const size_t size =
      lossless ? WebPEncodeLosslessRGB(image.row(0), image.width(),
                                       image.height(), stride, &bytes)
               : WebPEncodeRGB(image.row(0), image.width(), image.height(),
                               stride, 95, &bytes);
  return Take(bytes, size);
}

// The chunk with the pixels of a simple file.
std::vector<uint8_t> PixelChunk(const std::vector<uint8_t>& file) {
  return {file.begin() + 12, file.end()};
}

std::vector<uint8_t> Extended(uint8_t flags, int width, int height) {
  std::vector<uint8_t> header = {flags, 0, 0, 0}, chunk;
  Put24(header, width - 1);
  Put24(header, height - 1);
  Put(chunk, "VP8X", header);
  return chunk;
}

TEST(WebpDecode, ReadsLosslessAndLossy) {
  const Image pattern = Pattern(83, 61);
  EXPECT_EQ(LargestDifference(MustDecode(Encode(pattern, true)), pattern), 0);
  // Halved color resolution on this pattern: 20 dB; nothing like it: < 12.
  EXPECT_GT(Psnr(MustDecode(Encode(pattern, false)), pattern), 18);
}

// From a width of 512 on the library takes a second thread.
TEST(WebpDecode, PixelsDoNotDependOnThreads) {
  DecodeLimits limits;
  limits.threads = 2;
  for (const Image& pattern : {Pattern(515, 300), Pattern(700, 33)}) {
    const std::vector<uint8_t> file = Encode(pattern, false);
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

TEST(WebpDecode, LaysTransparencyOverWhite) {
  std::vector<uint8_t> rgba(16 * 16 * 4, 0);
  for (size_t i = 0; i < 16 * 16; ++i) rgba[4 * i + 3] = i < 128 ? 255 : 0;
  uint8_t* bytes = nullptr;
  const size_t size = WebPEncodeLosslessRGBA(rgba.data(), 16, 16, 64, &bytes);
  const Image image = MustDecode(Take(bytes, size));
  EXPECT_EQ(image.row(0)[0], 0);
  EXPECT_EQ(image.row(7)[47], 0);
  EXPECT_EQ(image.row(8)[0], 255);
  EXPECT_EQ(image.row(15)[47], 255);
}

TEST(WebpDecode, AppliesEveryOrientation) {
  const Image pattern = Pattern(20, 13);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image stored = StoredAs(pattern, orientation);
    std::vector<uint8_t> chunks =
        Extended(0x08, stored.width(), stored.height());
    for (const uint8_t byte : PixelChunk(Encode(stored, true)))
      chunks.push_back(byte);
    Put(chunks, "EXIF", ExifBlock(orientation));
    EXPECT_EQ(LargestDifference(MustDecode(Riff(chunks)), pattern), 0)
        << orientation;
  }
}

// A 10 x 8 picture at (4, 2) on a canvas of 20 x 16, then another one.
TEST(WebpDecode, TakesTheFirstPictureOfAnAnimation) {
  std::vector<uint8_t> chunks = Extended(0x02, 20, 16);
  Put(chunks, "ANIM", {0, 0, 0, 0, 0, 0});
  const Image first = Pattern(10, 8), second = GrayPattern(20, 16);
  for (const Image* image : {&first, &second}) {
    std::vector<uint8_t> frame;
    Put24(frame, image == &first ? 2 : 0);  // Offsets count in two pixels.
    Put24(frame, image == &first ? 1 : 0);
    Put24(frame, image->width() - 1);
    Put24(frame, image->height() - 1);
    Put24(frame, 100);
    frame.push_back(0);
    for (const uint8_t byte : PixelChunk(Encode(*image, true)))
      frame.push_back(byte);
    Put(chunks, "ANMF", frame);
  }
  const Image image = MustDecode(Riff(chunks));
  ASSERT_EQ(image.width(), 20);
  ASSERT_EQ(image.height(), 16);
  EXPECT_EQ(image.row(1)[12], 255);
  const Image inner = Copy({image.row(2) + 12, 10, 8, image.stride()});
  EXPECT_EQ(LargestDifference(inner, first), 0);
}

TEST(WebpDecode, NeverGivesHalfAPicture) {
  const Image pattern = Pattern(64, 64);
  ExpectCutsRefused(Encode(pattern, true));
  ExpectCutsRefused(Encode(pattern, false));
}

TEST(WebpDecode, ChecksTheSizeInTheHeader) {
  std::vector<uint8_t> chunks = Extended(0, 16000000, 16000000);
  for (const uint8_t byte : PixelChunk(Encode(Pattern(8, 8), true)))
    chunks.push_back(byte);
  const Result<Image> image = Decode(Riff(chunks));
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.status().code(), Code::kInternal);
}

}  // namespace
}  // namespace munja::image::test_pictures
