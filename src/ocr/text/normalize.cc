#include "text/normalize.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "text/utf8.h"

namespace munja::text {
namespace {

// No code point decomposes into more (the longest, U+FDFA, gives 18).
constexpr int kLongestDecomposition = 32;

// Appends what `c` becomes under utf8proc's `options`.
void AppendDecomposed(char32_t c, utf8proc_option_t options,
                      std::vector<utf8proc_int32_t>& out) {
  utf8proc_int32_t parts[kLongestDecomposition];
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts,
                              kLongestDecomposition, options, &boundary);
  if (count < 0 || count > kLongestDecomposition)
    out.push_back(static_cast<utf8proc_int32_t>(c));
  else
    out.insert(out.end(), parts, parts + count);
}

int CombiningClass(utf8proc_int32_t c) {
  return utf8proc_get_property(c)->combining_class;
}

// The canonical order of combining marks: each run of them sorted by class.
void OrderMarks(std::vector<utf8proc_int32_t>& text) {
  auto begin = text.begin();
  while (begin != text.end()) {
    if (CombiningClass(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end = std::find_if(begin, text.end(), [](utf8proc_int32_t c) {
      return CombiningClass(c) == 0;
    });
    std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return CombiningClass(a) < CombiningClass(b);
    });
    begin = end;
  }
}

std::u32string ToU32(const std::vector<utf8proc_int32_t>& text) {
  std::u32string out;
  out.reserve(text.size());
  for (const utf8proc_int32_t c : text) out += static_cast<char32_t>(c);
  return out;
}

bool IsIn(char32_t c, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category =
      utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= first && category <= last;
}

bool MayEndWord(char32_t c) { return IsLetterOrDigit(c) || IsSymbol(c); }

// Calls take(part) for what white space separates.
template <class Take>
void Split(std::u32string_view text, Take take) {
  while (true) {
    const auto begin = std::find_if_not(text.begin(), text.end(), IsWhiteSpace);
    const auto end = std::find_if(begin, text.end(), IsWhiteSpace);
    if (begin == end) return;
    take(text.substr(static_cast<size_t>(begin - text.begin()),
                     static_cast<size_t>(end - begin)));
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
  }
}

}  // namespace

bool IsWhiteSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 ||
         c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

bool IsRightToLeft(char32_t c) {
  const auto bidi =
      utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->bidi_class;
  return bidi == UTF8PROC_BIDI_CLASS_R || bidi == UTF8PROC_BIDI_CLASS_AL;
}

bool IsLetterOrDigit(char32_t c) {
  return IsIn(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO) ||
         IsIn(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool IsSymbol(char32_t c) {
  return IsIn(c, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
}

std::u32string Nfkc(std::string_view text) {
  std::vector<utf8proc_int32_t> parts;
  parts.reserve(text.size());
  bool is_ascii = true;
  while (!text.empty()) {
    const char32_t c = NextCodePoint(text);
    is_ascii &= c < 0x80;
    AppendDecomposed(
        c, static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
        parts);
  }
  if (is_ascii) return ToU32(parts);
  OrderMarks(parts);
  const utf8proc_ssize_t length = utf8proc_normalize_utf32(
      parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  parts.resize(static_cast<size_t>(length));
  return ToU32(parts);
}

std::u32string FoldCase(std::u32string_view text) {
  std::vector<utf8proc_int32_t> folded;
  folded.reserve(text.size());
  for (const char32_t c : text) AppendDecomposed(c, UTF8PROC_CASEFOLD, folded);
  return ToU32(folded);
}

std::u32string Squeeze(std::string_view text) {
  std::u32string out;
  const std::u32string normal = Nfkc(text);
  Split(normal, [&](std::u32string_view part) {
    if (!out.empty()) out += U' ';
    out += part;
  });
  return out;
}

std::u32string LettersAndDigits(std::string_view text) {
  std::u32string out = FoldCase(Nfkc(text));
  std::erase_if(out, [](char32_t c) { return !IsLetterOrDigit(c); });
  return out;
}

std::vector<std::u32string> Words(std::string_view text) {
  std::vector<std::u32string> words;
  const std::u32string folded = FoldCase(Nfkc(text));
  Split(folded, [&](std::u32string_view part) {
    const auto begin = std::find_if(part.begin(), part.end(), MayEndWord);
    const auto end = std::find_if(part.rbegin(), part.rend(), MayEndWord);
    if (begin != part.end()) words.emplace_back(begin, end.base());
  });
  return words;
}

}  // namespace munja::text
