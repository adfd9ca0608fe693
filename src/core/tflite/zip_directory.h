// Where a ZIP archive lies at the end of other bytes, and whether its entries
// have names that are safe to use.
#ifndef MUNJA_TFLITE_ZIP_DIRECTORY_H_
#define MUNJA_TFLITE_ZIP_DIRECTORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja::tflite {

struct ZipDirectory {
  size_t base = 0;        // Origin of the archive's offsets.
  size_t begin = 0;       // The central directory ...
  size_t size = 0;        // ... and its length.
  size_t end_record = 0;  // The record that ends the archive.
  size_t entries = 0;
};

// Nothing when no archive ends where `bytes` end. Archives of more than one
// part and those with 64-bit offsets are not recognized.
std::optional<ZipDirectory> FindZipDirectory(std::span<const uint8_t> bytes);

// Adds `distance` to all offsets of the archive that `bytes` are, so that they
// count from that much further ahead. kInternal: `bytes` are not a whole
// archive or an offset does not fit.
Status ShiftZipOffsets(size_t distance, std::vector<uint8_t>& bytes);

// kMalformed unless the name is a relative path that stays inside of its
// folder on every system, 1 to 255 bytes without control characters.
Status CheckEntryName(std::string_view name);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_ZIP_DIRECTORY_H_
