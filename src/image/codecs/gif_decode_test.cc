#include <gtest/gtest.h>

#include "image/codecs/testing.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

using Options = GifOptions;

// What is shown at (x, y) of the canvas.
void ExpectShown(const Image& image, const Options& o) {
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

TEST(GifDecode, ShowsThePictureOnItsCanvas) {
  const Options kCases[] = {
      {},
      {.interlaced = true},
      {.height = 3, .interlaced = true},
      {.transparent = 35},
      {.left = 5, .top = 9, .width = 20, .height = 11},
      // Sticking out: cut at the canvas.
      {.canvas = 30, .left = 20, .top = 25},
  };
  for (const Options& o : kCases) ExpectShown(MustDecode(EncodeGif(o)), o);
}

TEST(GifDecode, NeverGivesHalfAPicture) {
  std::vector<uint8_t> bytes = EncodeGif({});
  // The end of the picture's data and of the file; it is whole without them.
  bytes.resize(bytes.size() - 2);
  ExpectCutsRefused(bytes);
}

TEST(GifDecode, RefusesAFileWithoutAPicture) {
  std::vector<uint8_t> bytes = EncodeGif({});
  bytes.resize(13 + 3 * 256);
  bytes.push_back(';');
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().message(), "gif: the file holds no picture");
}

}  // namespace
}  // namespace munja::image::test_pictures
