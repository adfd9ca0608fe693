#include "cli/shown.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace munja::cli {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t size = 0;  // Bytes; 0: the first byte begins none.
};

// The first of a text that is not empty.
CodePoint First(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  uint32_t value = first & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[size] || value > 0x10FFFF || is_surrogate) return {};
  return {value, size};
}

bool TurnsDirection(uint32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string Shown(std::string_view text) {
  std::string shown;
  const auto add_code = [&](const char* format, uint32_t code) {
    char out[16];
    std::snprintf(out, sizeof out, format, static_cast<unsigned>(code));
    shown += out;
  };
  while (!text.empty()) {
    const CodePoint c = First(text);
    if (c.size == 0) {
      add_code("\\x%02x", static_cast<uint8_t>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (c.value == '\n') {
      shown += "\\n";
    } else if (c.value == '\t') {
      shown += "\\t";
    } else if (c.value == '\r') {
      shown += "\\r";
    } else if (c.value < 0x20 || c.value == 0x7F) {
      add_code("\\x%02x", c.value);
    } else if ((c.value >= 0x80 && c.value < 0xA0) || TurnsDirection(c.value)) {
      add_code("\\u%04x", c.value);
    } else {
      shown += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  return shown;
}

}  // namespace munja::cli
