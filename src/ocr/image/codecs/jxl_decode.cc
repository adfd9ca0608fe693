// JPEG XL by libjxl: lossy, lossless, JPEG files packed into it, alpha, turned
// upright; the first image of an animation.
#ifdef MUNJA_HAS_JXL
#include <jxl/decode.h>
#endif

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/buffer.h"
#include "base/control.h"
#include "image/codecs/codec.h"
#include "image/codecs/shared_library.h"

namespace munja::image::codecs::jxl {
namespace {

using namespace std::string_view_literals;

// The first box of a file, and the first bytes of a codestream.
constexpr std::string_view kFile = "\0\0\0\x0CJXL \r\n\x87\n"sv;
constexpr std::string_view kCodestream = "\xFF\x0A"sv;

bool BeginsWith(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

#ifdef MUNJA_HAS_JXL
constexpr char kNotInstalled[] =
    "libjxl, which reads it, is not installed (Debian: libjxl0.7)";

// JxlDecoderCloseInput() is not among them: after it the library prints where a
// file is cut off.
#define MUNJA_JXL_FUNCTIONS(F)    \
  F(JxlDecoderCreate)             \
  F(JxlDecoderDestroy)            \
  F(JxlDecoderGetBasicInfo)       \
  F(JxlDecoderImageOutBufferSize) \
  F(JxlDecoderProcessInput)       \
  F(JxlDecoderSetImageOutBuffer)  \
  F(JxlDecoderSetInput)           \
  F(JxlDecoderSubscribeEvents)
// The functions of the headers are those of this version of the library.
MUNJA_SHARED_LIBRARY("libjxl.so." MUNJA_JXL_VERSION, MUNJA_JXL_FUNCTIONS)

constexpr JxlPixelFormat kRgba = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};

// Colors are multiplied with their alpha in some files.
void Divide(uint8_t* rgba, size_t count) {
  for (uint8_t* p = rgba; p < rgba + 4 * count; p += 4)
    for (int c = 0; c < 3 && p[3] > 0; ++c)
      p[c] = static_cast<uint8_t>(std::min(255, p[c] * 255 / p[3]));
}
#endif  // MUNJA_HAS_JXL

}  // namespace

bool Sniff(Bytes bytes) {
  return BeginsWith(bytes, kFile) || BeginsWith(bytes, kCodestream);
}

#ifdef MUNJA_HAS_JXL
Status Available() {
  return Library::Open() != nullptr ? Status() : Unavailable(kNotInstalled);
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  const Library* const library = Library::Open();
  if (library == nullptr) return Unsupported(kNotInstalled);
  const std::unique_ptr<JxlDecoder, decltype(library->JxlDecoderDestroy)>
      decoder(library->JxlDecoderCreate(nullptr), library->JxlDecoderDestroy);
  if (decoder == nullptr) return OutOfMemory("no memory");
  if (library->JxlDecoderSubscribeEvents(
          decoder.get(), JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE) !=
          JXL_DEC_SUCCESS ||
      library->JxlDecoderSetInput(decoder.get(), bytes.data(), bytes.size()) !=
          JXL_DEC_SUCCESS)
    return Internal("libjxl takes no input");
  JxlBasicInfo info = {};
  Buffer pixels;
  for (;;) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    switch (library->JxlDecoderProcessInput(decoder.get())) {
      case JXL_DEC_BASIC_INFO: {
        if (library->JxlDecoderGetBasicInfo(decoder.get(), &info) !=
            JXL_DEC_SUCCESS)
          return Malformed("the header is damaged");
        // As it is shown, turned upright.
        MUNJA_RETURN_IF_ERROR(CheckSize(info.xsize, info.ysize, limits));
        break;
      }
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: {
        size_t size = 0;
        if (library->JxlDecoderImageOutBufferSize(decoder.get(), &kRgba,
                                                  &size) != JXL_DEC_SUCCESS ||
            size < size_t{4} * info.xsize * info.ysize)
          return Malformed("the pixels have another size than the header says");
        MUNJA_ASSIGN_OR_RETURN(pixels, Buffer::Allocate(size));
        if (library->JxlDecoderSetImageOutBuffer(
                decoder.get(), &kRgba, pixels.data(), size) != JXL_DEC_SUCCESS)
          return Internal("libjxl takes no buffer");
        break;
      }
      case JXL_DEC_FULL_IMAGE: {
        const auto width = static_cast<size_t>(info.xsize);
        MUNJA_ASSIGN_OR_RETURN(Image image,
                               Image::Create(static_cast<int>(info.xsize),
                                             static_cast<int>(info.ysize)));
        for (int y = 0; y < image.height(); ++y) {
          uint8_t* const row =
              pixels.data() + static_cast<size_t>(y) * width * 4;
          if (info.alpha_premultiplied != 0) Divide(row, width);
          OverGround(row, width, limits.ground, image.row(y));
        }
        return image;
      }
      case JXL_DEC_NEED_MORE_INPUT:
        return Malformed("the picture is cut off");
      case JXL_DEC_SUCCESS:
        return Malformed("there is no picture in it");
      default:
        return Malformed("the picture is damaged");
    }
  }
}
#else
Status Available() {
  return Unsupported(
      "this build of the library reads no JPEG XL pictures: it was made "
      "without libjxl (Debian: libjxl-dev)");
}

Result<Image> Decode(Bytes, const DecodeLimits&) { return Available(); }
#endif

}  // namespace munja::image::codecs::jxl
