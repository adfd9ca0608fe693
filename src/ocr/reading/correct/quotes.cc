#include "reading/correct/quotes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/utf8.h"

namespace munja::ocr {
namespace {

using std::string_view_literals::operator""sv;

// Opening and closing ones: the class that stands for a straight quote is found
// by its place here.
constexpr std::array<std::string_view, 4> kCurlyQuotes = {"‘", "’", "“", "”"};

enum Quote { kNone, kApostrophe, kDouble, kCurly };

Quote QuoteOf(std::string_view symbol) {
  if (symbol == "'") return kApostrophe;
  if (symbol == "\"") return kDouble;
  const bool is_curly = std::find(kCurlyQuotes.begin(), kCurlyQuotes.end(),
                                  symbol) != kCurlyQuotes.end();
  return is_curly ? kCurly : kNone;
}

// Double quotes that open show the kind best: a curly one has its weight below.
// On 71 rendered pages with quotes of either kind the mean probability of curly
// ones where PP-OCRv6 tiny and the default model read such quotes is at most
// 0.11 where they are straight, and above it on 58 of 70 where they are curly.
constexpr size_t kMinQuotes = 2;
constexpr float kCurlyShare = 0.15f;

// The classes of kCurlyQuotes; 0 where the dictionary lacks one.
std::array<int, 4> CurlyClasses(const text::Dictionary& dictionary) {
  std::array<int, 4> classes{};
  for (size_t i = 0; i < kCurlyQuotes.size(); ++i)
    classes[i] = dictionary.ClassOf(kCurlyQuotes[i]);
  return classes;
}

bool IsSpaceOrEnd(std::string_view symbol) {
  return symbol.empty() || symbol == " ";
}

// Whether a quote between these opens: something stands behind it, and before
// it nothing that it could close.
bool Opens(std::string_view before, std::string_view behind) {
  constexpr std::array<std::string_view, 8> kBeforeQuotes = {
      "(", "[", "/", "-", "–", "—", "“", "‘"};
  if (IsSpaceOrEnd(behind)) return false;
  return IsSpaceOrEnd(before) ||
         std::find(kBeforeQuotes.begin(), kBeforeQuotes.end(), before) !=
             kBeforeQuotes.end();
}

// The share of curly quotes in what the network took the mark for.
float CurlyShare(const text::Dictionary& dictionary,
                 const text::CtcMark& mark) {
  const float curly = text::ProbabilityOfAny(
      mark, [&](int cls) { return QuoteOf(dictionary.symbol(cls)) == kCurly; });
  const float all = text::ProbabilityOfAny(
      mark, [&](int cls) { return QuoteOf(dictionary.symbol(cls)) != kNone; });
  return all > 0 ? curly / all : 0;
}

bool HasCurlyQuotes(const text::Dictionary& dictionary,
                    std::span<const LineText> lines) {
  float share = 0;
  size_t count = 0;
  for (const LineText& line : lines) {
    const std::vector<std::string_view> characters =
        text::CharactersOf(line.text);
    for (size_t i = 0; i + 1 < characters.size(); ++i) {
      const bool is_double =
          characters[i] == "\"" || characters[i] == "“" || characters[i] == "”";
      if (!is_double ||
          !Opens(i > 0 ? characters[i - 1] : ""sv, characters[i + 1]))
        continue;
      share += CurlyShare(dictionary, line.text.marks[i]);
      ++count;
    }
  }
  return count >= kMinQuotes &&
         share >= kCurlyShare * static_cast<float>(count);
}

// The place of a curly quote in kCurlyQuotes that stands for the straight one
// at `i`, if any does.
std::optional<size_t> CurlyFor(std::span<const std::string_view> characters,
                               size_t i) {
  const Quote quote = QuoteOf(characters[i]);
  if (quote != kApostrophe && quote != kDouble) return std::nullopt;
  const std::string_view before = i > 0 ? characters[i - 1] : ""sv;
  const std::string_view behind =
      i + 1 < characters.size() ? characters[i + 1] : ""sv;
  if (text::IsAsciiDigit(before) &&
      (IsSpaceOrEnd(behind) || text::IsAsciiDigit(behind)))
    return std::nullopt;  // Feet, inches, minutes.
  if (quote == kDouble) return Opens(before, behind) ? 2 : 3;
  // The year '99 has lost its beginning: that is an apostrophe.
  return Opens(before, behind) && !text::IsAsciiDigit(behind) ? 0 : 1;
}

void ReplaceByCurly(const text::Dictionary& dictionary,
                    const std::array<int, 4>& classes, text::CtcLine& line) {
  const std::vector<std::string_view> characters = text::CharactersOf(line);
  std::vector<int> replaced(characters.size(), 0);
  for (size_t i = 0; i < characters.size(); ++i) {
    const std::optional<size_t> curly = CurlyFor(characters, i);
    if (curly && CurlyShare(dictionary, line.marks[i]) > 0)
      replaced[i] = classes[*curly];
  }
  text::ReplaceCharacters(replaced, dictionary, line);
}

}  // namespace

void CorrectQuotes(const text::Dictionary& dictionary,
                   std::span<const LineText> lines) {
  if (!HasCurlyQuotes(dictionary, lines)) return;
  const std::array<int, 4> classes = CurlyClasses(dictionary);
  if (std::find(classes.begin(), classes.end(), 0) != classes.end()) return;
  for (const LineText& line : lines) {
    if (!line.text.text.empty()) ReplaceByCurly(dictionary, classes, line.text);
  }
}

}  // namespace munja::ocr
