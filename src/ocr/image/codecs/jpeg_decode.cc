// JPEG by libjpeg-turbo: baseline and progressive; gray, YCbCr, RGB, CMYK and
// YCCK; EXIF orientation.
#include <csetjmp>
#include <cstdio>  // jpeglib.h wants FILE.

#include <jpeglib.h>
// After jpeglib.h.
#include <jerror.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "base/control.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::jpeg {
namespace {

// Each scan passes over all coefficients of the image, even when it says
// nothing about them, so that a small file can ask for hours. Encoders write
// about 10 scans, and need 28 to send four components by two bands of
// frequencies in three steps each. Small images may have more, as long as
// scans times pixels stay below what takes about a tenth of a second.
constexpr int kFewScans = 32, kMostScans = 500;
constexpr int64_t kCheapScanPixels = 64'000'000;

int64_t ScansAllowed(int64_t pixels) {
  return std::clamp<int64_t>(kCheapScanPixels / pixels, kFewScans, kMostScans);
}

struct Decoder {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  jmp_buf jump;
  int code;  // The library's message code that ended decoding.
  bool hit_end, too_many_scans;
  int64_t scans_allowed;
  char message[JMSG_LENGTH_MAX];
};

Decoder& Of(j_common_ptr info) {
  return *static_cast<Decoder*>(info->client_data);
}

[[noreturn]] void Stop(j_common_ptr info) {
  Decoder& decoder = Of(info);
  decoder.code = info->err->msg_code;
  info->err->format_message(info, decoder.message);
  longjmp(decoder.jump, 1);
}

// Warnings after which the library goes on with gray or wrong pixels are
// errors here; the others (stray bytes between segments) are harmless.
void OnMessage(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
      Of(info).hit_end = true;
      // A sequential Huffman scan tells by JWRN_HIT_MARKER whether bits were
      // missing; an arithmetic one never tells, and of an image in several
      // scans whole ones may be.
      if (reinterpret_cast<j_decompress_ptr>(info)->arith_code ||
          jpeg_has_multiple_scans(reinterpret_cast<j_decompress_ptr>(info)))
        Stop(info);
      break;
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      Stop(info);
    default:
      break;
  }
}

void OnProgress(j_common_ptr info) {
  if (IsStopped()) longjmp(Of(info).jump, 1);
  const auto* const decompress = reinterpret_cast<j_decompress_ptr>(info);
  if (decompress->input_scan_number <= Of(info).scans_allowed) return;
  Of(info).too_many_scans = true;
  longjmp(Of(info).jump, 1);
}

// The functions below that call setjmp own nothing that needs a destructor,
// and change no local variable after it.
bool ReadHeader(Decoder& decoder, Bytes bytes) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_create_decompress(&decoder.info);
  decoder.info.client_data = &decoder;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, bytes.data(),
               static_cast<unsigned long>(bytes.size()));
  jpeg_save_markers(&decoder.info, JPEG_APP0 + 1, 0xFFFF);
  jpeg_read_header(&decoder.info, TRUE);
  const J_COLOR_SPACE space = decoder.info.jpeg_color_space;
  decoder.info.out_color_space =
      space == JCS_CMYK || space == JCS_YCCK ? JCS_CMYK : JCS_RGB;
  return true;
}

bool Start(Decoder& decoder) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_start_decompress(&decoder.info);
  return true;
}

// Adobe's programs store CMYK inverted (255 is no ink).
void CmykToRgb(const uint8_t* cmyk, size_t count, bool inverted, uint8_t* rgb) {
  const uint8_t flip = inverted ? 0 : 255;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t light = cmyk[4 * i + 3] ^ flip;
    for (size_t c = 0; c < 3; ++c) {
      const uint32_t value = (cmyk[4 * i + c] ^ flip) * light + 128;
      rgb[3 * i + c] = static_cast<uint8_t>((value + (value >> 8)) >> 8);
    }
  }
}

// `cmyk` holds one row when the image is CMYK.
bool ReadRows(Decoder& decoder, Image& image, uint8_t* cmyk) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_decompress_struct& info = decoder.info;
  while (info.output_scanline < info.output_height) {
    uint8_t* const row = image.row(static_cast<int>(info.output_scanline));
    JSAMPROW target = cmyk != nullptr ? cmyk : row;
    jpeg_read_scanlines(&info, &target, 1);
    if (cmyk != nullptr) {
      CmykToRgb(cmyk, info.output_width, info.saw_Adobe_marker != 0, row);
    }
  }
  return true;
}

Status Failure(const Decoder& decoder) {
  if (decoder.too_many_scans)
    return OutOfMemory("the picture has more than " +
                       std::to_string(decoder.scans_allowed) +
                       " scans, which no encoder writes for its size");
  switch (decoder.code) {
    case JERR_OUT_OF_MEMORY:
      return OutOfMemory(decoder.message);
    case JERR_NO_BACKING_STORE:  // The library's error at its memory limit.
      return OutOfMemory("the picture needs more memory than its size tells");
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
      return Unsupported(decoder.message);
    default:
      break;
  }
  if (decoder.hit_end || decoder.code == JWRN_HIT_MARKER) {
    const bool in_rows =
        decoder.info.output_height > 0 && !decoder.info.progressive_mode;
    if (in_rows)
      return CutOff(decoder.info.output_scanline, decoder.info.output_height);
    return Malformed("the picture is cut off");
  }
  return Malformed(decoder.message);
}

int Orientation(const Decoder& decoder) {
  for (const jpeg_marker_struct* marker = decoder.info.marker_list;
       marker != nullptr; marker = marker->next) {
    if (marker->data_length >= 6 && std::memcmp(marker->data, "Exif\0", 6) == 0)
      return ExifOrientation({marker->data, marker->data_length});
  }
  return 1;
}

struct Destroy {
  Decoder& decoder;
  ~Destroy() { jpeg_destroy_decompress(&decoder.info); }
};

}  // namespace

bool Sniff(Bytes bytes) {
  return bytes.size() >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 &&
         bytes[2] == 0xFF;
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  Decoder decoder;
  std::memset(&decoder, 0, sizeof(decoder));
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = Stop;
  decoder.errors.emit_message = OnMessage;
  decoder.errors.output_message = [](j_common_ptr) {};
  decoder.progress.progress_monitor = OnProgress;
  decoder.info.client_data = &decoder;
  const Destroy destroy{decoder};

  if (!ReadHeader(decoder, bytes)) return Failure(decoder);
  const int64_t width = decoder.info.image_width;
  const int64_t height = decoder.info.image_height;
  MUNJA_RETURN_IF_ERROR(CheckSize(width, height, limits));
  decoder.scans_allowed = ScansAllowed(width * height);
  // Coefficients of four components, two bytes each; rows, and sides that are
  // rounded up to whole blocks, need little beside.
  constexpr long kSmallThings = 64 << 20;
  decoder.info.mem->max_memory_to_use =
      static_cast<long>(width * height * 8) + kSmallThings;
  // Memory of the library itself for an image in several scans.
  MemoryClaim coefficients;
  if (jpeg_has_multiple_scans(&decoder.info)) {
    MUNJA_ASSIGN_OR_RETURN(
        coefficients,
        MemoryClaim::Take(static_cast<size_t>(width) *
                          static_cast<size_t>(height) * sizeof(JCOEF) *
                          static_cast<size_t>(decoder.info.num_components)));
  }
  if (!Start(decoder)) return Failure(decoder);
  MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(static_cast<int>(width),
                                                    static_cast<int>(height)));
  Buffer cmyk;
  if (decoder.info.out_color_space == JCS_CMYK) {
    MUNJA_ASSIGN_OR_RETURN(cmyk,
                           Buffer::Allocate(static_cast<size_t>(width) * 4));
  }
  if (!ReadRows(decoder, image, cmyk.data())) return Failure(decoder);
  return Upright(std::move(image), Orientation(decoder));
}

}  // namespace munja::image::codecs::jpeg
