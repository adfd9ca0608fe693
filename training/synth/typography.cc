#include "synth/typography.h"

#include <algorithm>

namespace munja::train {
namespace {

// Signs of programs, file names and addresses, which are not typeset.
constexpr std::u32string_view kPlain = U"{}<>=\\@#_~|`^;";

constexpr char32_t kOpen = U'‘', kClose = U'’';
constexpr char32_t kOpenDouble = U'“', kCloseDouble = U'”';
constexpr char32_t kEnDash = U'–', kEmDash = U'—';

bool IsDigit(char32_t c) { return c >= U'0' && c <= U'9'; }

// Whether a quote at `i` opens: behind it stands what is quoted, before it
// nothing that it could close.
bool Opens(std::u32string_view text, size_t i) {
  constexpr std::u32string_view kBefore = U" ([-/\"‘“–—";
  if (i + 1 == text.size() || text[i + 1] == U' ') return false;
  return i == 0 || kBefore.find(text[i - 1]) != std::u32string_view::npos;
}

// Whether the hyphen at `i` stands between two numbers of at most four digits
// that no other hyphen joins: "21-23" and not "555-0123-4567".
bool IsRange(std::u32string_view text, size_t i) {
  size_t begin = i, end = i + 1;
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  while (end < text.size() && IsDigit(text[end])) ++end;
  const size_t before = i - begin, behind = end - i - 1;
  if (before == 0 || behind == 0 || before > 4 || behind > 4) return false;
  return (begin == 0 || text[begin - 1] != U'-') &&
         (end == text.size() || text[end] != U'-');
}

std::u32string SetQuotes(std::u32string_view text) {
  std::u32string set;
  for (size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    // The year '99 has lost its beginning: that is an apostrophe.
    const bool is_year =
        c == U'\'' && i + 1 < text.size() && IsDigit(text[i + 1]);
    if (c == U'\'') c = Opens(text, i) && !is_year ? kOpen : kClose;
    if (c == U'"') c = Opens(text, i) ? kOpenDouble : kCloseDouble;
    set.push_back(c);
  }
  return set;
}

std::u32string SetDashes(std::u32string_view text, Random& random) {
  std::u32string set;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_double =
        text[i] == U'-' && i + 1 < text.size() && text[i + 1] == U'-';
    const bool is_alone = text[i] == U'-' && i > 0 && i + 1 < text.size() &&
                          text[i - 1] == U' ' && text[i + 1] == U' ';
    if (is_double || is_alone) {
      set.push_back(random.Chance(0.5f) ? kEmDash : kEnDash);
      if (is_double) ++i;
    } else {
      set.push_back(text[i] == U'-' && IsRange(text, i) ? kEnDash : text[i]);
    }
  }
  return set;
}

}  // namespace

std::u32string Typeset(std::u32string_view text, const Alphabet& alphabet,
                       Random& random) {
  std::u32string plain(text);
  const bool is_program =
      text.find_first_of(kPlain) != std::u32string_view::npos ||
      text.find(U"---") != std::u32string_view::npos;
  if (is_program) return plain;
  std::u32string set = SetQuotes(text);
  if (random.Chance(0.67f)) set = SetDashes(set, random);
  return alphabet.Spells(set) ? set : plain;
}

}  // namespace munja::train
