#include "image/decode.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/control.h"
#include "base/file.h"
#include "image/codecs/codec.h"
#include "image/ground.h"

namespace munja::image {
namespace {

struct Codec {
  const char* format;
  bool (*sniff)(codecs::Bytes);
  Result<Image> (*decode)(codecs::Bytes, const DecodeLimits&);
  bool may_be_transparent;
};

constexpr Codec kCodecs[] = {
#define CODEC(format, stem, may_be_transparent) \
  {#format, codecs::format::Sniff, codecs::format::Decode, may_be_transparent},
#include "image/codecs/codecs.def"
#undef CODEC
};

// Counts the images of formats that hold several.
struct Counter {
  std::string_view format;
  int (*count)(codecs::Bytes);
};
constexpr Counter kCounters[] = {{"tiff", codecs::tiff::Count},
                                 {"gif", codecs::gif::Count},
                                 {"webp", codecs::webp::Count},
                                 {"heif", codecs::heif::Count},
                                 {"pdf", codecs::pdf::Count}};

int CountOf(const Codec& codec, codecs::Bytes bytes) {
  for (const Counter& counter : kCounters)
    if (counter.format == codec.format)
      return std::max(counter.count(bytes), 1);
  return 1;
}

const Codec* FindCodec(codecs::Bytes bytes) {
  for (const Codec& codec : kCodecs)
    if (codec.sniff(bytes)) return &codec;
  return nullptr;
}

bool HasAt(codecs::Bytes bytes, size_t offset, std::string_view text) {
  return bytes.size() >= offset + text.size() &&
         std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

// Names the likely format of an unsupported file for the message; "" if
// unknown.
const char* Guess(codecs::Bytes bytes) {
  using namespace std::string_view_literals;
  if (HasAt(bytes, 0, "\xFF\x0A"sv) || HasAt(bytes, 4, "JXL "))
    return "; it looks like a JPEG XL picture";
  if (HasAt(bytes, 4, "jP  ")) return "; it looks like a JPEG 2000 picture";
  if (HasAt(bytes, 0, "8BPS")) return "; it looks like a Photoshop file";
  if (HasAt(bytes, 0, "PK\x03\x04")) return "; it looks like a ZIP archive";
  if (HasAt(bytes, 0, "<svg") || HasAt(bytes, 0, "<?xml"))
    return "; it looks like SVG or XML";
  const codecs::Bytes head = bytes.first(std::min<size_t>(bytes.size(), 64));
  for (const uint8_t byte : head) {
    const bool text = byte >= 0x20
                          ? byte != 0x7F
                          : byte == '\t' || byte == '\n' || byte == '\r';
    if (!text) return "";
  }
  return "; it looks like text";
}

Status NotKnown(codecs::Bytes bytes) {
  return Unsupported(
      std::string("not a picture in a known format (JPEG, PNG, WebP, BMP, "
                  "GIF, TIFF, PNM, HEIC, AVIF, PDF)") +
      Guess(bytes));
}

}  // namespace

const char* SniffFormat(std::span<const uint8_t> bytes) {
  const Codec* const codec = FindCodec(bytes);
  return codec == nullptr ? nullptr : codec->format;
}

std::vector<FormatSupport> SupportedFormats() {
  std::vector<FormatSupport> all;
  for (const Codec& codec : kCodecs) {
    const std::string_view format = codec.format;
    all.push_back({codec.format, format == "heif"  ? codecs::heif::Available()
                                 : format == "pdf" ? codecs::pdf::Available()
                                                   : Status()});
  }
  return all;
}

Result<Image> Decode(std::span<const uint8_t> bytes,
                     const DecodeLimits& given) {
  if (bytes.empty()) return Malformed("the picture has no bytes");
  DecodeLimits limits = given;
  const Control* const control = CurrentControl();
  if (control != nullptr && control->limits().pixels > 0 &&
      given.max_pixels == DecodeLimits::kDefaultPixels)
    limits.max_pixels = control->limits().pixels;
  if (bytes.size() > limits.max_file_bytes) {
    return OutOfMemory("the picture has " + std::to_string(bytes.size()) +
                       " bytes, at most " +
                       std::to_string(limits.max_file_bytes) + " are allowed");
  }
  const Codec* const codec = FindCodec(bytes);
  if (codec == nullptr) return NotKnown(bytes);
  if (limits.picture < 0 ||
      (limits.picture > 0 && limits.picture >= CountOf(*codec, bytes)))
    return InvalidArgument("the file has no picture number " +
                           std::to_string(int64_t{limits.picture} + 1));
  Result<Image> image = OverWhiteOrBlack(
      codec->may_be_transparent, [&](uint8_t ground) -> Result<Image> {
        limits.ground = ground;
        return codec->decode(bytes, limits).With(codec->format);
      });
  // Codecs that are told to stop leave by any door.
  MUNJA_RETURN_IF_ERROR(CheckControl());
  return image;
}

Result<int> CountPictures(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return Malformed("the picture has no bytes");
  const Codec* const codec = FindCodec(bytes);
  if (codec == nullptr) return NotKnown(bytes);
  return CountOf(*codec, bytes);
}

Result<Image> DecodeFile(const std::string& path, const DecodeLimits& limits) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(path, limits.max_file_bytes));
  return Decode(bytes, limits).With(path);
}

Result<Image> DecodeStream(const std::string& path,
                           const DecodeLimits& limits) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadStream(path, limits.max_file_bytes));
  return Decode(bytes, limits).With(path);
}

}  // namespace munja::image
