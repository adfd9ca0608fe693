// BMP: 1, 2, 4, 8, 16, 24 and 32 bits a pixel, bit masks, RLE4 and RLE8, rows
// from either end, the OS/2 header.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "base/control.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::bmp {
namespace {

constexpr size_t kFileHeader = 14;
constexpr uint32_t kRgb = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3,
                   kAlphaBitFields = 6;

uint32_t U16(const uint8_t* p) {
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8;
}
uint32_t U32(const uint8_t* p) { return U16(p) | U16(p + 2) << 16; }

// A color channel of a 16- or 32-bit pixel.
struct Channel {
  uint32_t mask = 0;
  int shift = 0;
  uint32_t max = 0;
  uint8_t Get(uint32_t pixel) const {
    const uint64_t value = (pixel & mask) >> shift;
    return static_cast<uint8_t>((value * 255 + max / 2) / max);
  }
};

Result<Channel> MakeChannel(uint32_t mask) {
  Channel channel;
  channel.mask = mask;
  if (mask == 0) return channel;
  channel.shift = __builtin_ctz(mask);
  channel.max = mask >> channel.shift;
  if ((channel.max & (channel.max + 1)) != 0)
    return Malformed("the bits of a color mask are not in a row");
  return channel;
}

struct Header {
  int width = 0, height = 0;
  bool top_down = false;
  uint32_t bits = 0, compression = kRgb;
  size_t pixels = 0;                   // Offset of the first row.
  std::array<uint32_t, 4> masks = {};  // R, G, B, alpha.
  // RGB by index; what the file does not give is black.
  std::array<std::array<uint8_t, 3>, 256> palette = {};
};

// Sizes of the headers in use: OS/2, Windows 3, with masks, OS/2 2, 4, 5.
bool KnownHeaderSize(uint32_t size) {
  return size == 12 || size == 16 || size == 40 || size == 52 || size == 56 ||
         size == 64 || size == 108 || size == 124;
}

Status ReadMasks(Bytes bytes, uint32_t info_size, Header& header) {
  if (header.compression == kRgb) {
    if (header.bits == 16) header.masks = {0x7C00, 0x03E0, 0x001F, 0};
    if (header.bits == 32) header.masks = {0xFF0000, 0xFF00, 0xFF, 0};
    return Status();
  }
  // Right after the 40 bytes of the Windows 3 header, inside or behind it.
  size_t count = 3;
  if (info_size >= 56 || header.compression == kAlphaBitFields) count = 4;
  const size_t at = kFileHeader + 40;
  if (bytes.size() < at + 4 * count)
    return Malformed("the file ends inside its header");
  for (size_t i = 0; i < count; ++i)
    header.masks[i] = U32(bytes.data() + at + 4 * i);
  return Status();
}

Status ReadPalette(Bytes bytes, size_t at, size_t entry, uint32_t stated,
                   Header& header) {
  if (header.bits > 8) return Status();
  const uint32_t all = 1u << header.bits;
  const uint32_t count = stated == 0 || stated > all ? all : stated;
  // A palette that is shorter than stated ends where the pixels begin.
  for (uint32_t i = 0; i < count; ++i, at += entry) {
    if (at + entry > bytes.size())
      return Malformed("the file ends inside its palette");
    if (at + entry > header.pixels) break;
    header.palette[i] = {bytes[at + 2], bytes[at + 1], bytes[at]};
  }
  return Status();
}

Result<Header> ReadHeader(Bytes bytes, const DecodeLimits& limits) {
  Header header;
  if (bytes.size() < kFileHeader + 12)
    return Malformed("the file ends inside its header");
  header.pixels = U32(bytes.data() + 10);
  const uint8_t* const info = bytes.data() + kFileHeader;
  const uint32_t info_size = U32(info);
  if (bytes.size() < kFileHeader + info_size)
    return Malformed("the file ends inside its header");
  int64_t width = 0, height = 0;
  uint32_t planes = 0, colors = 0;
  if (info_size == 12) {
    width = U16(info + 4);
    height = U16(info + 6);
    planes = U16(info + 8);
    header.bits = U16(info + 10);
  } else {
    width = static_cast<int32_t>(U32(info + 4));
    height = static_cast<int32_t>(U32(info + 8));
    planes = U16(info + 12);
    header.bits = U16(info + 14);
    if (info_size >= 40) {
      header.compression = U32(info + 16);
      colors = U32(info + 32);
    }
  }
  header.top_down = height < 0;
  height = height < 0 ? -height : height;
  MUNJA_RETURN_IF_ERROR(CheckSize(width, height, limits));
  header.width = static_cast<int>(width);
  header.height = static_cast<int>(height);
  if (planes != 1)
    return Malformed("the picture has " + std::to_string(planes) + " planes");

  const uint32_t bits = header.bits, compression = header.compression;
  const bool plain = compression == kRgb &&
                     (bits == 1 || bits == 2 || bits == 4 || bits == 8 ||
                      bits == 16 || bits == 24 || bits == 32);
  const bool fields =
      (compression == kBitFields || compression == kAlphaBitFields) &&
      (bits == 16 || bits == 32);
  const bool runs = ((compression == kRle8 && bits == 8) ||
                     (compression == kRle4 && bits == 4)) &&
                    !header.top_down;
  if (!plain && !fields && !runs) {
    return Unsupported(std::to_string(bits) +
                       " bits a pixel with compression " +
                       std::to_string(compression));
  }
  MUNJA_RETURN_IF_ERROR(ReadMasks(bytes, info_size, header));
  size_t palette = kFileHeader + info_size;
  if (fields && info_size == 40)
    palette += compression == kAlphaBitFields ? 16 : 12;
  MUNJA_RETURN_IF_ERROR(
      ReadPalette(bytes, palette, info_size == 12 ? 3 : 4, colors, header));
  if (header.pixels > bytes.size())
    return Malformed("the file ends before its pixels");
  return header;
}

int RowOf(const Header& header, int i) {
  return header.top_down ? i : header.height - 1 - i;
}

void StoreIndexed(const Header& header, const uint8_t* in, uint8_t* rgb) {
  const uint32_t per_byte = 8 / header.bits;
  const uint32_t mask = (1u << header.bits) - 1;
  for (uint32_t x = 0; x < static_cast<uint32_t>(header.width); ++x) {
    const uint32_t shift = 8 - header.bits * (x % per_byte + 1);
    const auto& color = header.palette[in[x / per_byte] >> shift & mask];
    std::memcpy(rgb + 3 * size_t{x}, color.data(), 3);
  }
}

// Whether any pixel is not fully transparent: many writers leave the alpha
// byte at 0 everywhere and mean an opaque image.
bool AnyAlpha(Bytes rows, size_t stride, const Header& header) {
  const size_t step = header.bits / 8;
  for (int i = 0; i < header.height && !IsStopped(); ++i) {
    const uint8_t* const row = rows.data() + static_cast<size_t>(i) * stride;
    for (int x = 0; x < header.width; ++x) {
      const uint8_t* const p = row + static_cast<size_t>(x) * step;
      if (((step == 2 ? U16(p) : U32(p)) & header.masks[3]) != 0) return true;
    }
  }
  return false;
}

Status StoreMasked(const Header& header, Bytes rows, size_t stride,
                   uint8_t ground, Image& image) {
  std::array<Channel, 4> channels;
  for (size_t c = 0; c < 4; ++c) {
    MUNJA_ASSIGN_OR_RETURN(channels[c], MakeChannel(header.masks[c]));
    if (c < 3 && channels[c].mask == 0)
      return Malformed("a color mask has no bits");
  }
  const bool alpha = channels[3].mask != 0 && AnyAlpha(rows, stride, header);
  const size_t step = header.bits / 8;
  for (int i = 0; i < header.height && !IsStopped(); ++i) {
    const uint8_t* const in = rows.data() + static_cast<size_t>(i) * stride;
    uint8_t* const out = image.row(RowOf(header, i));
    for (int x = 0; x < header.width; ++x) {
      const uint8_t* const p = in + static_cast<size_t>(x) * step;
      const uint32_t pixel = step == 2 ? U16(p) : U32(p);
      const uint8_t rgba[4] = {channels[0].Get(pixel), channels[1].Get(pixel),
                               channels[2].Get(pixel),
                               alpha ? channels[3].Get(pixel) : uint8_t{255}};
      OverGround(rgba, 1, ground, out + 3 * x);
    }
  }
  return Status();
}

// Runs of equal indices, stretches of literal ones, and jumps; what is jumped
// over has index 0. `canvas`: width * height indices, rows from the bottom.
Status ExpandRuns(const Header& header, Bytes in, uint8_t* canvas) {
  const bool nibbles = header.compression == kRle4;
  const int64_t width = header.width, height = header.height;
  int64_t x = 0, y = 0;
  size_t at = 0;
  // Pixels outside the image are dropped.
  const auto put = [&](uint8_t index) {
    if (x < width && y < height) canvas[y * width + x] = index;
    ++x;
  };
  while (y < height) {
    if (at + 2 > in.size()) return CutOff(y, height);
    const uint32_t count = in[at], value = in[at + 1];
    at += 2;
    if (count > 0) {
      for (uint32_t i = 0; i < count; ++i) {
        put(static_cast<uint8_t>(!nibbles     ? value
                                 : i % 2 == 0 ? value >> 4
                                              : value & 15));
      }
    } else if (value == 0) {
      x = 0;
      ++y;
    } else if (value == 1) {
      return Status();
    } else if (value == 2) {
      if (at + 2 > in.size()) return CutOff(y, height);
      x += in[at];
      y += in[at + 1];
      at += 2;
    } else {
      const size_t bytes = nibbles ? (value + 1) / 2 : value;
      if (at + bytes > in.size()) return CutOff(y, height);
      for (uint32_t i = 0; i < value; ++i) {
        const uint8_t byte = in[at + (nibbles ? i / 2 : i)];
        put(static_cast<uint8_t>(!nibbles     ? byte
                                 : i % 2 == 0 ? byte >> 4
                                              : byte & 15));
      }
      at += (bytes + 1) / 2 * 2;
    }
  }
  return Status();
}

Status StoreRuns(const Header& header, Bytes in, Image& image) {
  const size_t width = static_cast<size_t>(header.width);
  MUNJA_ASSIGN_OR_RETURN(
      Buffer canvas,
      Buffer::AllocateZeroed(width * static_cast<size_t>(header.height)));
  MUNJA_RETURN_IF_ERROR(ExpandRuns(header, in, canvas.data()));
  for (int i = 0; i < header.height && !IsStopped(); ++i) {
    const uint8_t* const row = canvas.data() + static_cast<size_t>(i) * width;
    uint8_t* const out = image.row(RowOf(header, i));
    for (size_t x = 0; x < width; ++x)
      std::memcpy(out + 3 * x, header.palette[row[x]].data(), 3);
  }
  return Status();
}

}  // namespace

bool Sniff(Bytes bytes) {
  return bytes.size() >= 18 && bytes[0] == 'B' && bytes[1] == 'M' &&
         KnownHeaderSize(U32(bytes.data() + 14));
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  MUNJA_ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes, limits));
  const Bytes pixels = bytes.subspan(header.pixels);
  const bool runs = header.compression == kRle8 || header.compression == kRle4;
  // Rows are padded to 4 bytes; sizes fit, see CheckSize(). The last row may
  // lack its padding.
  const size_t row_bytes =
      (static_cast<size_t>(header.width) * header.bits + 7) / 8;
  const size_t stride = RoundUp(row_bytes, 4);
  if (!runs) {
    const size_t rows = pixels.size() < row_bytes
                            ? 0
                            : (pixels.size() - row_bytes) / stride + 1;
    if (rows < static_cast<size_t>(header.height))
      return CutOff(static_cast<int64_t>(rows), header.height);
  }
  MUNJA_ASSIGN_OR_RETURN(Image image,
                         Image::Create(header.width, header.height));
  if (runs) {
    MUNJA_RETURN_IF_ERROR(StoreRuns(header, pixels, image));
  } else if (header.bits == 16 || header.bits == 32) {
    MUNJA_RETURN_IF_ERROR(
        StoreMasked(header, pixels, stride, limits.ground, image));
  } else {
    for (int i = 0; i < header.height && !IsStopped(); ++i) {
      const uint8_t* const in = pixels.data() + static_cast<size_t>(i) * stride;
      uint8_t* const out = image.row(RowOf(header, i));
      if (header.bits <= 8) {
        StoreIndexed(header, in, out);
        continue;
      }
      for (size_t x = 0; x < static_cast<size_t>(header.width); ++x) {
        out[3 * x] = in[3 * x + 2];
        out[3 * x + 1] = in[3 * x + 1];
        out[3 * x + 2] = in[3 * x];
      }
    }
  }
  return image;
}

}  // namespace munja::image::codecs::bmp
