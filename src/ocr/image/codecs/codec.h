// The interface of an image codec, and helpers that all codecs need.
#ifndef MUNJA_IMAGE_CODECS_CODEC_H_
#define MUNJA_IMAGE_CODECS_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "image/decode.h"
#include "image/image.h"

namespace munja::image::codecs {

using Bytes = std::span<const uint8_t>;

// Sniff: whether the first bytes are those of this format; `bytes` may be
// short or empty. Decode: the contract of image::Decode(), except that the
// file size is checked and the format's name put before messages by the
// caller.
#define CODEC(format, stem, may_be_transparent)                  \
  namespace format {                                             \
  bool Sniff(Bytes bytes);                                       \
  Result<Image> Decode(Bytes bytes, const DecodeLimits& limits); \
  }
#include "image/codecs/codecs.def"
#undef CODEC

// How many images a file of a format with several holds, a damaged one behind
// others counted; 0 where there is none.
namespace tiff {
int Count(Bytes bytes);
}
namespace gif {
int Count(Bytes bytes);
}
namespace webp {
int Count(Bytes bytes);
}
namespace heif {
int Count(Bytes bytes);
}
namespace pdf {
int Count(Bytes bytes);
// FindPdfWords().
Result<std::vector<WordPlace>> Words(Bytes bytes, int page);
}  // namespace pdf

// Formats that need software that is not part of the library: kUnavailable
// where it is not installed, kUnsupported where this build lacks the format.
namespace heif {
Status Available();
}
namespace jpeg2000 {
Status Available();
}
namespace jxl {
Status Available();
}
namespace pdf {
Status Available();
}

// kMalformed for a side below 1, kOutOfMemory for a size over the limits.
Status CheckSize(int64_t width, int64_t height, const DecodeLimits& limits);

// kMalformed: "the picture is cut off after row 7 of 100".
Status CutOff(int64_t rows_read, int64_t height);

// The orientation (1 to 8) that an EXIF block states; 1 when it states none or
// is damaged. The block may begin with "Exif\0\0" or with the TIFF header.
int ExifOrientation(Bytes exif);

// `image` brought upright from EXIF orientation 1 to 8.
Result<Image> Upright(Image image, int orientation);

// Sets the size of the paper that an image of this resolution (dots per inch)
// was scanned from, unless there can be no such paper.
void SetPaperOf(double across, double down, Image& image);

// 16-bit samples that are at most this are those of a camera or scanner of 10
// or 12 bits: the largest of them is shown as white. As 16-bit samples they
// would be black.
inline constexpr uint32_t kLargestSmallSample = 4095;

// Whether all samples of an image of 16 bits may be so small once they are
// rounded to 8.
bool MayHaveSmallSamples(const Image& image);

// Lays `count` RGBA pixels over gray of this level.
void OverGround(const uint8_t* rgba, size_t count, uint8_t ground,
                uint8_t* rgb);

}  // namespace munja::image::codecs

#endif  // MUNJA_IMAGE_CODECS_CODEC_H_
