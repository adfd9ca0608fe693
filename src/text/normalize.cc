#include "text/normalize.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "text/utf8.h"

namespace munja::text {
namespace {

// The first letter of a code point's general category.
char MajorCategory(char32_t c) {
  return utf8proc_category_string(static_cast<utf8proc_int32_t>(c))[0];
}

// Appends what utf8proc makes of one code point. No code point becomes more
// than 18 (U+FDFA under NFKD).
void AppendMapped(char32_t c, utf8proc_option_t options, std::u32string& out) {
  utf8proc_int32_t mapped[32];
  int boundary = 0;
  const utf8proc_ssize_t n = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), mapped, 32, options, &boundary);
  if (n < 0 || n > 32) {
    out += c;
    return;
  }
  for (utf8proc_ssize_t i = 0; i < n; ++i)
    out += static_cast<char32_t>(mapped[i]);
}

// Canonical ordering (Unicode Standard, section 3.11, D109): combining marks
// sorted by class, equal classes in their order.
void SortMarks(std::u32string& text) {
  const auto combining_class = [](char32_t c) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))
        ->combining_class;
  };
  for (size_t begin = 0; begin < text.size();) {
    if (combining_class(text[begin]) == 0) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < text.size() && combining_class(text[end]) != 0) ++end;
    std::stable_sort(text.begin() + static_cast<ptrdiff_t>(begin),
                     text.begin() + static_cast<ptrdiff_t>(end),
                     [&](char32_t a, char32_t b) {
                       return combining_class(a) < combining_class(b);
                     });
    begin = end;
  }
}

}  // namespace

std::u32string Nfkc(std::string_view utf8) {
  std::u32string decomposed;
  for (const char32_t c : DecodeUtf8(utf8)) {
    AppendMapped(
        c, static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
        decomposed);
  }
  SortMarks(decomposed);
  // Composition works in place and never lengthens.
  std::vector<utf8proc_int32_t> points(decomposed.begin(), decomposed.end());
  const utf8proc_ssize_t n = utf8proc_normalize_utf32(
      points.data(), static_cast<utf8proc_ssize_t>(points.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (n < 0) return decomposed;
  return std::u32string(points.begin(), points.begin() + n);
}

std::u32string CaseFold(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (const char32_t c : text) AppendMapped(c, UTF8PROC_CASEFOLD, out);
  return out;
}

bool IsSpace(char32_t c) {
  const auto* property =
      utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  return property->category == UTF8PROC_CATEGORY_ZS ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_WS ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_B ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_S;
}

std::u32string Squeeze(std::string_view utf8) {
  std::u32string out;
  bool is_pending = false;
  for (const char32_t c : Nfkc(utf8)) {
    if (IsSpace(c)) {
      is_pending = !out.empty();
      continue;
    }
    if (is_pending) out += U' ';
    is_pending = false;
    out += c;
  }
  return out;
}

std::u32string LettersAndNumbers(std::string_view utf8) {
  std::u32string text = CaseFold(Nfkc(utf8));
  std::erase_if(text, [](char32_t c) {
    const char category = MajorCategory(c);
    return category != 'L' && category != 'N';
  });
  return text;
}

std::vector<std::u32string> Words(std::string_view utf8) {
  const auto is_content = [](char32_t c) {
    const char category = MajorCategory(c);
    return category == 'L' || category == 'N' || category == 'S';
  };
  std::vector<std::u32string> words;
  const std::u32string text = CaseFold(Nfkc(utf8));
  for (size_t i = 0; i < text.size();) {
    if (IsSpace(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && !IsSpace(text[end])) ++end;
    size_t first = i, last = end;
    while (first < last && !is_content(text[first])) ++first;
    while (first < last && !is_content(text[last - 1])) --last;
    if (first < last) words.push_back(text.substr(first, last - first));
    i = end;
  }
  return words;
}

}  // namespace munja::text
