// Images in every format and variant, drawn and written by the tests.
#ifndef MUNJA_IMAGE_CODECS_TESTING_H_
#define MUNJA_IMAGE_CODECS_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "image/image.h"

namespace munja::image::test_pictures {

// TIFF as libtiff writes it; numbers are those of tiff.h.
struct TiffOptions {
  const char* name = "";
  int compression = 1;  // COMPRESSION_NONE
  int samples = 3, bits = 8;
  bool tiled = false, planar = false;
  int orientation = 0;
  int photometric = 2;  // PHOTOMETRIC_RGB; of a palette, index i shows as
                        // (i, 255 - i, i / 2).
  int rows_per_strip = 7;
  int pages = 1;
  const char* mode = "w";  // For TIFFOpen(): "wb" big endian, "w8" BigTIFF.
  bool lowest_bit_first = false;
  bool horizontal = false;      // Differences of neighbors are compressed.
  double across = 0, down = 0;  // Dots to the inch; 0: not stated.
};
std::vector<uint8_t> EncodeTiff(const Image& image, const TiffOptions& options);

// WebP files are put together from chunks.
void PutChunk(std::vector<uint8_t>& out, const char* name,
              const std::vector<uint8_t>& data);
void Put24(std::vector<uint8_t>& out, int value);
std::vector<uint8_t> Riff(const std::vector<uint8_t>& chunks);
// The chunk VP8X, which states a canvas and what else the file holds.
std::vector<uint8_t> WebpHeader(uint8_t flags, int width, int height);
std::vector<uint8_t> EncodeWebp(const Image& image, bool lossless);
// The alpha of a pixel is its red.
std::vector<uint8_t> EncodeWebpWithAlpha(const Image& image, bool lossless);
// The chunk with the pixels of a file of one chunk.
std::vector<uint8_t> PixelChunk(const std::vector<uint8_t>& file);
// The EXIF chunk follows the pixels.
std::vector<uint8_t> EncodeWebpWithExif(const Image& stored, int orientation);

// 16 x 16 pixels of RGBA: opaque black above, transparent black below.
std::vector<uint8_t> HalfTransparent();
// Expects that picture over white.
void ExpectHalfWhite(const Image& image);

struct GifOptions {
  int canvas = 40;  // Both sides.
  int left = 0, top = 0, width = 40, height = 40;
  bool interlaced = false;
  int transparent = -1;
};
// The index at (x, y) is 5 x + 7 y; it shows as (index, 255 - index, index /
// 2).
std::vector<uint8_t> EncodeGif(const GifOptions& options);

struct BmpOptions {
  const char* name = "";
  uint32_t bits = 24;
  uint32_t compression = 0;
  bool top_down = false, os2 = false;
  std::vector<uint32_t> masks = {};
};
// Entry i of the palette is (i, 255 - i, 3).
std::vector<uint8_t> BmpFile(const BmpOptions& options, int width, int height,
                             const std::vector<uint8_t>& pixels);
// The image's pixels in the layout of the options, and what is shown.
std::vector<uint8_t> BmpPixels(const BmpOptions& options, const Image& image,
                               Image& shown);

// An image of every format, and of everything in it that is stored in a way
// of its own, with and without a turn; a kilobyte or two each.
struct DrawnFile {
  std::string name;
  std::vector<uint8_t> bytes;
};
std::vector<DrawnFile> EveryVariant();

}  // namespace munja::image::test_pictures

#endif  // MUNJA_IMAGE_CODECS_TESTING_H_
