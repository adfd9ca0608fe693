#include "image/encode.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/file.h"

namespace munja::image {
namespace {

// Grows by malloc: an exception must not pass through libpng.
struct Encoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  uint8_t* bytes = nullptr;
  size_t size = 0, capacity = 0;
  char message[128] = "";
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() {
    png_destroy_write_struct(&png, &info);
    std::free(bytes);
  }
};

[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  auto* const encoder = static_cast<Encoder*>(png_get_error_ptr(png));
  std::strncpy(encoder->message, message, sizeof(encoder->message) - 1);
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}

void OnWrite(png_structp png, png_bytep data, size_t size) {
  auto* const encoder = static_cast<Encoder*>(png_get_io_ptr(png));
  if (size > encoder->capacity - encoder->size) {
    const size_t wanted =
        std::max(encoder->capacity * 2, encoder->size + size + 4096);
    void* const grown = std::realloc(encoder->bytes, wanted);
    if (grown == nullptr) png_error(png, "out of memory");
    encoder->bytes = static_cast<uint8_t*>(grown);
    encoder->capacity = wanted;
  }
  std::memcpy(encoder->bytes + encoder->size, data, size);
  encoder->size += size;
}

void OnFlush(png_structp) {}

// Owns nothing that needs a destructor and changes no local after setjmp.
bool Write(Encoder& encoder, const uint8_t* data, size_t stride, int width,
           int height, int color_type) {
  png_structp png = encoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &encoder, OnWrite, OnFlush);
  png_set_IHDR(png, encoder.info, static_cast<png_uint_32>(width),
               static_cast<png_uint_32>(height), 8, color_type,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, encoder.info);
  for (int y = 0; y < height; ++y)
    png_write_row(png, data + static_cast<size_t>(y) * stride);
  png_write_end(png, nullptr);
  return true;
}

Result<std::vector<uint8_t>> Encode(const uint8_t* data, size_t stride,
                                    int width, int height, int color_type) {
  if (data == nullptr || width < 1 || height < 1)
    return InvalidArgument("PNG: the picture is empty");
  Encoder encoder;
  encoder.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder,
                                        OnError, OnWarning);
  if (encoder.png == nullptr) return OutOfMemory("cannot start libpng");
  encoder.info = png_create_info_struct(encoder.png);
  if (encoder.info == nullptr) return OutOfMemory("cannot start libpng");
  // Images here are written once to be looked at: speed before size.
  png_set_compression_level(encoder.png, 4);
  if (!Write(encoder, data, stride, width, height, color_type))
    return OutOfMemory(std::string("PNG: ") + encoder.message);
  return std::vector<uint8_t>(encoder.bytes, encoder.bytes + encoder.size);
}

}  // namespace

Result<std::vector<uint8_t>> EncodePng(const ImageView& view) {
  return Encode(view.data, view.stride, view.width, view.height,
                PNG_COLOR_TYPE_RGB);
}

Result<std::vector<uint8_t>> EncodeGrayPng(const uint8_t* gray, int width,
                                           int height) {
  return Encode(gray, static_cast<size_t>(std::max(width, 0)), width, height,
                PNG_COLOR_TYPE_GRAY);
}

Status WritePng(const std::string& path, const ImageView& view) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, EncodePng(view));
  return WriteFile(path, bytes);
}

Status WriteGrayPng(const std::string& path, const uint8_t* gray, int width,
                    int height) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         EncodeGrayPng(gray, width, height));
  return WriteFile(path, bytes);
}

}  // namespace munja::image
