// TIFF by libtiff: the first page, every layout, compression and color model
// that libtiff turns to RGBA, orientation tag.
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "base/control.h"
#include "base/thread_pool.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::tiff {
namespace {

struct Source {
  Bytes bytes;
  uint64_t offset = 0;
  char error[256] = "";
};

Source& Of(thandle_t handle) { return *static_cast<Source*>(handle); }

tmsize_t OnRead(thandle_t handle, void* out, tmsize_t size) {
  Source& source = Of(handle);
  if (size <= 0 || source.offset >= source.bytes.size()) return 0;
  const size_t count =
      std::min(static_cast<size_t>(size),
               source.bytes.size() - static_cast<size_t>(source.offset));
  std::memcpy(out, source.bytes.data() + source.offset, count);
  source.offset += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t OnWrite(thandle_t, void*, tmsize_t) { return 0; }

toff_t OnSeek(thandle_t handle, toff_t offset, int whence) {
  Source& source = Of(handle);
  if (whence == SEEK_CUR) offset += source.offset;
  if (whence == SEEK_END) offset += source.bytes.size();
  source.offset = offset;
  return offset;
}

int OnClose(thandle_t) { return 0; }

toff_t OnSize(thandle_t handle) { return Of(handle).bytes.size(); }

// The library reads the bytes in place, and copies them before it changes
// their order. (Without a map, version 4.5 refuses uncompressed tiles whose
// size is not a multiple of 1024.)
int OnMap(thandle_t handle, void** base, toff_t* size) {
  const Bytes bytes = Of(handle).bytes;
  *base = const_cast<uint8_t*>(bytes.data());
  *size = bytes.size();
  return 1;
}

void OnUnmap(thandle_t, void*, toff_t) {}

// Keeps the first message: later ones are mostly its consequences.
int OnError(TIFF*, void* user, const char*, const char* format, va_list args) {
  auto* const source = static_cast<Source*>(user);
  if (source->error[0] == 0) {
    std::vsnprintf(source->error, sizeof(source->error), format, args);
    if (source->error[0] == 0) std::strcpy(source->error, "unnamed error");
  }
  return 1;
}

int OnWarning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

struct Decoder {
  Decoder(Bytes bytes, const DecodeLimits& limits) {
    source.bytes = bytes;
    TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
    if (options == nullptr) return;
    // Enough for a page in one strip of 16-bit CMYK; a damaged file that asks
    // for more at once is refused by the library.
    constexpr tmsize_t kSmallThings = 64 << 20;
    TIFFOpenOptionsSetMaxSingleMemAlloc(
        options, static_cast<tmsize_t>(limits.max_pixels) * 8 + kSmallThings);
    TIFFOpenOptionsSetErrorHandlerExtR(options, OnError, &source);
    TIFFOpenOptionsSetWarningHandlerExtR(options, OnWarning, nullptr);
    file = TIFFClientOpenExt("", "r", &source, OnRead, OnWrite, OnSeek, OnClose,
                             OnSize, OnMap, OnUnmap, options);
    TIFFOpenOptionsFree(options);
  }
  ~Decoder() {
    if (file != nullptr) TIFFClose(file);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  Source source;
  TIFF* file = nullptr;
};

struct RgbaReader {
  ~RgbaReader() {
    if (open) TIFFRGBAImageEnd(&image);
  }
  TIFFRGBAImage image;
  bool open = false;
};

// Pixels are premultiplied; the ground shows through.
void StoreRow(const uint32_t* pixels, int width, uint8_t ground, uint8_t* rgb) {
  for (int x = 0; x < width; ++x) {
    const uint32_t pixel = pixels[x];
    const uint32_t through = (255 - TIFFGetA(pixel)) * ground / 255;
    const uint32_t levels[] = {TIFFGetR(pixel), TIFFGetG(pixel),
                               TIFFGetB(pixel)};
    for (const uint32_t level : levels)
      *rgb++ = static_cast<uint8_t>(std::min<uint32_t>(level + through, 255));
  }
}

// Rows that are read at once: whole strips or tiles, since the library would
// decode a part of one from its start each time.
int BandHeight(TIFF* file, int height) {
  constexpr uint32_t kAtLeast = 16;
  uint32_t rows = 0;
  if (TIFFIsTiled(file) != 0) {
    TIFFGetField(file, TIFFTAG_TILELENGTH, &rows);
  } else {
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &rows);
  }
  if (rows == 0 || rows >= static_cast<uint32_t>(height)) return height;
  if (rows < kAtLeast) rows *= (kAtLeast + rows - 1) / rows;
  return static_cast<int>(std::min(rows, static_cast<uint32_t>(height)));
}

Result<Image> ReadPixels(Decoder& decoder, RgbaReader& reader, int width,
                         int height, uint8_t ground) {
  MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(width, height));
  const int band = BandHeight(decoder.file, height);
  const size_t row_pixels = static_cast<size_t>(width);
  MUNJA_ASSIGN_OR_RETURN(
      Buffer raster,
      Buffer::AllocateZeroed(row_pixels * static_cast<size_t>(band) * 4));
  for (int y = 0; y < height; y += band) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const int rows = std::min(band, height - y);
    reader.image.row_offset = y;
    const bool read = TIFFRGBAImageGet(&reader.image, raster.as<uint32_t>(),
                                       static_cast<uint32_t>(width),
                                       static_cast<uint32_t>(rows)) != 0;
    // Some decoders report damage and go on with what they have.
    if (!read || decoder.source.error[0] != 0) {
      return CutOff(y, height).With(
          decoder.source.error[0] != 0 ? decoder.source.error : "damaged");
    }
    for (int i = 0; i < rows; ++i) {
      StoreRow(raster.as<uint32_t>() + static_cast<size_t>(i) * row_pixels,
               width, ground, image.row(y + i));
    }
  }
  return image;
}

// The tags that decide what is shown. libtiff leaves out one whose value lies
// behind the end of the file, or is of a wrong kind, with no more than a
// warning, and then shows an image without colors, or lying on its side.
constexpr uint32_t kTagsThatMatter[] = {
    TIFFTAG_BITSPERSAMPLE,
    TIFFTAG_COMPRESSION,
    TIFFTAG_PHOTOMETRIC,
    TIFFTAG_FILLORDER,
    TIFFTAG_STRIPOFFSETS,
    TIFFTAG_ORIENTATION,
    TIFFTAG_SAMPLESPERPIXEL,
    TIFFTAG_ROWSPERSTRIP,
    TIFFTAG_STRIPBYTECOUNTS,
    TIFFTAG_PLANARCONFIG,
    TIFFTAG_GROUP3OPTIONS,
    TIFFTAG_PREDICTOR,
    TIFFTAG_WHITEPOINT,
    TIFFTAG_COLORMAP,
    TIFFTAG_TILEWIDTH,
    TIFFTAG_TILELENGTH,
    TIFFTAG_TILEOFFSETS,
    TIFFTAG_TILEBYTECOUNTS,
    TIFFTAG_INKSET,
    TIFFTAG_EXTRASAMPLES,
    TIFFTAG_SAMPLEFORMAT,
    TIFFTAG_JPEGTABLES,
    TIFFTAG_JPEGPROC,
    TIFFTAG_JPEGIFOFFSET,
    TIFFTAG_JPEGIFBYTECOUNT,
    TIFFTAG_JPEGRESTARTINTERVAL,
    TIFFTAG_JPEGQTABLES,
    TIFFTAG_JPEGDCTABLES,
    TIFFTAG_JPEGACTABLES,
    TIFFTAG_YCBCRCOEFFICIENTS,
    TIFFTAG_YCBCRSUBSAMPLING,
    TIFFTAG_YCBCRPOSITIONING,
    TIFFTAG_REFERENCEBLACKWHITE,
};

uint64_t Unsigned(const uint8_t* p, size_t size, bool big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value = value << 8 | p[big_endian ? i : size - 1 - i];
  return value;
}

// Whether the library has taken up every tag of the page that matters.
Status CheckTags(TIFF* file, Bytes bytes) {
  const bool big = bytes[2] == 43 || bytes[3] == 43;
  const bool big_endian = bytes[0] == 'M';
  const size_t count_size = big ? 8 : 2, entry_size = big ? 20 : 12;
  const uint64_t at = TIFFCurrentDirOffset(file);
  if (at > bytes.size() || bytes.size() - at < count_size)
    return Malformed("the file ends inside its directory");
  const Bytes directory = bytes.subspan(at);
  const uint64_t entries =
      std::min<uint64_t>(Unsigned(directory.data(), count_size, big_endian),
                         (directory.size() - count_size) / entry_size);
  for (uint64_t i = 0; i < entries; ++i) {
    const auto tag = static_cast<uint32_t>(Unsigned(
        directory.data() + count_size + i * entry_size, 2, big_endian));
    if (std::find(std::begin(kTagsThatMatter), std::end(kTagsThatMatter),
                  tag) == std::end(kTagsThatMatter)) {
      continue;
    }
    // A tag of another compression than the page's is not known.
    const TIFFField* const field = TIFFFindField(file, tag, TIFF_ANY);
    if (field == nullptr) continue;
    // As many and as large as any tag's values, or pointers to them.
    uint64_t values[4];
    if (TIFFGetField(file, tag, &values[0], &values[1], &values[2],
                     &values[3]) == 0) {
      return Malformed(std::string("the value of the tag ") +
                       TIFFFieldName(field) + " is cut off or damaged");
    }
  }
  return Status();
}

// The memory of the library must stay in proportion to the image, and the bytes
// that it copies in proportion to the file: strips and tiles may be stated to
// be of any size, and all to lie in the same place.
Status CheckPieces(TIFF* file, uint64_t pixels, size_t file_bytes) {
  constexpr uint64_t kSmallThings = 64 << 20;
  const bool tiled = TIFFIsTiled(file) != 0;
  const uint64_t piece = tiled ? TIFFTileSize64(file) : TIFFStripSize64(file);
  if (piece > 8 * pixels + kSmallThings) {
    return OutOfMemory(std::string(tiled ? "a tile" : "a strip") + " has " +
                       std::to_string(piece) + " bytes, too many for " +
                       std::to_string(pixels) + " pixels");
  }
  // It copies the bytes of a piece where their bits stand in reverse order.
  uint16_t order = FILLORDER_MSB2LSB;
  TIFFGetFieldDefaulted(file, TIFFTAG_FILLORDER, &order);
  if (order == FILLORDER_MSB2LSB) return Status();
  const uint32_t pieces =
      tiled ? TIFFNumberOfTiles(file) : TIFFNumberOfStrips(file);
  uint64_t total = 0;
  for (uint32_t i = 0; i < pieces; ++i) {
    const uint64_t bytes = TIFFGetStrileByteCount(file, i);
    total += std::min<uint64_t>(bytes, file_bytes);
    if (total > 4 * uint64_t{file_bytes} + kSmallThings)
      return Malformed("the strips or tiles lie in the same place");
  }
  return Status();
}

int BitsPerSample(TIFF* file) {
  uint16_t bits = 0;
  TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
  return bits;
}

// Gray and RGB pages of 12- or 16-bit samples in strips, read sample by sample.
class SampleReader {
 public:
  SampleReader(Decoder& decoder, int width, int height)
      : decoder_(decoder), height_(height) {
    TIFF* const file = decoder.file;
    bits_ = BitsPerSample(file);
    uint16_t samples = 0, planar = 0, photometric = 0, format = 0;
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &format);
    if (TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &photometric) == 0)
      photometric = PHOTOMETRIC_MINISBLACK;
    is_rgb_ = samples == 3 && photometric == PHOTOMETRIC_RGB;
    is_inverted_ = photometric == PHOTOMETRIC_MINISWHITE;
    is_readable_ =
        (bits_ == 12 || bits_ == 16) &&
        (is_rgb_ ||
         (samples == 1 &&
          (is_inverted_ || photometric == PHOTOMETRIC_MINISBLACK))) &&
        planar == PLANARCONFIG_CONTIG && format == SAMPLEFORMAT_UINT &&
        TIFFIsTiled(file) == 0;
    count_ = static_cast<size_t>(width) * samples;
  }

  bool is_readable() const { return is_readable_; }
  bool is_inverted() const { return is_inverted_; }

  Result<uint32_t> Largest() {
    uint32_t largest = 0;
    MUNJA_RETURN_IF_ERROR(ForRowsOfSamples([&](int, const uint8_t* row) {
      for (size_t i = 0; i < count_; ++i)
        largest = std::max(largest, Sample(row, i));
    }));
    return largest;
  }

  // `white`: the sample that is shown as white (black, if that is inverted).
  Status Read(uint32_t white, Image& image) {
    return ForRowsOfSamples([&](int y, const uint8_t* row) {
      uint8_t* out = image.row(y);
      for (size_t i = 0; i < count_; ++i) {
        const uint32_t sample = std::min(Sample(row, i), white);
        auto level = static_cast<uint8_t>((sample * 255 + white / 2) / white);
        if (is_inverted_) level = static_cast<uint8_t>(255 - level);
        out = std::fill_n(out, is_rgb_ ? 1 : 3, level);
      }
    });
  }

 private:
  uint32_t Sample(const uint8_t* row, size_t i) const {
    if (bits_ == 16) {
      uint16_t sample = 0;
      std::memcpy(&sample, row + 2 * i, 2);
      return sample;
    }
    const uint8_t* const p = row + i * 12 / 8;
    return i % 2 == 0 ? static_cast<uint32_t>(p[0]) << 4 | p[1] >> 4
                      : static_cast<uint32_t>(p[0] & 15) << 8 | p[1];
  }

  Status ForRowsOfSamples(FunctionRef<void(int y, const uint8_t* row)> body) {
    const size_t row_bytes = (count_ * static_cast<size_t>(bits_) + 7) / 8;
    if (static_cast<size_t>(TIFFScanlineSize(decoder_.file)) != row_bytes)
      return Malformed("the length of a row is damaged");
    MUNJA_ASSIGN_OR_RETURN(Buffer row, Buffer::AllocateZeroed(row_bytes));
    for (int y = 0; y < height_; ++y) {
      MUNJA_RETURN_IF_ERROR(CheckControl());
      if (TIFFReadScanline(decoder_.file, row.data(), static_cast<uint32_t>(y),
                           0) != 1 ||
          decoder_.source.error[0] != 0) {
        return CutOff(y, height_);
      }
      body(y, row.data());
    }
    return Status();
  }

  Decoder& decoder_;
  int height_, bits_ = 0;
  bool is_rgb_ = false, is_inverted_ = false, is_readable_ = false;
  size_t count_ = 0;
};

// The RGBA reader lacks 12-bit samples.
Result<Image> ReadTwelveBits(Decoder& decoder, int width, int height) {
  SampleReader reader(decoder, width, height);
  if (!reader.is_readable())
    return Unsupported("12 bits a sample in this layout");
  MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(width, height));
  MUNJA_RETURN_IF_ERROR(reader.Read(4095, image));
  return image;
}

// A smaller version of another page.
bool IsReduced(TIFF* file) {
  uint32_t type = 0;
  return TIFFGetField(file, TIFFTAG_SUBFILETYPE, &type) != 0 &&
         (type & FILETYPE_REDUCEDIMAGE) != 0;
}

// Goes to a page, counted from 0; false where there is none, or where the way
// to it is damaged.
bool GoToPage(TIFF* file, int page) {
  // The first is taken as it is.
  while (page > 0) {
    if (TIFFReadDirectory(file) == 0) return false;
    if (!IsReduced(file)) --page;
  }
  return true;
}

// Shows the largest sample of a 16-bit page that was read without damage as
// white if it is at most kLargestSmallSample.
Status StretchSmallSamples(Bytes bytes, const DecodeLimits& limits,
                           Image& image) {
  // The library reads rows of a file that it read pixels of only from the
  // second one on.
  Decoder decoder(bytes, limits);
  if (decoder.file == nullptr || !GoToPage(decoder.file, limits.picture))
    return Malformed(decoder.source.error);
  decoder.source.error[0] = 0;
  SampleReader reader(decoder, image.width(), image.height());
  if (!reader.is_readable() || reader.is_inverted()) return Status();
  MUNJA_ASSIGN_OR_RETURN(const uint32_t largest, reader.Largest());
  if (largest == 0 || largest > kLargestSmallSample) return Status();
  return reader.Read(largest, image);
}

// Turns the image upright, and its resolution with it.
Result<Image> UprightOnPaper(TIFF* file, Image image, int orientation) {
  float across = 0, down = 0;
  uint16_t unit = RESUNIT_INCH;
  TIFFGetFieldDefaulted(file, TIFFTAG_RESOLUTIONUNIT, &unit);
  if (TIFFGetField(file, TIFFTAG_XRESOLUTION, &across) == 0 ||
      TIFFGetField(file, TIFFTAG_YRESOLUTION, &down) == 0 ||
      unit == RESUNIT_NONE)
    across = down = 0;
  MUNJA_ASSIGN_OR_RETURN(Image upright, Upright(std::move(image), orientation));
  constexpr double kCentimeters = 2.54;  // To the inch.
  const double scale = unit == RESUNIT_CENTIMETER ? kCentimeters : 1;
  if (orientation >= 5) std::swap(across, down);
  SetPaperOf(scale * static_cast<double>(across),
             scale * static_cast<double>(down), upright);
  return upright;
}

}  // namespace

int Count(Bytes bytes) {
  // So many that a page of a byte would be more than a file may have.
  constexpr int kMost = 1 << 20;
  Decoder decoder(bytes, DecodeLimits());
  if (decoder.file == nullptr) return 0;
  decoder.source.error[0] = 0;
  int count = 1;
  while (count < kMost && CheckControl().ok() &&
         TIFFLastDirectory(decoder.file) == 0) {
    // An unreadable page counts, too: it must not be dropped silently.
    if (TIFFReadDirectory(decoder.file) == 0) return count + 1;
    if (!IsReduced(decoder.file)) ++count;
  }
  return count;
}

bool Sniff(Bytes bytes) {
  if (bytes.size() < 4) return false;
  // 42: classic, 43: BigTIFF.
  const auto is = [&](const char* order, int low, int high) {
    return std::memcmp(bytes.data(), order, 2) == 0 &&
           (bytes[low] == 42 || bytes[low] == 43) && bytes[high] == 0;
  };
  return is("II", 2, 3) || is("MM", 3, 2);
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  Decoder decoder(bytes, limits);
  if (decoder.file == nullptr) {
    return Malformed(decoder.source.error[0] != 0 ? decoder.source.error
                                                  : "the header is damaged");
  }
  if (!GoToPage(decoder.file, limits.picture)) {
    return Malformed("page " + std::to_string(limits.picture + 1) + ": " +
                     (decoder.source.error[0] != 0 ? decoder.source.error
                                                   : "it is missing"));
  }
  uint32_t width = 0, height = 0;
  if (TIFFGetField(decoder.file, TIFFTAG_IMAGEWIDTH, &width) == 0 ||
      TIFFGetField(decoder.file, TIFFTAG_IMAGELENGTH, &height) == 0) {
    return Malformed("the page states no size");
  }
  MUNJA_RETURN_IF_ERROR(CheckSize(width, height, limits));
  MUNJA_RETURN_IF_ERROR(CheckTags(decoder.file, bytes));
  MUNJA_RETURN_IF_ERROR(
      CheckPieces(decoder.file, uint64_t{width} * height, bytes.size()));

  if (BitsPerSample(decoder.file) == 12) {
    decoder.source.error[0] = 0;
    uint16_t orientation = 1;
    TIFFGetFieldDefaulted(decoder.file, TIFFTAG_ORIENTATION, &orientation);
    MUNJA_ASSIGN_OR_RETURN(Image image,
                           ReadTwelveBits(decoder, static_cast<int>(width),
                                          static_cast<int>(height)));
    return UprightOnPaper(decoder.file, std::move(image), orientation);
  }
  RgbaReader reader;
  char reason[1024] = "";
  if (TIFFRGBAImageOK(decoder.file, reason) == 0) return Unsupported(reason);
  // The error of a tag that is not needed must not fail the pixels.
  decoder.source.error[0] = 0;
  if (TIFFRGBAImageBegin(&reader.image, decoder.file, 1, reason) == 0)
    return Malformed(reason);
  reader.open = true;
  // As stored: turning is done below, where all eight cases are right.
  reader.image.req_orientation = reader.image.orientation;
  MUNJA_ASSIGN_OR_RETURN(Image image,
                         ReadPixels(decoder, reader, static_cast<int>(width),
                                    static_cast<int>(height), limits.ground));
  if (BitsPerSample(decoder.file) == 16 && MayHaveSmallSamples(image))
    MUNJA_RETURN_IF_ERROR(StretchSmallSamples(bytes, limits, image));
  return UprightOnPaper(decoder.file, std::move(image),
                        reader.image.orientation);
}

}  // namespace munja::image::codecs::tiff
