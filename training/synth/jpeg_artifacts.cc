#include "synth/jpeg_artifacts.h"

#include <csetjmp>
#include <cstdio>  // jpeglib.h wants FILE.
#include <cstdlib>

#include <jpeglib.h>

#include <span>
#include <string>
#include <utility>

#include "image/decode.h"

namespace munja::train {
namespace {

struct Encoder {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
  unsigned char* bytes;
  unsigned long size;
};

[[noreturn]] void Stop(j_common_ptr info) {
  Encoder& encoder = *static_cast<Encoder*>(info->client_data);
  info->err->format_message(info, encoder.message);
  longjmp(encoder.jump, 1);
}

void Ignore(j_common_ptr, int) {}

// Owns nothing that needs a destructor: it is left by longjmp.
bool Encode(Encoder& encoder, const image::Image& picture, int quality,
            bool subsample) {
  jpeg_compress_struct& info = encoder.info;
  if (setjmp(encoder.jump) != 0) return false;
  jpeg_create_compress(&info);
  info.client_data = &encoder;
  jpeg_mem_dest(&info, &encoder.bytes, &encoder.size);
  info.image_width = static_cast<JDIMENSION>(picture.width());
  info.image_height = static_cast<JDIMENSION>(picture.height());
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor =
      subsample ? 2 : 1;
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < picture.height(); ++y) {
    JSAMPROW row =
        const_cast<JSAMPROW>(picture.row(y));  // libjpeg reads it only.
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

Status CompressAsJpeg(image::Image& picture, int quality, bool subsample) {
  Encoder encoder{};
  encoder.info.err = jpeg_std_error(&encoder.errors);
  encoder.errors.error_exit = Stop;
  encoder.errors.emit_message = Ignore;
  encoder.info.client_data = &encoder;
  const bool encoded = Encode(encoder, picture, quality, subsample);
  jpeg_destroy_compress(&encoder.info);
  if (!encoded) {
    std::free(encoder.bytes);
    return Internal(std::string("JPEG: ") + encoder.message);
  }
  Result<image::Image> decoded =
      image::Decode(std::span<const uint8_t>(encoder.bytes, encoder.size));
  std::free(encoder.bytes);
  if (!decoded.ok())
    return std::move(decoded).TakeStatus().With("JPEG made for its artifacts");
  picture = std::move(decoded).value();
  return {};
}

}  // namespace munja::train
