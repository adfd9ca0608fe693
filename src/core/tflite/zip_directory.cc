#include "tflite/zip_directory.h"

#include <algorithm>
#include <string>

namespace munja::tflite {
namespace {

constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr size_t kEntrySize = 46;  // Without name, extra field and comment.
constexpr size_t kEndSize = 22;    // Without comment.
constexpr size_t kMaxComment = 65535;

uint32_t Load(std::span<const uint8_t> bytes, size_t at, int count) {
  uint32_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | bytes[at + static_cast<size_t>(i)];
  return value;
}

// The directory whose end record lies at `at`; nothing if that is none.
std::optional<ZipDirectory> DirectoryAt(std::span<const uint8_t> bytes,
                                        size_t at) {
  if (Load(bytes, at, 4) != kEndSignature ||
      Load(bytes, at + 20, 2) != bytes.size() - at - kEndSize)
    return std::nullopt;
  // Number of this part, of the first part.
  if (Load(bytes, at + 4, 2) != 0 || Load(bytes, at + 6, 2) != 0)
    return std::nullopt;
  ZipDirectory directory;
  directory.end_record = at;
  directory.entries = Load(bytes, at + 10, 2);
  directory.size = Load(bytes, at + 12, 4);
  const size_t offset = Load(bytes, at + 16, 4);
  if (directory.size > at || offset > at - directory.size) return std::nullopt;
  directory.begin = at - directory.size;
  directory.base = directory.begin - offset;
  if (directory.entries > 0 &&
      (directory.size < kEntrySize ||
       Load(bytes, directory.begin, 4) != kEntrySignature))
    return std::nullopt;
  return directory;
}

}  // namespace

std::optional<ZipDirectory> FindZipDirectory(std::span<const uint8_t> bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const size_t last = bytes.size() - kEndSize;
  const size_t tries = std::min(last, kMaxComment);
  for (size_t back = 0; back <= tries; ++back)
    if (auto directory = DirectoryAt(bytes, last - back)) return directory;
  return std::nullopt;
}

Status ShiftZipOffsets(size_t distance, std::vector<uint8_t>& bytes) {
  const auto directory = FindZipDirectory(bytes);
  if (!directory || directory->base != 0)
    return Internal("the archive that was written is not whole");
  const auto shift = [&](size_t at) {
    const uint64_t value = uint64_t{Load(bytes, at, 4)} + distance;
    for (size_t i = 0; i < 4; ++i)
      bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
    return value <= 0xffffffffu;
  };
  size_t at = directory->begin;
  for (size_t i = 0; i < directory->entries; ++i) {
    if (directory->end_record - at < kEntrySize || !shift(at + 42))
      return Internal("an archive's entry cannot be moved");
    const size_t size = kEntrySize + Load(bytes, at + 28, 2) +
                        Load(bytes, at + 30, 2) + Load(bytes, at + 32, 2);
    if (size > directory->end_record - at)
      return Internal("an archive's entry cannot be moved");
    at += size;
  }
  if (!shift(directory->end_record + 16))
    return Internal("the archive cannot be moved");
  return Status();
}

Status CheckEntryName(std::string_view name) {
  const auto bad = [](unsigned char c) {
    return c < 0x20 || c == 0x7f || c == '\\' || c == ':';
  };
  bool is_safe = !name.empty() && name.size() <= 255 && name.front() != '/' &&
                 std::none_of(name.begin(), name.end(), bad);
  for (size_t begin = 0; is_safe && begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") is_safe = false;
    begin = end + 1;
  }
  if (is_safe) return Status();
  return Malformed("a packed file has a name that is not safe to use");
}

}  // namespace munja::tflite
