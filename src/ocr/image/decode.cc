#include "image/decode.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/control.h"
#include "base/file.h"
#include "image/codecs/codec.h"
#include "image/file_info.h"
#include "image/ground.h"
#include "image/resize.h"

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

// Formats that need software that is not part of the library.
struct External {
  std::string_view format;
  Status (*available)();
  const char* package;  // Debian's.
};
constexpr External kExternal[] = {
    {"heif", codecs::heif::Available, "libheif1"},
    {"jpeg2000", codecs::jpeg2000::Available, "libopenjp2-7"},
    {"jxl", codecs::jxl::Available, "libjxl0.7"},
    {"pdf", codecs::pdf::Available, "poppler-utils"}};

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
                  "GIF, TIFF, PNM, HEIC, AVIF, JPEG 2000, JPEG XL, PDF)") +
      Guess(bytes));
}

// The height of the image's pixels in widths. Sets the paper of an image whose
// pixels are not square, where its file says how large they are.
double AspectOf(codecs::Bytes bytes, Image& image) {
  if (image.paper_width() > 0)
    return image.paper_height() / image.height() /
           (image.paper_width() / image.width());
  FileInfo info = ReadFileInfo(bytes);
  if (info.aspect == 1) return 1;
  double down = info.dpi / info.aspect;
  if (info.orientation >= 5) {
    std::swap(info.dpi, down);
    info.aspect = 1 / info.aspect;
  }
  codecs::SetPaperOf(info.dpi, down, image);
  return info.aspect;
}

// Scales the coarser side of an image whose pixels are not square, so that text
// has the proportions that people see.
Result<Image> WithSquarePixels(codecs::Bytes bytes, Image image,
                               const DecodeLimits& limits) {
  // Less is a rounded resolution, more a mistake: faxes have 2.1.
  constexpr double kLeast = 1.05, kMost = 4;
  const double aspect = AspectOf(bytes, image);
  const double stretch = std::max(aspect, 1 / aspect);
  if (!(stretch >= kLeast && stretch <= kMost)) return image;
  const int64_t width =
      aspect < 1 ? std::llround(image.width() * stretch) : image.width();
  const int64_t height =
      aspect > 1 ? std::llround(image.height() * stretch) : image.height();
  MUNJA_RETURN_IF_ERROR(codecs::CheckSize(width, height, limits));
  MUNJA_ASSIGN_OR_RETURN(Image square, Image::Create(static_cast<int>(width),
                                                     static_cast<int>(height)));
  MUNJA_RETURN_IF_ERROR(Resize(image.view(), square));
  square.SetPaper(image.paper_width(), image.paper_height());
  return square;
}

}  // namespace

const char* SniffFormat(std::span<const uint8_t> bytes) {
  const Codec* const codec = FindCodec(bytes);
  return codec == nullptr ? nullptr : codec->format;
}

std::vector<FormatSupport> SupportedFormats() {
  std::vector<FormatSupport> all;
  for (const Codec& codec : kCodecs) {
    all.push_back({codec.format, Status()});
    for (const External& external : kExternal)
      if (external.format == codec.format)
        all.back() = {codec.format, external.available(), external.package};
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
  // Pages of PDF files are drawn with square ones.
  if (!image.ok() || std::string_view(codec->format) == "pdf") return image;
  return WithSquarePixels(bytes, std::move(image).value(), limits);
}

Result<int> CountPictures(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return Malformed("the picture has no bytes");
  const Codec* const codec = FindCodec(bytes);
  if (codec == nullptr) return NotKnown(bytes);
  return CountOf(*codec, bytes);
}

Result<std::vector<WordPlace>> FindPdfWords(std::span<const uint8_t> bytes,
                                            int page) {
  return codecs::pdf::Words(bytes, page).With("pdf");
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
