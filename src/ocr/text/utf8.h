// UTF-8: checked decoding and encoding.
#ifndef MUNJA_TEXT_UTF8_H_
#define MUNJA_TEXT_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace munja::text {

inline constexpr char32_t kReplacement = U'\uFFFD';

// The code point at the front of `text`, which is shortened by it. Malformed
// input (cut short, overlong, a surrogate, beyond U+10FFFF) gives
// kReplacement, takes one byte and sets *ok to false; `ok` may be null and is
// never set to true. `text` must not be empty.
char32_t NextCodePoint(std::string_view& text, bool* ok = nullptr);

bool IsValidUtf8(std::string_view text);

// Appends the encoding of a code point; surrogates and values beyond U+10FFFF
// become kReplacement.
void AppendUtf8(char32_t code_point, std::string& out);

// Whether this is one digit, 0 to 9.
inline bool IsAsciiDigit(std::string_view symbol) {
  return symbol.size() == 1 && symbol[0] >= '0' && symbol[0] <= '9';
}

std::u32string DecodeUtf8(std::string_view text);  // Malformed: kReplacement.
std::string EncodeUtf8(std::u32string_view text);

}  // namespace munja::text

#endif  // MUNJA_TEXT_UTF8_H_
