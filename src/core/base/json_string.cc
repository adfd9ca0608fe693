#include "base/json_string.h"

#include <cstddef>
#include <cstdint>

namespace munja {
namespace {

struct Sequence {
  size_t bytes;  // If it is not valid, those that cannot begin another one.
  bool is_valid;
};

// The UTF-8 sequence that `text`, which is not empty, begins with.
Sequence FirstSequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // Neither longer than need be, nor surrogates, nor beyond U+10FFFF.
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < (i == 1 ? low : 0x80) ||
        byte(i) > (i == 1 ? high : 0xBF))
      return {i, false};
  }
  return {length, true};
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto [bytes, is_valid] = FirstSequence(text);
    const char c = text[0];
    if (!is_valid) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (bytes == 1 && static_cast<uint8_t>(c) < 0x20) {
      switch (c) {
        case '\b':
          out += "\\b";
          break;
        case '\f':
          out += "\\f";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        default:
          out += c < 0x10 ? "\\u000" : "\\u001";
          out += "0123456789abcdef"[c % 16];
      }
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  out += '"';
  return out;
}

}  // namespace munja
