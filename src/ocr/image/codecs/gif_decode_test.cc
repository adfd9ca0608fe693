#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "image/codecs/testing.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

// Nothing for what can be read.
std::optional<Code> GifCode(const Result<Image>& image) {
  return image.ok() ? std::nullopt : std::optional(image.status().code());
}

// Checks the pixels of the canvas.
void ExpectShown(const Image& image, const GifOptions& o) {
  ASSERT_EQ(image.width(), o.canvas);
  ASSERT_EQ(image.height(), o.canvas);
  for (int y = 0; y < o.canvas; ++y) {
    for (int x = 0; x < o.canvas; ++x) {
      const int fx = x - o.left, fy = y - o.top;
      const bool inside = fx >= 0 && fy >= 0 && fx < o.width && fy < o.height;
      const int index = (fx * 5 + fy * 7) & 255;
      const bool shown = inside && index != o.transparent;
      const uint8_t* const p = image.row(y) + 3 * x;
      ASSERT_EQ(p[0], shown ? index : 255) << x << "," << y;
      ASSERT_EQ(p[1], shown ? 255 - index : 255) << x << "," << y;
      ASSERT_EQ(p[2], shown ? index / 2 : 255) << x << "," << y;
    }
  }
}

TEST(GifDecode, Image_IsShownOnItsCanvas) {
  const GifOptions kCases[] = {
      {},
      {.interlaced = true},
      {.height = 3, .interlaced = true},
      {.transparent = 35},
      {.left = 5, .top = 9, .width = 20, .height = 11},
      // Sticking out: cut at the canvas.
      {.canvas = 30, .left = 20, .top = 25},
  };
  for (const GifOptions& o : kCases) ExpectShown(MustDecode(EncodeGif(o)), o);
}

// Two images: the second one, a part of the canvas, covers the first.
TEST(GifDecode, Animations_ComposeTheirFrames) {
  std::vector<uint8_t> bytes = EncodeGif({});
  std::vector<uint8_t> other =
      EncodeGif({.left = 5, .top = 9, .width = 20, .height = 11});
  const Image first = MustDecode(bytes);
  // Both have the same screen and colors.
  constexpr size_t kHead = 13 + 3 * 256;
  ASSERT_EQ(bytes.back(), ';');
  bytes.pop_back();
  bytes.insert(bytes.end(), other.begin() + kHead, other.end());
  ASSERT_TRUE(CountPictures(bytes).ok());
  EXPECT_EQ(*CountPictures(bytes), 2);
  EXPECT_EQ(LargestDifference(MustDecode(bytes), first), 0);
  DecodeLimits limits;
  limits.picture = 1;
  const Result<Image> second = Decode(bytes, limits);
  ASSERT_TRUE(second.ok()) << second.status().message();
  // Outside of it the first one is seen.
  EXPECT_EQ(std::memcmp(second->row(0), first.row(0), first.stride()), 0);
  EXPECT_EQ(second->row(9)[15], 0);  // Color 0 is its first.
  EXPECT_EQ(second->row(9)[16], 255);
  limits.picture = 2;
  EXPECT_EQ(GifCode(Decode(bytes, limits)), Code::kInvalidArgument);
  // Cut off in the second image: the first is read, the second is damaged.
  bytes.resize(bytes.size() - 20);
  EXPECT_EQ(*CountPictures(bytes), 2);
  limits.picture = 1;
  EXPECT_EQ(GifCode(Decode(bytes, limits)), Code::kMalformed);
}

// Red at a place of the canvas; nothing beside the image.
std::optional<int> RedOf(const GifOptions& o, int x, int y) {
  const int fx = x - o.left, fy = y - o.top;
  if (fx < 0 || fy < 0 || fx >= o.width || fy >= o.height) return std::nullopt;
  return (fx * 5 + fy * 7) & 255;
}

// How the first of two images gives way to the second: 0 and 1 leave it, 2
// clears its place, 3 brings back what was before, which is nothing.
TEST(GifDecode, DisposedFrames_GiveWay) {
  constexpr size_t kHead = 13 + 3 * 256;
  const GifOptions second = {.left = 6, .top = 2, .width = 24, .height = 30};
  const std::vector<uint8_t> other = EncodeGif(second);
  // The latter sticks out of the canvas.
  for (const GifOptions& first :
       {GifOptions{.left = 5, .top = 9, .width = 20, .height = 11},
        GifOptions{.left = 25, .top = 30}}) {
    for (const uint8_t disposal : {0, 1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << first.left << " " << int{disposal});
      std::vector<uint8_t> bytes = EncodeGif(first);
      const uint8_t control[] = {
          0x21, 0xF9, 4, static_cast<uint8_t>(disposal << 2), 0, 0, 0, 0};
      bytes.insert(bytes.begin() + kHead, std::begin(control),
                   std::end(control));
      bytes.pop_back();
      bytes.insert(bytes.end(), other.begin() + kHead, other.end());
      DecodeLimits limits;
      limits.picture = 1;
      const Result<Image> image = Decode(bytes, limits);
      ASSERT_TRUE(image.ok()) << image.status().message();
      for (int y = 0; y < 40; ++y) {
        for (int x = 0; x < 40; ++x) {
          auto red = RedOf(second, x, y);
          if (!red && disposal < 2) red = RedOf(first, x, y);
          ASSERT_EQ(image->row(y)[3 * x], red.value_or(255)) << x << "," << y;
        }
      }
    }
  }
}

TEST(GifDecode, TruncatedFile_IsRefused) {
  std::vector<uint8_t> bytes = EncodeGif({});
  // The end of the image's data and of the file; it is whole without them.
  bytes.resize(bytes.size() - 2);
  ExpectCutsRefused(bytes);
}

TEST(GifDecode, FileWithoutImage_IsRefused) {
  std::vector<uint8_t> bytes = EncodeGif({});
  bytes.resize(13 + 3 * 256);
  bytes.push_back(';');
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().message(), "gif: the file holds no picture");
}

}  // namespace
}  // namespace munja::image::test_pictures
