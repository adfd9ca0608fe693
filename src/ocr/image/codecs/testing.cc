#include "image/codecs/testing.h"

#include <gif_lib.h>
#include <gtest/gtest.h>
#include <tiffio.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

void Put16(std::vector<uint8_t>& out, uint32_t v) {
  out.push_back(static_cast<uint8_t>(v));
  out.push_back(static_cast<uint8_t>(v >> 8));
}
void Put32(std::vector<uint8_t>& out, uint32_t v) {
  Put16(out, v & 0xFFFF);
  Put16(out, v >> 16);
}

// The samples of one row, in the layout of the options; plane -1: all.
std::vector<uint8_t> TiffRow(const Image& image, int y, const TiffOptions& o,
                             int plane) {
  std::vector<uint8_t> row;
  int bits = 0;
  for (int x = 0; x < image.width(); ++x) {
    for (int c = 0; c < o.samples; ++c) {
      if (plane >= 0 && c != plane) continue;
      // The fourth sample is alpha, and full.
      const uint8_t level = c == 3 ? 255 : image.row(y)[3 * x + c];
      if (o.bits == 16) {
        const uint16_t sample = static_cast<uint16_t>(level * 257);
        row.resize(row.size() + 2);
        std::memcpy(&row[row.size() - 2], &sample, 2);
      } else if (o.bits == 12) {
        const int sample = (level * 4095 + 127) / 255;
        if (bits % 8 == 0) {
          row.push_back(static_cast<uint8_t>(sample >> 4));
          row.push_back(static_cast<uint8_t>(sample << 4));
        } else {
          row.back() = static_cast<uint8_t>(row.back() | sample >> 8);
          row.push_back(static_cast<uint8_t>(sample));
        }
        bits += 12;
      } else if (o.bits == 8) {
        row.push_back(level);
      } else {
        if (bits % 8 == 0) row.push_back(0);
        const int bit =
            (level >= 128) != (o.photometric == PHOTOMETRIC_MINISWHITE);
        row.back() = static_cast<uint8_t>(row.back() | bit << (7 - bits % 8));
        ++bits;
      }
    }
  }
  return row;
}

void WriteTiles(TIFF* file, const Image& image, const TiffOptions& o) {
  TIFFSetField(file, TIFFTAG_TILEWIDTH, 16);
  TIFFSetField(file, TIFFTAG_TILELENGTH, 32);
  const int bytes = 3 * o.bits / 8;
  for (int top = 0; top < image.height(); top += 32) {
    for (int left = 0; left < image.width(); left += 16) {
      std::vector<uint8_t> tile(static_cast<size_t>(16 * 32 * bytes));
      for (int y = top; y < std::min(top + 32, image.height()); ++y) {
        const std::vector<uint8_t> row = TiffRow(image, y, o, -1);
        const int count = std::min(16, image.width() - left) * bytes;
        std::memcpy(&tile[static_cast<size_t>((y - top) * 16 * bytes)],
                    &row[static_cast<size_t>(left * bytes)],
                    static_cast<size_t>(count));
      }
      TIFFWriteTile(file, tile.data(), static_cast<uint32_t>(left),
                    static_cast<uint32_t>(top), 0, 0);
    }
  }
}

// A file in memory, for libtiff.
struct MemoryFile {
  std::vector<uint8_t> bytes;
  size_t at = 0;
};

MemoryFile& Of(thandle_t handle) { return *static_cast<MemoryFile*>(handle); }

tmsize_t ReadMemory(thandle_t handle, void* out, tmsize_t size) {
  MemoryFile& file = Of(handle);
  if (file.at >= file.bytes.size()) return 0;
  const size_t count =
      std::min(static_cast<size_t>(size), file.bytes.size() - file.at);
  std::memcpy(out, file.bytes.data() + file.at, count);
  file.at += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t WriteMemory(thandle_t handle, void* data, tmsize_t size) {
  MemoryFile& file = Of(handle);
  const size_t count = static_cast<size_t>(size);
  if (file.at + count > file.bytes.size()) file.bytes.resize(file.at + count);
  std::memcpy(file.bytes.data() + file.at, data, count);
  file.at += count;
  return size;
}

toff_t SeekMemory(thandle_t handle, toff_t offset, int whence) {
  MemoryFile& file = Of(handle);
  if (whence == SEEK_CUR) offset += file.at;
  if (whence == SEEK_END) offset += file.bytes.size();
  file.at = static_cast<size_t>(offset);
  return offset;
}

void WritePage(TIFF* file, const Image& image, const TiffOptions& o,
               bool black) {
  TIFFSetField(file, TIFFTAG_IMAGEWIDTH, image.width());
  TIFFSetField(file, TIFFTAG_IMAGELENGTH, image.height());
  TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, o.samples);
  TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, o.bits);
  TIFFSetField(file, TIFFTAG_PHOTOMETRIC, o.photometric);
  TIFFSetField(file, TIFFTAG_COMPRESSION, o.compression);
  TIFFSetField(file, TIFFTAG_PLANARCONFIG,
               o.planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (o.lowest_bit_first)
    TIFFSetField(file, TIFFTAG_FILLORDER, FILLORDER_LSB2MSB);
  if (o.horizontal) TIFFSetField(file, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
  if (o.across > 0) {
    TIFFSetField(file, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    TIFFSetField(file, TIFFTAG_XRESOLUTION, o.across);
    TIFFSetField(file, TIFFTAG_YRESOLUTION, o.down);
  }
  if (o.samples == 4 && o.photometric == PHOTOMETRIC_RGB) {
    const uint16_t extra = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(file, TIFFTAG_EXTRASAMPLES, 1, &extra);
  }
  if (o.photometric == PHOTOMETRIC_PALETTE) {
    uint16_t colors[3][256];
    for (int i = 0; i < 256; ++i) {
      colors[0][i] = static_cast<uint16_t>(257 * i);
      colors[1][i] = static_cast<uint16_t>(257 * (255 - i));
      colors[2][i] = static_cast<uint16_t>(257 * (i / 2));
    }
    TIFFSetField(file, TIFFTAG_COLORMAP, colors[0], colors[1], colors[2]);
  }
  if (o.orientation > 0) TIFFSetField(file, TIFFTAG_ORIENTATION, o.orientation);
  if (o.tiled) return WriteTiles(file, image, o);
  TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, o.rows_per_strip);
  for (int plane = 0; plane < (o.planar ? o.samples : 1); ++plane) {
    for (int y = 0; y < image.height(); ++y) {
      std::vector<uint8_t> row = TiffRow(image, y, o, o.planar ? plane : -1);
      if (black) std::fill(row.begin(), row.end(), uint8_t{0});
      TIFFWriteScanline(file, row.data(), static_cast<uint32_t>(y),
                        static_cast<uint16_t>(plane));
    }
  }
}

std::vector<uint8_t> TakeWebp(uint8_t* bytes, size_t size) {
  std::vector<uint8_t> out(bytes, bytes + size);
  WebPFree(bytes);
  return out;
}

}  // namespace

std::vector<uint8_t> EncodeTiff(const Image& image, const TiffOptions& o) {
  MemoryFile memory;
  TIFF* const file = TIFFClientOpen(
      "", o.mode, &memory, ReadMemory, WriteMemory, SeekMemory,
      [](thandle_t) { return 0; },
      [](thandle_t handle) -> toff_t { return Of(handle).bytes.size(); },
      nullptr, nullptr);
  for (int page = 0; page < o.pages; ++page) {
    // Later pages are black.
    WritePage(file, image, o, page > 0);
    TIFFWriteDirectory(file);
  }
  TIFFClose(file);
  return std::move(memory.bytes);
}

void PutChunk(std::vector<uint8_t>& out, const char* name,
              const std::vector<uint8_t>& data) {
  out.insert(out.end(), name, name + 4);
  Put32(out, static_cast<uint32_t>(data.size()));
  out.insert(out.end(), data.begin(), data.end());
  if (data.size() % 2 != 0) out.push_back(0);
}

void Put24(std::vector<uint8_t>& out, int value) {
  for (int shift = 0; shift < 24; shift += 8)
    out.push_back(static_cast<uint8_t>(value >> shift));
}

std::vector<uint8_t> Riff(const std::vector<uint8_t>& chunks) {
  std::vector<uint8_t> data = {'W', 'E', 'B', 'P'}, out;
  data.insert(data.end(), chunks.begin(), chunks.end());
  PutChunk(out, "RIFF", data);
  return out;
}

std::vector<uint8_t> WebpHeader(uint8_t flags, int width, int height) {
  std::vector<uint8_t> header = {flags, 0, 0, 0}, chunk;
  Put24(header, width - 1);
  Put24(header, height - 1);
  PutChunk(chunk, "VP8X", header);
  return chunk;
}

std::vector<uint8_t> EncodeWebp(const Image& image, bool lossless) {
  uint8_t* bytes = nullptr;
  const int stride = static_cast<int>(image.stride());
  const size_t size =
      lossless ? WebPEncodeLosslessRGB(image.row(0), image.width(),
                                       image.height(), stride, &bytes)
               : WebPEncodeRGB(image.row(0), image.width(), image.height(),
                               stride, 95, &bytes);
  return TakeWebp(bytes, size);
}

std::vector<uint8_t> EncodeWebpWithAlpha(const Image& image, bool lossless) {
  std::vector<uint8_t> rgba;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const uint8_t* const p = image.row(y) + 3 * x;
      rgba.insert(rgba.end(), {p[0], p[1], p[2], p[0]});
    }
  }
  uint8_t* bytes = nullptr;
  const int stride = 4 * image.width();
  const size_t size =
      lossless ? WebPEncodeLosslessRGBA(rgba.data(), image.width(),
                                        image.height(), stride, &bytes)
               : WebPEncodeRGBA(rgba.data(), image.width(), image.height(),
                                stride, 95, &bytes);
  return TakeWebp(bytes, size);
}

std::vector<uint8_t> PixelChunk(const std::vector<uint8_t>& file) {
  return {file.begin() + 12, file.end()};
}

std::vector<uint8_t> EncodeWebpWithExif(const Image& stored, int orientation) {
  std::vector<uint8_t> chunks =
      WebpHeader(0x08, stored.width(), stored.height());
  for (const uint8_t byte : PixelChunk(EncodeWebp(stored, true)))
    chunks.push_back(byte);
  PutChunk(chunks, "EXIF", ExifBlock(orientation));
  return Riff(chunks);
}

std::vector<uint8_t> EncodeGif(const GifOptions& o) {
  std::vector<uint8_t> out;
  int error = 0;
  GifFileType* const file = EGifOpen(
      &out,
      [](GifFileType* gif, const GifByteType* data, int size) {
        auto* const bytes = static_cast<std::vector<uint8_t>*>(gif->UserData);
        bytes->insert(bytes->end(), data, data + size);
        return size;
      },
      &error);
  GifColorType colors[256];
  for (int i = 0; i < 256; ++i) {
    colors[i] = {static_cast<GifByteType>(i), static_cast<GifByteType>(255 - i),
                 static_cast<GifByteType>(i / 2)};
  }
  ColorMapObject* const map = GifMakeMapObject(256, colors);
  EGifSetGifVersion(file, true);
  EGifPutScreenDesc(file, o.canvas, o.canvas, 8, 0, map);
  if (o.transparent >= 0) {
    const GifByteType control[4] = {1, 0, 0,
                                    static_cast<GifByteType>(o.transparent)};
    EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, control);
  }
  EGifPutImageDesc(file, o.left, o.top, o.width, o.height, o.interlaced,
                   nullptr);
  std::vector<int> order;
  for (int y = 0; y < o.height; ++y) order.push_back(y);
  if (o.interlaced) {
    order.clear();
    const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; ++pass)
      for (int y = starts[pass]; y < o.height; y += steps[pass])
        order.push_back(y);
  }
  for (const int y : order) {
    std::vector<GifPixelType> row;
    for (int x = 0; x < o.width; ++x)
      row.push_back(static_cast<GifPixelType>(x * 5 + y * 7));
    EGifPutLine(file, row.data(), o.width);
  }
  EGifCloseFile(file, nullptr);
  GifFreeMapObject(map);
  return out;
}

std::vector<uint8_t> BmpFile(const BmpOptions& o, int width, int height,
                             const std::vector<uint8_t>& pixels) {
  const size_t palette = o.bits <= 8 ? size_t{1} << o.bits : 0;
  const size_t header = o.os2 ? 12 : 40;
  const size_t offset =
      14 + header + palette * (o.os2 ? 3 : 4) + o.masks.size() * 4;
  std::vector<uint8_t> out = {'B', 'M'};
  Put32(out, static_cast<uint32_t>(offset + pixels.size()));
  Put32(out, 0);
  Put32(out, static_cast<uint32_t>(offset));
  Put32(out, static_cast<uint32_t>(header));
  if (o.os2) {
    Put16(out, static_cast<uint32_t>(width));
    Put16(out, static_cast<uint32_t>(height));
  } else {
    Put32(out, static_cast<uint32_t>(width));
    Put32(out, static_cast<uint32_t>(o.top_down ? -height : height));
  }
  Put16(out, 1);
  Put16(out, o.bits);
  if (!o.os2) {
    Put32(out, o.compression);
    for (int i = 0; i < 5; ++i) Put32(out, 0);
  }
  for (const uint32_t mask : o.masks) Put32(out, mask);
  for (size_t i = 0; i < palette; ++i) {
    out.push_back(3);
    out.push_back(static_cast<uint8_t>(255 - i));
    out.push_back(static_cast<uint8_t>(i));
    if (!o.os2) out.push_back(0);
  }
  out.insert(out.end(), pixels.begin(), pixels.end());
  return out;
}

std::vector<uint8_t> BmpPixels(const BmpOptions& o, const Image& in,
                               Image& shown) {
  std::vector<uint8_t> out;
  for (int i = 0; i < in.height(); ++i) {
    const int y = o.top_down ? i : in.height() - 1 - i;
    uint32_t packed = 0, bits = 0;
    const size_t begin = out.size();
    for (int x = 0; x < in.width(); ++x) {
      const uint8_t* const p = in.row(y) + 3 * x;
      uint8_t* const s = shown.row(y) + 3 * x;
      if (o.bits <= 8) {
        const uint32_t index = p[0] >> (8 - o.bits);
        s[0] = static_cast<uint8_t>(index);
        s[1] = static_cast<uint8_t>(255 - index);
        s[2] = 3;
        packed = packed << o.bits | index;
        bits += o.bits;
        if (bits == 8) out.push_back(static_cast<uint8_t>(packed)), bits = 0;
      } else if (o.bits == 16) {  // 5, 6 or 5, 5, 5 bits.
        const int green = o.masks.empty() ? 5 : 6;
        Put16(out, static_cast<uint32_t>(p[0] >> 3 << (5 + green) |
                                         p[1] >> (8 - green) << 5 | p[2] >> 3));
        const auto scaled = [](int level, int max) {
          return static_cast<uint8_t>((level * 255 * 2 + max) / (2 * max));
        };
        s[0] = scaled(p[0] >> 3, 31);
        s[1] = scaled(p[1] >> (8 - green), (1 << green) - 1);
        s[2] = scaled(p[2] >> 3, 31);
      } else {
        out.insert(out.end(), {p[2], p[1], p[0]});
        if (o.bits == 32) out.push_back(0);
        std::copy(p, p + 3, s);
      }
    }
    if (bits > 0) out.push_back(static_cast<uint8_t>(packed << (8 - bits)));
    while ((out.size() - begin) % 4 != 0) out.push_back(0xEE);
  }
  return out;
}

namespace {

std::vector<uint8_t> Text(std::string_view text) {
  return {text.begin(), text.end()};
}

void AddJpeg(const Image& image, std::vector<DrawnFile>& out) {
  const struct {
    const char* name;
    JpegOptions options;
  } kJpegs[] = {
      {"baseline", {}},
      {"gray", {.gray = true}},
      {"cmyk", {.cmyk = true}},
      {"progressive", {.progressive = true}},
      {"turned", {.orientation = 6}},
      {"progressive, turned", {.progressive = true, .orientation = 8}},
      {"arithmetic", {.arithmetic = true}},
      {"arithmetic, progressive", {.progressive = true, .arithmetic = true}},
      {"component by component", {.separate = true}},
      {"restarts", {.restarts = 1}},
  };
  for (const auto& jpeg : kJpegs) {
    out.push_back(
        {std::string("jpeg ") + jpeg.name, EncodeJpeg(image, jpeg.options)});
  }
}

void AddPng(const Image& image, std::vector<DrawnFile>& out) {
  constexpr struct {
    const char* name;
    int color_type, depth;
  } kKinds[] = {
      {"gray 1", 0, 1},    {"gray 8", 0, 8},         {"gray 16", 0, 16},
      {"rgb", 2, 8},       {"rgb 16", 2, 16},        {"palette 2", 3, 2},
      {"palette 8", 3, 8}, {"gray and alpha", 4, 8}, {"rgba", 6, 8}};
  for (const auto& kind : kKinds) {
    for (const bool interlaced : {false, true}) {
      for (const int orientation : {0, 5}) {
        std::string name = std::string("png ") + kind.name;
        if (interlaced) name += ", interlaced";
        if (orientation > 0) name += ", turned";
        out.push_back({name, EncodePngAs(image, {kind.color_type, kind.depth,
                                                 interlaced, orientation})});
      }
    }
  }
  // The block with the orientation may follow the pixels, too.
  std::vector<uint8_t> late = EncodePngAs(image, {.orientation = 3});
  const size_t exif = 33, length = 12 + ExifBlock(3).size();
  std::rotate(late.begin() + exif, late.begin() + exif + length,
              late.end() - 12);
  out.push_back({"png turned behind the pixels", late});
}

void AddWebp(const Image& image, std::vector<DrawnFile>& out) {
  out.push_back({"webp lossless", EncodeWebp(image, true)});
  out.push_back({"webp lossy", EncodeWebp(image, false)});
  out.push_back({"webp lossless, alpha", EncodeWebpWithAlpha(image, true)});
  out.push_back({"webp lossy, alpha", EncodeWebpWithAlpha(image, false)});
  out.push_back({"webp turned", EncodeWebpWithExif(image, 6)});
  std::vector<uint8_t> chunks = WebpHeader(0x02, image.width(), image.height());
  PutChunk(chunks, "ANIM", {0, 0, 0, 0, 0, 0});
  for (const bool lossless : {true, false}) {
    std::vector<uint8_t> frame;
    Put24(frame, 0);
    Put24(frame, 0);
    Put24(frame, image.width() - 1);
    Put24(frame, image.height() - 1);
    Put24(frame, 100);
    frame.push_back(0);
    for (const uint8_t byte : PixelChunk(EncodeWebp(image, lossless)))
      frame.push_back(byte);
    PutChunk(chunks, "ANMF", frame);
  }
  out.push_back({"webp animation", Riff(chunks)});
}

void AddGif(std::vector<DrawnFile>& out) {
  const GifOptions kGifs[] = {
      {.canvas = 20, .width = 20, .height = 13},
      {.canvas = 20, .width = 20, .height = 13, .interlaced = true},
      {.canvas = 20, .width = 20, .height = 13, .transparent = 35},
      {.canvas = 20, .left = 5, .top = 9, .width = 11, .height = 7},
  };
  for (const GifOptions& gif : kGifs) {
    out.push_back({"gif " + std::to_string(&gif - kGifs), EncodeGif(gif)});
  }
}

void AddTiff(const Image& image, std::vector<DrawnFile>& out) {
  const TiffOptions kTiffs[] = {
      {.name = "plain"},
      {.name = "big endian", .mode = "wb"},
      {.name = "big", .mode = "w8"},
      {.name = "big, big endian", .mode = "wb8"},
      {.name = "turned", .orientation = 6},
      {.name = "turned, big endian", .orientation = 8, .mode = "wb"},
      {.name = "palette", .samples = 1, .photometric = PHOTOMETRIC_PALETTE},
      {.name = "palette, big endian",
       .samples = 1,
       .photometric = PHOTOMETRIC_PALETTE,
       .mode = "wb8"},
      {.name = "gray", .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK},
      {.name = "lzw", .compression = COMPRESSION_LZW},
      {.name = "lzw, differences",
       .compression = COMPRESSION_LZW,
       .horizontal = true},
      {.name = "deflate", .compression = COMPRESSION_ADOBE_DEFLATE},
      {.name = "packbits", .compression = COMPRESSION_PACKBITS},
      {.name = "jpeg", .compression = COMPRESSION_JPEG, .rows_per_strip = 8},
      {.name = "fax, lowest bit first",
       .compression = COMPRESSION_CCITTFAX3,
       .samples = 1,
       .bits = 1,
       .photometric = PHOTOMETRIC_MINISBLACK,
       .lowest_bit_first = true},
      {.name = "fax",
       .compression = COMPRESSION_CCITTFAX4,
       .samples = 1,
       .bits = 1,
       .photometric = PHOTOMETRIC_MINISWHITE},
      {.name = "16 bits", .bits = 16},
      {.name = "12 bits", .bits = 12},
      {.name = "12 bits, lzw", .compression = COMPRESSION_LZW, .bits = 12},
      {.name = "alpha", .samples = 4},
      {.name = "planes", .planar = true},
      {.name = "tiles", .tiled = true},
      {.name = "tiles, deflate, turned",
       .compression = COMPRESSION_ADOBE_DEFLATE,
       .tiled = true,
       .orientation = 3},
      {.name = "one strip", .rows_per_strip = 1000},
      {.name = "row strips", .rows_per_strip = 1},
      {.name = "two pages", .pages = 2},
  };
  for (const TiffOptions& tiff : kTiffs)
    out.push_back({std::string("tiff ") + tiff.name, EncodeTiff(image, tiff)});
}

void AddBmp(const Image& image, std::vector<DrawnFile>& out) {
  const BmpOptions kBmps[] = {
      {.name = "1 bit", .bits = 1},
      {.name = "8 bits", .bits = 8},
      {.name = "8 bits, OS/2", .bits = 8, .os2 = true},
      {.name = "16 bits, masks",
       .bits = 16,
       .compression = 3,
       .masks = {0xF800, 0x07E0, 0x001F}},
      {.name = "24 bits"},
      {.name = "24 bits, top down", .top_down = true},
      {.name = "32 bits, alpha",
       .bits = 32,
       .compression = 6,
       .masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000}},
  };
  Image shown = Copy(image.view());
  for (const BmpOptions& bmp : kBmps) {
    out.push_back({std::string("bmp ") + bmp.name,
                   BmpFile(bmp, image.width(), image.height(),
                           BmpPixels(bmp, image, shown))});
  }
  out.push_back(
      {"bmp runs of 8 bits", BmpFile({.bits = 8, .compression = 1}, 5, 3,
                                     {3, 7, 2, 1, 0, 0, 0, 5, 1, 2, 3, 4, 5,
                                      0, 0, 0, 0, 2, 1, 0, 2, 9, 0, 0, 0, 1})});
  out.push_back({"bmp runs of 4 bits",
                 BmpFile({.bits = 4, .compression = 2}, 5, 2,
                         {5, 0x12, 0, 0, 0, 5, 0x45, 0x67, 0x80, 0xEE, 0, 1})});
}

void AddPnm(const Image& image, std::vector<DrawnFile>& out) {
  out.push_back({"pnm bitmap", Text("P1\n# a comment\n3 2\n0 1 1\n101\n")});
  out.push_back({"pnm gray", Text("P2\n3 2\n255\n0 100 20\n31 255 17\n")});
  out.push_back({"pnm rgb", Text("P3 2 1 99 10 20 30  1 2 44 ")});
  out.push_back({"pnm raw bitmap", Text("P4\n10 2\n\xAA\xBF\x12\x80")});
  out.push_back(
      {"pnm raw gray, 16 bits", Text("P5\n3 1\n65535\n\x80\x01\xFF\xFFxy")});
  std::vector<uint8_t> raw = Text("P6\n" + std::to_string(image.width()) + " " +
                                  std::to_string(image.height()) + "\n255\n");
  raw.insert(
      raw.end(), image.row(0),
      image.row(0) + image.stride() * static_cast<size_t>(image.height()));
  out.push_back({"pnm raw rgb", raw});
}

}  // namespace

std::vector<uint8_t> HalfTransparent() {
  std::vector<uint8_t> rgba(16 * 16 * 4, 0);
  for (size_t i = 0; i < 16 * 16; ++i) rgba[4 * i + 3] = i < 128 ? 255 : 0;
  return rgba;
}

void ExpectHalfWhite(const Image& image) {
  EXPECT_EQ(image.row(0)[0], 0);
  EXPECT_EQ(image.row(7)[47], 0);
  EXPECT_EQ(image.row(8)[0], 255);
  EXPECT_EQ(image.row(15)[47], 255);
}

std::vector<DrawnFile> EveryVariant() {
  const Image image = Pattern(20, 13);
  std::vector<DrawnFile> out;
  AddJpeg(image, out);
  AddPng(image, out);
  AddWebp(image, out);
  AddGif(out);
  AddTiff(image, out);
  AddBmp(image, out);
  AddPnm(image, out);
  return out;
}

}  // namespace munja::image::test_pictures
