#include "image/file_info.h"

#include <cstddef>
#include <cstring>
#include <string_view>

#include "image/codecs/codec.h"

namespace munja::image {
namespace {

using codecs::Bytes;

constexpr double kCentimeters = 2.54;  // To the inch.
constexpr double kMostDpi = 10'000;    // More is a mistake.

int At16(Bytes bytes, size_t i) { return bytes[i] << 8 | bytes[i + 1]; }

uint32_t At32(Bytes bytes, size_t i) {
  return static_cast<uint32_t>(At16(bytes, i)) << 16 |
         static_cast<uint32_t>(At16(bytes, i + 2));
}

bool Begins(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

double Plausible(double dpi) { return dpi >= 1 && dpi <= kMostDpi ? dpi : 0; }

void ReadSegment(int marker, Bytes body, FileInfo* info, bool* is_adobe) {
  using namespace std::string_view_literals;
  if (marker == 0xE0 && body.size() >= 12 && Begins(body, "JFIF\0"sv)) {
    const int unit = body[7];
    const double density = At16(body, 8), down = At16(body, 10);
    if (density > 0 && down > 0) info->aspect = density / down;
    if (unit == 1) info->dpi = Plausible(density);
    if (unit == 2) info->dpi = Plausible(density * kCentimeters);
  } else if (marker == 0xE1 && Begins(body, "Exif\0\0"sv)) {
    info->orientation = codecs::ExifOrientation(body);
  } else if (marker == 0xEE && Begins(body, "Adobe"sv)) {
    *is_adobe = true;
  } else if (marker >= 0xC0 && marker <= 0xC2 && body.size() >= 6) {
    info->height = At16(body, 1);
    info->width = At16(body, 3);
    info->components = body[5];
    info->is_jpeg = body[0] == 8 && info->width > 0 && info->height > 0 &&
                    (info->components == 1 || info->components == 3 ||
                     info->components == 4);
  }
}

FileInfo ReadJpeg(Bytes bytes) {
  FileInfo info;
  bool is_adobe = false;
  for (size_t i = 2; i + 4 <= bytes.size();) {
    if (bytes[i] != 0xFF) break;
    const int marker = bytes[i + 1];
    if (marker == 0xFF) {  // Filling.
      ++i;
      continue;
    }
    if (marker == 0xDA || marker == 0xD9) break;  // The pixels, or the end.
    const auto length = static_cast<size_t>(At16(bytes, i + 2));
    if (length < 2 || i + 2 + length > bytes.size()) break;
    ReadSegment(marker, bytes.subspan(i + 4, length - 2), &info, &is_adobe);
    i += 2 + length;
  }
  info.is_inverted = is_adobe && info.components == 4;
  return info;
}

FileInfo ReadPng(Bytes bytes) {
  FileInfo info;
  for (size_t i = 8; i + 12 <= bytes.size();) {
    const size_t length = At32(bytes, i);
    const Bytes type = bytes.subspan(i + 4, 4);
    if (length > bytes.size() - i - 12 || Begins(type, "IDAT")) break;
    if (Begins(type, "pHYs") && length >= 9) {
      const double density = At32(bytes, i + 8), down = At32(bytes, i + 12);
      if (density > 0 && down > 0) info.aspect = density / down;
      if (bytes[i + 16] == 1)
        info.dpi = Plausible(density * kCentimeters / 100);
    }
    i += length + 12;
  }
  return info;
}

}  // namespace

FileInfo ReadFileInfo(Bytes bytes) {
  using namespace std::string_view_literals;
  if (Begins(bytes, "\xFF\xD8\xFF"sv)) return ReadJpeg(bytes);
  if (Begins(bytes, "\x89PNG\r\n\x1A\n"sv)) return ReadPng(bytes);
  return {};
}

}  // namespace munja::image
