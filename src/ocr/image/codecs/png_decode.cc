// PNG by libpng: every color type and depth, interlaced or not, eXIf
// orientation. Color management chunks are ignored.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/control.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::png {
namespace {

struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  Bytes left;
  bool hit_end = false;
  bool damaged = false;  // A chunk that changes what is shown.
  int rows_read = 0;
  char message[128] = "";
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  auto* const decoder = static_cast<Decoder*>(png_get_error_ptr(png));
  std::strncpy(decoder->message, message, sizeof(decoder->message) - 1);
  png_longjmp(png, 1);
}

// libpng leaves out a chunk whose checksum is wrong, with a warning that begins
// with its name. That of these two changes what is shown.
void OnWarning(png_structp png, png_const_charp message) {
  const std::string_view text = message;
  const bool matters = text.starts_with("eXIf") || text.starts_with("tRNS");
  if (!matters || text.find("CRC") == std::string_view::npos) return;
  auto* const decoder = static_cast<Decoder*>(png_get_error_ptr(png));
  decoder->damaged = true;
  std::memcpy(decoder->message, message, 4);
  std::strcpy(decoder->message + 4, ": the checksum is wrong");
}

void OnRead(png_structp png, png_bytep out, size_t size) {
  auto* const decoder = static_cast<Decoder*>(png_get_io_ptr(png));
  if (size > decoder->left.size()) {
    decoder->hit_end = true;
    png_error(png, "the file ends too early");
  }
  std::memcpy(out, decoder->left.data(), size);
  decoder->left = decoder->left.subspan(size);
}

// The bytes up to the first chunk, pixels aside, that the file does not hold
// whole: libpng gets memory for all that a chunk states before it reads it.
Bytes WholeChunks(Bytes bytes) {
  constexpr size_t kAround = 12;  // Length, name, checksum.
  size_t at = 8;
  while (bytes.size() - at >= kAround) {
    const size_t length = png_get_uint_32(bytes.data() + at);
    const uint8_t* const name = bytes.data() + at + 4;
    if (length > bytes.size() - at - kAround)
      return std::memcmp(name, "IDAT", 4) == 0 ? bytes : bytes.first(at);
    at += kAround + length;
  }
  return bytes;
}

// The functions below that call setjmp own nothing that needs a destructor,
// and change no local variable after it.
bool ReadHeader(Decoder& decoder) {
  png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  // Text and color profiles are of no use here and may be compressed bombs.
  static const png_byte kIgnored[] = "iCCP\0tEXt\0zTXt\0iTXt\0sPLT";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kIgnored, 5);
  png_set_read_fn(png, &decoder, OnRead);
  png_read_info(png, decoder.info);
  return true;
}

// To 8-bit RGB, or RGBA where the image has transparency.
bool SetTransforms(Decoder& decoder) {
  png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, decoder.info);
  return true;
}

// Reads `passes` times all rows; a row of RGBA goes into `rgba` first, where
// rows are `rgba_stride` bytes apart (0: all in one place).
bool ReadRows(Decoder& decoder, int passes, uint8_t ground, Image& image,
              uint8_t* rgba, size_t rgba_stride) {
  png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < image.height(); ++y) {
      if (IsStopped()) return false;
      uint8_t* const wide = rgba == nullptr
                                ? nullptr
                                : rgba + static_cast<size_t>(y) * rgba_stride;
      png_read_row(png, wide == nullptr ? image.row(y) : wide, nullptr);
      if (pass + 1 < passes) continue;
      decoder.rows_read = y + 1;
      if (wide != nullptr)
        OverGround(wide, static_cast<size_t>(image.width()), ground,
                   image.row(y));
    }
  }
  return true;
}

// The same with 16 bits a sample, as they stand in the file.
bool ReadWideRows(Decoder& decoder, int height, uint8_t* out, size_t stride) {
  png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, decoder.info);
  if (png_get_rowbytes(png, decoder.info) != stride) return false;
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < height; ++y) {
      if (IsStopped()) return false;
      png_read_row(png, out + static_cast<size_t>(y) * stride, nullptr);
    }
  }
  return true;
}

// Chunks after the pixels matter only for an eXIf chunk, which may have been
// there when the end chunk is missing.
bool ReadEnd(Decoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_read_end(decoder.png, decoder.info);
  return true;
}

int Orientation(Decoder& decoder) {
  png_uint_32 size = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(decoder.png, decoder.info, &size, &exif) == 0) return 1;
  return ExifOrientation({exif, size});
}

Status Start(Decoder& decoder) {
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, OnError,
                                       OnWarning);
  if (decoder.png == nullptr) return OutOfMemory("cannot start libpng");
  decoder.info = png_create_info_struct(decoder.png);
  if (decoder.info == nullptr) return OutOfMemory("cannot start libpng");
  return Status();
}

// Shows the largest sample of a 16-bit image that was read without damage as
// white if it is at most kLargestSmallSample.
Status StretchSmallSamples(Bytes bytes, Image& image) {
  Decoder decoder;
  decoder.left = bytes;
  MUNJA_RETURN_IF_ERROR(Start(decoder));
  if (!ReadHeader(decoder)) return Malformed(decoder.message);
  const size_t channels = png_get_channels(decoder.png, decoder.info);
  const size_t count = static_cast<size_t>(image.width()) * channels;
  MUNJA_ASSIGN_OR_RETURN(
      Buffer wide,
      Buffer::AllocateZeroed(2 * count * static_cast<size_t>(image.height())));
  if (!ReadWideRows(decoder, image.height(), wide.data(), 2 * count))
    return Malformed(decoder.message);
  const auto sample = [&](size_t i) {
    return static_cast<uint32_t>(wide.data()[2 * i]) << 8 |
           wide.data()[2 * i + 1];
  };
  const size_t all = count * static_cast<size_t>(image.height());
  uint32_t largest = 0;
  for (size_t i = 0; i < all; ++i) largest = std::max(largest, sample(i));
  if (largest == 0 || largest > kLargestSmallSample) return Status();
  uint8_t* out = image.row(0);
  for (size_t i = 0; i < all; ++i) {
    const auto level =
        static_cast<uint8_t>((sample(i) * 255 + largest / 2) / largest);
    out = std::fill_n(out, 3 / channels, level);
  }
  return Status();
}

}  // namespace

bool Sniff(Bytes bytes) {
  static constexpr uint8_t kSignature[8] = {0x89, 'P',  'N',  'G',
                                            0x0D, 0x0A, 0x1A, 0x0A};
  return bytes.size() >= sizeof(kSignature) &&
         std::memcmp(bytes.data(), kSignature, sizeof(kSignature)) == 0;
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  // Before the library sees a byte: what follows the header may be an attack.
  if (bytes.size() >= 24 && std::memcmp(bytes.data() + 12, "IHDR", 4) == 0) {
    MUNJA_RETURN_IF_ERROR(CheckSize(png_get_uint_32(bytes.data() + 16),
                                    png_get_uint_32(bytes.data() + 20),
                                    limits));
  }
  Decoder decoder;
  decoder.left = WholeChunks(bytes);
  MUNJA_RETURN_IF_ERROR(Start(decoder));
  if (!ReadHeader(decoder)) {
    if (decoder.hit_end) return Malformed("the file ends inside its header");
    return Malformed(decoder.message);
  }
  const int64_t width = png_get_image_width(decoder.png, decoder.info);
  const int64_t height = png_get_image_height(decoder.png, decoder.info);
  MUNJA_RETURN_IF_ERROR(CheckSize(width, height, limits));
  const bool interlaced =
      png_get_interlace_type(decoder.png, decoder.info) != PNG_INTERLACE_NONE;
  const bool is_wide = png_get_bit_depth(decoder.png, decoder.info) == 16;
  if (!SetTransforms(decoder)) return Malformed(decoder.message);
  const int channels = png_get_channels(decoder.png, decoder.info);
  if ((channels != 3 && channels != 4) ||
      png_get_rowbytes(decoder.png, decoder.info) !=
          static_cast<size_t>(width) * static_cast<size_t>(channels)) {
    return Internal("libpng gave " + std::to_string(channels) + " channels");
  }
  MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(static_cast<int>(width),
                                                    static_cast<int>(height)));
  Buffer rgba;
  const size_t stride =
      interlaced && channels == 4 ? static_cast<size_t>(width) * 4 : 0;
  if (channels == 4) {
    const size_t rows = interlaced ? static_cast<size_t>(height) : 1;
    MUNJA_ASSIGN_OR_RETURN(
        rgba, Buffer::AllocateZeroed(static_cast<size_t>(width) * 4 * rows));
  }
  if (!ReadRows(decoder, interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1,
                limits.ground, image, rgba.data(), stride)) {
    if (decoder.hit_end) return CutOff(decoder.rows_read, height);
    return Malformed(std::string(decoder.message) + " (in row " +
                     std::to_string(decoder.rows_read + 1) + " of " +
                     std::to_string(height) + ")");
  }
  if (!ReadEnd(decoder)) {
    return Malformed(decoder.hit_end ? "the file ends before its end chunk"
                                     : decoder.message);
  }
  if (decoder.damaged) return Malformed(decoder.message);
  if (is_wide && channels == 3 && MayHaveSmallSamples(image))
    MUNJA_RETURN_IF_ERROR(StretchSmallSamples(WholeChunks(bytes), image));
  return Upright(std::move(image), Orientation(decoder));
}

}  // namespace munja::image::codecs::png
