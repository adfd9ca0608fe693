#include "text/utf8.h"

#include <cstdint>

namespace munja::text {

char32_t NextCodePoint(std::string_view& text, bool* ok) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) {
    text.remove_prefix(1);
    return first;
  }
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  // The least code point that needs this many bytes: anything below it is an
  // overlong form.
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto malformed = [&] {
    text.remove_prefix(1);
    if (ok != nullptr) *ok = false;
    return kReplacement;
  };
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return malformed();
  char32_t value = first & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return malformed();
    value = (value << 6) | (byte(i) & 0x3f);
  }
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kLeast[length] || value > 0x10ffff || is_surrogate)
    return malformed();
  text.remove_prefix(length);
  return value;
}

bool IsValidUtf8(std::string_view text) {
  bool ok = true;
  while (ok && !text.empty()) NextCodePoint(text, &ok);
  return ok;
}

void AppendUtf8(char32_t c, std::string& out) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = kReplacement;
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

std::u32string DecodeUtf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) out += NextCodePoint(text);
  return out;
}

std::string EncodeUtf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) AppendUtf8(c, out);
  return out;
}

}  // namespace munja::text
