// Images and measures for the tests of this module.
#ifndef MUNJA_IMAGE_TESTING_H_
#define MUNJA_IMAGE_TESTING_H_

#include <cstdint>
#include <vector>

#include "image/decode.h"
#include "image/image.h"

namespace munja::image::test_pictures {

// Its pixels may be anything.
Image NewImage(int width, int height);

// An image without any symmetry: ramps, sharp bars and noise.
Image Pattern(int width, int height);

// The same pixels, gray: R = G = B.
Image GrayPattern(int width, int height);

Image Copy(const ImageView& view);

// How `upright` is stored with an EXIF orientation, from the definition of
// the tag: which side of what is seen row 0 and column 0 lie at.
Image StoredAs(const Image& upright, int orientation);

// A TIFF structure with nothing but the orientation.
std::vector<uint8_t> ExifBlock(int orientation);

// Peak signal-to-noise ratio in dB; 99 when equal, 0 when the sizes differ.
double Psnr(const Image& a, const Image& b);

// The largest difference of two levels; 256 when the sizes differ.
int LargestDifference(const Image& a, const Image& b);

// Decodes the first n / 64 of the bytes for every n < 64, each copied to
// memory of exactly that size: none may decode, all must say kMalformed (or
// kUnsupported, where the signature itself is cut).
void ExpectCutsRefused(const std::vector<uint8_t>& bytes);

// Decode, or a 1 x 1 image after a test failure.
Image MustDecode(const std::vector<uint8_t>& bytes);

// JPEG as libjpeg writes it.
struct JpegOptions {
  int quality = 95;
  bool progressive = false;
  bool gray = false;
  bool cmyk = false;
  bool adobe = true;    // CMYK is inverted, with Adobe's marker.
  int orientation = 0;  // 0: no EXIF.
  bool arithmetic = false;
  bool separate = false;  // Sequential, a scan for each component.
  int restarts = 0;       // MCU rows between restart markers; 0: none.
};
std::vector<uint8_t> EncodeJpeg(const Image& image, const JpegOptions& options);

// PNG as libpng writes it from 8-bit RGB, by color type and depth; alpha
// channels get 255 - red (RGBA) or 255 - luma (gray and alpha).
struct PngOptions {
  int color_type = 2;  // PNG_COLOR_TYPE_RGB
  int depth = 8;
  bool interlaced = false;
  int orientation = 0;
};
std::vector<uint8_t> EncodePngAs(const Image& image, const PngOptions& options);

}  // namespace munja::image::test_pictures

#endif  // MUNJA_IMAGE_TESTING_H_
