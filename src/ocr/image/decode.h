// Decode: image bytes of any known format -> upright 8-bit RGB.
#ifndef MUNJA_IMAGE_DECODE_H_
#define MUNJA_IMAGE_DECODE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "image/image.h"

namespace munja::image {

// Limits for decoding an image. Checked against the header before any pixel
// memory is allocated. While decoding, at most about 14 bytes a pixel are held
// (a progressive CMYK JPEG; most formats need 3 to 7), so the defaults bound a
// decode at about 1.7 GB and a typical one at 360 MB: a 12000 x 9000 scan is
// accepted, a 65000 x 65000 bomb is not.
struct DecodeLimits {
  static constexpr int64_t kDefaultPixels = 120'000'000;
  // The whole canvas. A Control (base/control.h) may state another default.
  int64_t max_pixels = kDefaultPixels;
  // Limit of width and of height; at most kMaxImageSide.
  int max_side = kMaxImageSide;
  size_t max_file_bytes = size_t{512} << 20;
  // That may decode it, the calling one counted. WebP takes up to two.
  int threads = 1;
  int picture = 0;  // Which one, of a file of several; from 0 on.
  // Pixels to the inch at which a page of a PDF file is drawn. 0: those of the
  // image, where it is the only thing on the page, else 200.
  double dpi = 0;
  // The gray level that codecs lay transparent pixels over; Decode() sets it.
  uint8_t ground = 255;
};

// Decodes an image, recognized by its content, never by a name. EXIF (and
// TIFF) orientation is applied, transparency is laid over white (over
// black where nothing would be seen over white), CMYK is
// turned to RGB, 16-bit samples are rounded to 8; of an animation or a
// multi-page file one image is taken, of an animation as it is seen then.
// Bytes after the image are
// ignored. Thread-safe; `bytes` is read only; the pixels do not depend on the
// number of threads.
//
//   kInvalidArgument  there is no image of that number
//   kUnsupported   not a known format, or a feature of it that is not read
//   kMalformed     empty, damaged or cut off; half an image is never returned
//   kOutOfMemory   over a limit, or the memory is not there
Result<Image> Decode(std::span<const uint8_t> bytes,
                     const DecodeLimits& limits = {});

// How many images there are: pages of a PDF or TIFF file (without smaller
// versions of others), images of a GIF or WebP animation, else 1. Where a
// file is damaged behind some, one more, at which Decode() says so. Fails for
// what is no image at all.
Result<int> CountPictures(std::span<const uint8_t> bytes);

// Where a word stands, in points from the left and the top of what is shown.
struct WordPlace {
  double left = 0, top = 0, right = 0, bottom = 0;
};

// The words that a page of a PDF file has as text; `page` counts from 0 on.
// Fails as Decode() does.
Result<std::vector<WordPlace>> FindPdfWords(std::span<const uint8_t> bytes,
                                            int page);

// Decode of a file's content; also kNotFound and kIo. Messages name the path.
Result<Image> DecodeFile(const std::string& path,
                         const DecodeLimits& limits = {});

// The same of a path that the user named, which may be a pipe (ReadStream).
Result<Image> DecodeStream(const std::string& path,
                           const DecodeLimits& limits = {});

// "jpeg", "png", "webp", "bmp", "gif", "tiff", "heif", "jpeg2000", "jxl",
// "pnm", "pdf", or null when the first bytes are those of no known format.
const char* SniffFormat(std::span<const uint8_t> bytes);

// The formats above in the order in which they are tried; `available` is not ok
// where this build or machine lacks what reading one needs.
struct FormatSupport {
  const char* format;
  Status available;
  const char* package = "";  // Debian's that brings it; "": it is built in.
};
std::vector<FormatSupport> SupportedFormats();

}  // namespace munja::image

#endif  // MUNJA_IMAGE_DECODE_H_
