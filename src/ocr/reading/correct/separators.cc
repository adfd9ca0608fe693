#include "reading/correct/separators.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "reading/correct/look_alikes.h"
#include "text/ctc.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

constexpr std::array<std::string_view, 2> kSigns = {",", "."};
// So many that are read with confidence tell what the page uses.
constexpr int kLeastCertain = 2;
// A sign is this many times as probable as the other one, before the image is
// seen, as there are more of it; at least and at most.
constexpr float kLeastPrior = 4, kMostPrior = 32;

bool IsSign(std::string_view symbol) {
  return symbol == kSigns[0] || symbol == kSigns[1];
}

// The signs of a line that part groups of three digits, "1,234,567", by their
// places among the marks. Numbers that begin with 0 are fractions.
std::vector<size_t> FindSeparators(const text::Dictionary& dictionary,
                                   const text::CtcLine& line) {
  const auto symbol = [&](size_t i) {
    return dictionary.symbol(line.marks[i].cls);
  };
  const size_t count = line.marks.size();
  const auto digits_at = [&](size_t i) {
    size_t n = 0;
    while (i + n < count && text::IsAsciiDigit(symbol(i + n))) ++n;
    return n;
  };
  // Digits behind a sign at i.
  const auto group_at = [&](size_t i) {
    return i < count && IsSign(symbol(i)) ? digits_at(i + 1) : 0;
  };
  std::vector<size_t> found, signs;
  for (size_t begin = 0; begin < count;) {
    const size_t first = digits_at(begin);
    if (first == 0) {
      ++begin;
      continue;
    }
    signs.clear();
    size_t end = begin + first;
    for (; group_at(end) == 3; end += 4) signs.push_back(end);
    // Decimals may follow, but no other groups: "10.31.234" is no amount.
    bool is_amount = first <= 3 && symbol(begin) != "0";
    int parts = 0;
    while (group_at(end) > 0) {
      end += group_at(end) + 1;
      is_amount &= ++parts == 1;
    }
    if (is_amount) found.insert(found.end(), signs.begin(), signs.end());
    begin = end;
  }
  return found;
}

}  // namespace

void CorrectSeparators(const text::Dictionary& dictionary,
                       std::span<const LineText> page) {
  std::array<int, 2> certain = {};
  std::vector<std::vector<size_t>> separators;
  for (const LineText& line : page) {
    separators.push_back(FindSeparators(dictionary, line.text));
    for (const size_t i : separators.back()) {
      const text::CtcMark& mark = line.text.marks[i];
      if (mark.probability >= kReliableCharacter)
        ++certain[dictionary.symbol(mark.cls) == kSigns[1]];
    }
  }
  const bool has_points = certain[1] > certain[0];
  const float ratio = static_cast<float>(2 * certain[has_points]) /
                      static_cast<float>(1 + certain[!has_points]);
  if (certain[has_points] < kLeastCertain || ratio < kLeastPrior) return;
  const float prior = std::min(ratio, kMostPrior);
  const int usual = dictionary.ClassOf(kSigns[has_points]);
  for (size_t l = 0; l < page.size(); ++l) {
    if (separators[l].empty()) continue;
    text::CtcLine& line = page[l].text;
    std::vector<int> classes(line.marks.size(), 0);
    for (const size_t i : separators[l]) {
      const text::CtcMark& mark = line.marks[i];
      if (mark.cls != usual &&
          mark.probability < prior * text::ProbabilityOf(mark, usual))
        classes[i] = usual;
    }
    text::ReplaceCharacters(classes, dictionary, line);
  }
}

}  // namespace munja::ocr
