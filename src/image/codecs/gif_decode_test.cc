#include <gif_lib.h>
#include <gtest/gtest.h>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

struct Options {
  int canvas = 40;  // Both sides.
  int left = 0, top = 0, width = 40, height = 40;
  bool interlaced = false;
  int transparent = -1;
};

// Color of an index: (index, 255 - index, index / 2).
std::vector<uint8_t> Encode(const Options& o) {
  std::vector<uint8_t> out;
  int error = 0;
  GifFileType* const file = EGifOpen(
      &out,
      [](GifFileType* gif, const GifByteType* data, int size) {
        auto* const bytes = static_cast<std::vector<uint8_t>*>(gif->UserData);
        bytes->insert(bytes->end(), data, data + size);
        return size;
      },
      &error);
  GifColorType colors[256];
  for (int i = 0; i < 256; ++i) {
    colors[i] = {static_cast<GifByteType>(i), static_cast<GifByteType>(255 - i),
                 static_cast<GifByteType>(i / 2)};
  }
  ColorMapObject* const map = GifMakeMapObject(256, colors);
  EGifSetGifVersion(file, true);
  EGifPutScreenDesc(file, o.canvas, o.canvas, 8, 0, map);
  if (o.transparent >= 0) {
    const GifByteType control[4] = {1, 0, 0,
                                    static_cast<GifByteType>(o.transparent)};
    EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, control);
  }
  EGifPutImageDesc(file, o.left, o.top, o.width, o.height, o.interlaced,
                   nullptr);
  std::vector<int> order;
  for (int y = 0; y < o.height; ++y) order.push_back(y);
  if (o.interlaced) {
    order.clear();
    const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; ++pass)
      for (int y = starts[pass]; y < o.height; y += steps[pass])
        order.push_back(y);
  }
  for (const int y : order) {
    std::vector<GifPixelType> row;
    for (int x = 0; x < o.width; ++x)
      row.push_back(static_cast<GifPixelType>(x * 5 + y * 7));
    EGifPutLine(file, row.data(), o.width);
  }
  EGifCloseFile(file, nullptr);
  GifFreeMapObject(map);
  return out;
}

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
  for (const Options& o : kCases) ExpectShown(MustDecode(Encode(o)), o);
}

TEST(GifDecode, NeverGivesHalfAPicture) {
  std::vector<uint8_t> bytes = Encode({});
  // The end of the picture's data and of the file; it is whole without them.
  bytes.resize(bytes.size() - 2);
  ExpectCutsRefused(bytes);
}

TEST(GifDecode, RefusesAFileWithoutAPicture) {
  std::vector<uint8_t> bytes = Encode({});
  bytes.resize(13 + 3 * 256);
  bytes.push_back(';');
  const Result<Image> image = Decode(bytes);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().message(), "gif: the file holds no picture");
}

}  // namespace
}  // namespace munja::image::test_pictures
