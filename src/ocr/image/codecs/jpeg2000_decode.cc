// JPEG 2000 by OpenJPEG: JP2 files and bare codestreams; gray, RGB, YCbCr and
// CMYK of any depth, palettes, alpha.
#ifdef MUNJA_HAS_JPEG2000
#include <openjpeg.h>
#endif

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/control.h"
#include "image/codecs/codec.h"
#include "image/codecs/shared_library.h"

namespace munja::image::codecs::jpeg2000 {
namespace {

using namespace std::string_view_literals;

// The first box of a file, and the first two markers of a codestream.
constexpr std::string_view kFile = "\0\0\0\x0CjP  \r\n\x87\n"sv;
constexpr std::string_view kCodestream = "\xFF\x4F\xFF\x51"sv;

bool BeginsWith(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

#ifdef MUNJA_HAS_JPEG2000
constexpr char kNotInstalled[] =
    "OpenJPEG, which reads it, is not installed (Debian: libopenjp2-7)";

#define MUNJA_OPENJPEG_FUNCTIONS(F)     \
  F(opj_create_decompress)              \
  F(opj_decode)                         \
  F(opj_destroy_codec)                  \
  F(opj_end_decompress)                 \
  F(opj_image_destroy)                  \
  F(opj_read_header)                    \
  F(opj_set_default_decoder_parameters) \
  F(opj_set_error_handler)              \
  F(opj_setup_decoder)                  \
  F(opj_stream_create)                  \
  F(opj_stream_destroy)                 \
  F(opj_stream_set_read_function)       \
  F(opj_stream_set_seek_function)       \
  F(opj_stream_set_skip_function)       \
  F(opj_stream_set_user_data)           \
  F(opj_stream_set_user_data_length)
MUNJA_SHARED_LIBRARY("libopenjp2.so.7", MUNJA_OPENJPEG_FUNCTIONS)

// The bytes as OpenJPEG reads them.
struct Source {
  Bytes bytes;
  size_t at = 0;
};

OPJ_SIZE_T Read(void* buffer, OPJ_SIZE_T size, void* data) {
  auto& source = *static_cast<Source*>(data);
  const size_t count = std::min(size, source.bytes.size() - source.at);
  if (count == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(buffer, source.bytes.data() + source.at, count);
  source.at += count;
  return count;
}

OPJ_BOOL Seek(OPJ_OFF_T to, void* data) {
  auto& source = *static_cast<Source*>(data);
  if (to < 0 || static_cast<uint64_t>(to) > source.bytes.size())
    return OPJ_FALSE;
  source.at = static_cast<size_t>(to);
  return OPJ_TRUE;
}

OPJ_OFF_T Skip(OPJ_OFF_T count, void* data) {
  auto& source = *static_cast<Source*>(data);
  const OPJ_OFF_T rest =
      static_cast<OPJ_OFF_T>(source.bytes.size() - source.at);
  if (count < 0 || count > rest) return -1;
  source.at += static_cast<size_t>(count);
  return count;
}

// Keeps the first message.
void Complain(const char* message, void* data) {
  auto& kept = *static_cast<std::string*>(data);
  if (!kept.empty()) return;
  kept = message;
  while (!kept.empty() && (kept.back() == '\n' || kept.back() == ' '))
    kept.pop_back();
}

// A channel of the image, its samples as 8 bits.
class Channel {
 public:
  explicit Channel(const opj_image_comp_t& component)
      : component_(component),
        offset_(component.sgnd != 0 ? int64_t{1} << (component.prec - 1) : 0),
        most_((int64_t{1} << component.prec) - 1) {}

  int At(int x, int y) const {
    const auto column =
        std::min(static_cast<uint32_t>(x) / component_.dx, component_.w - 1);
    const auto row =
        std::min(static_cast<uint32_t>(y) / component_.dy, component_.h - 1);
    const int64_t sample =
        component_.data[size_t{row} * component_.w + column] + offset_;
    return static_cast<int>(
        (std::clamp<int64_t>(sample, 0, most_) * 255 + most_ / 2) / most_);
  }

 private:
  const opj_image_comp_t& component_;
  int64_t offset_, most_;
};

uint8_t ToByte(double value) {
  return static_cast<uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

enum class Colors { kGray, kRgb, kYcc, kCmyk };

// The colors that the file states or, where it does not, those that the number
// of channels and their resolutions suggest.
Result<Colors> ColorsOf(const opj_image_t& image, size_t channels) {
  switch (image.color_space) {
    case OPJ_CLRSPC_SYCC:
      if (channels >= 3) return Colors::kYcc;
      break;
    case OPJ_CLRSPC_CMYK:
      if (channels >= 4) return Colors::kCmyk;
      break;
    case OPJ_CLRSPC_EYCC:
      return Unsupported("its colors are e-YCC");
    default:
      break;
  }
  if (channels < 3) return Colors::kGray;
  const bool is_subsampled = image.comps[1].dx != image.comps[0].dx ||
                             image.comps[1].dy != image.comps[0].dy;
  return is_subsampled ? Colors::kYcc : Colors::kRgb;
}

void Convert(const std::vector<Channel>& channels, Colors colors, int x, int y,
             uint8_t* rgb) {
  switch (colors) {
    case Colors::kGray:
      rgb[0] = rgb[1] = rgb[2] = static_cast<uint8_t>(channels[0].At(x, y));
      return;
    case Colors::kRgb:
      for (size_t c = 0; c < 3; ++c)
        rgb[c] = static_cast<uint8_t>(channels[c].At(x, y));
      return;
    case Colors::kYcc: {
      // JFIF's: the whole range.
      const double luma = channels[0].At(x, y);
      const double blue = channels[1].At(x, y) - 128;
      const double red = channels[2].At(x, y) - 128;
      rgb[0] = ToByte(luma + 1.402 * red);
      rgb[1] = ToByte(luma - 0.344136 * blue - 0.714136 * red);
      rgb[2] = ToByte(luma + 1.772 * blue);
      return;
    }
    case Colors::kCmyk:
      for (size_t c = 0; c < 3; ++c)
        rgb[c] = static_cast<uint8_t>((255 - channels[c].At(x, y)) *
                                      (255 - channels[3].At(x, y)) / 255);
      return;
  }
}

Result<Image> ToImage(const opj_image_t& image, const DecodeLimits& limits) {
  std::vector<Channel> channels;
  std::unique_ptr<Channel> alpha;
  for (OPJ_UINT32 i = 0; i < image.numcomps; ++i) {
    const opj_image_comp_t& component = image.comps[i];
    constexpr OPJ_UINT32 kMostBits = 32;
    if (component.data == nullptr || component.w < 1 || component.h < 1 ||
        component.dx < 1 || component.dy < 1 || component.prec < 1 ||
        component.prec > kMostBits)
      return Malformed("channel " + std::to_string(i + 1) + " is damaged");
    if (component.alpha != 0)
      alpha = std::make_unique<Channel>(component);
    else
      channels.emplace_back(component);
  }
  if (channels.empty()) return Malformed("there are no pixels in it");
  MUNJA_ASSIGN_OR_RETURN(const Colors colors, ColorsOf(image, channels.size()));
  MUNJA_ASSIGN_OR_RETURN(Image result,
                         Image::Create(static_cast<int>(image.x1 - image.x0),
                                       static_cast<int>(image.y1 - image.y0)));
  for (int y = 0; y < result.height(); ++y) {
    for (int x = 0; x < result.width(); ++x) {
      uint8_t rgba[4] = {0, 0, 0, 255};
      Convert(channels, colors, x, y, rgba);
      if (alpha != nullptr) rgba[3] = static_cast<uint8_t>(alpha->At(x, y));
      OverGround(rgba, 1, limits.ground, result.row(y) + 3 * x);
    }
  }
  return result;
}

// Holds the objects that OpenJPEG makes for a file.
struct Decoder {
  explicit Decoder(const Library& functions) : library(functions) {}
  ~Decoder() {
    if (image != nullptr) library.opj_image_destroy(image);
    if (codec != nullptr) library.opj_destroy_codec(codec);
    if (stream != nullptr) library.opj_stream_destroy(stream);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  const Library& library;
  opj_stream_t* stream = nullptr;
  opj_codec_t* codec = nullptr;
  opj_image_t* image = nullptr;
};
#endif  // MUNJA_HAS_JPEG2000

}  // namespace

bool Sniff(Bytes bytes) {
  return BeginsWith(bytes, kFile) || BeginsWith(bytes, kCodestream);
}

#ifdef MUNJA_HAS_JPEG2000
Status Available() {
  return Library::Open() != nullptr ? Status() : Unavailable(kNotInstalled);
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  const Library* const library = Library::Open();
  if (library == nullptr) return Unsupported(kNotInstalled);
  Source source = {bytes};
  std::string complaint;
  Decoder decoder(*library);
  constexpr size_t kBuffer = 1 << 16;
  decoder.stream = library->opj_stream_create(kBuffer, OPJ_TRUE);
  decoder.codec = library->opj_create_decompress(
      BeginsWith(bytes, kFile) ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
  if (decoder.stream == nullptr || decoder.codec == nullptr)
    return OutOfMemory("no memory");
  const auto failure = [&](const char* what) {
    return Malformed(complaint.empty() ? what : complaint);
  };
  library->opj_stream_set_user_data(decoder.stream, &source, nullptr);
  library->opj_stream_set_user_data_length(decoder.stream, bytes.size());
  library->opj_stream_set_read_function(decoder.stream, Read);
  library->opj_stream_set_seek_function(decoder.stream, Seek);
  library->opj_stream_set_skip_function(decoder.stream, Skip);
  library->opj_set_error_handler(decoder.codec, Complain, &complaint);
  opj_dparameters_t parameters;
  library->opj_set_default_decoder_parameters(&parameters);
  if (library->opj_setup_decoder(decoder.codec, &parameters) == OPJ_FALSE ||
      library->opj_read_header(decoder.stream, decoder.codec, &decoder.image) ==
          OPJ_FALSE)
    return failure("the header is damaged");
  const opj_image_t& header = *decoder.image;
  if (header.x1 <= header.x0 || header.y1 <= header.y0)
    return Malformed("the header states no size");
  MUNJA_RETURN_IF_ERROR(CheckSize(int64_t{header.x1} - header.x0,
                                  int64_t{header.y1} - header.y0, limits));
  // Channels are decoded with 4 bytes for each sample.
  constexpr OPJ_UINT32 kMostChannels = 8;
  if (header.numcomps > kMostChannels)
    return Unsupported("the picture has " + std::to_string(header.numcomps) +
                       " channels");
  MUNJA_RETURN_IF_ERROR(CheckControl());
  if (library->opj_decode(decoder.codec, decoder.stream, decoder.image) ==
          OPJ_FALSE ||
      library->opj_end_decompress(decoder.codec, decoder.stream) == OPJ_FALSE)
    return failure("the pixels are damaged");
  MUNJA_RETURN_IF_ERROR(CheckControl());
  return ToImage(*decoder.image, limits);
}
#else
Status Available() {
  return Unsupported(
      "this build of the library reads no JPEG 2000 pictures: it was made "
      "without OpenJPEG (Debian: libopenjp2-7-dev)");
}

Result<Image> Decode(Bytes, const DecodeLimits&) { return Available(); }
#endif

}  // namespace munja::image::codecs::jpeg2000
