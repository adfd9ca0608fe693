#include "reading/correct/amounts.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "reading/correct/look_alikes.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

// Fewer surely read amounts tell nothing, and all but a tenth must agree.
constexpr size_t kMinAmounts = 3;
constexpr size_t kAgreeing = 9;

// Places of the signs before the cents: "9.00", "RM9,00)", not the "1.234" of
// thousands, "1.10.26" or "v2.10.1".
std::vector<size_t> DecimalSigns(std::span<const std::string_view> characters) {
  const auto is_digit = [&](size_t i) {
    return i < characters.size() && text::IsAsciiDigit(characters[i]);
  };
  const auto is_sign = [&](size_t i) {
    return i < characters.size() &&
           (characters[i] == "." || characters[i] == ",");
  };
  std::vector<size_t> signs;
  for (size_t i = 1; i + 2 < characters.size(); ++i) {
    if (!is_sign(i) || !is_digit(i - 1) || !is_digit(i + 1) ||
        !is_digit(i + 2) || is_digit(i + 3))
      continue;
    // More digits behind the cents' next sign: a date, a version.
    if (is_sign(i + 3) && is_digit(i + 4)) continue;
    size_t whole = i;
    while (whole > 0 && is_digit(whole - 1)) --whole;
    const bool is_short_group = i - whole < 3;
    // "1.10.26": what a sign parts in front of cents is thousands.
    if (whole >= 2 && is_sign(whole - 1) && is_digit(whole - 2) &&
        is_short_group)
      continue;
    signs.push_back(i);
  }
  return signs;
}

}  // namespace

void CorrectAmounts(const text::Dictionary& dictionary,
                    std::span<const LineText> lines) {
  const int point = dictionary.ClassOf("."), comma = dictionary.ClassOf(",");
  if (point == 0 || comma == 0) return;
  std::vector<std::vector<size_t>> signs(lines.size());
  size_t points = 0, commas = 0;
  for (size_t r = 0; r < lines.size(); ++r) {
    const text::CtcLine& line = lines[r].text;
    signs[r] = DecimalSigns(text::CharactersOf(line));
    for (const size_t i : signs[r]) {
      if (line.marks[i].probability < kReliableCharacter) continue;
      ++(line.marks[i].cls == point ? points : commas);
    }
  }
  const size_t most = std::max(points, commas);
  if (most < kMinAmounts || most < kAgreeing * std::min(points, commas)) return;
  const int page_sign = points > commas ? point : comma;
  for (size_t r = 0; r < lines.size(); ++r) {
    if (signs[r].empty()) continue;
    text::CtcLine& line = lines[r].text;
    std::vector<int> replaced(line.marks.size(), 0);
    for (const size_t i : signs[r]) {
      const text::CtcMark& mark = line.marks[i];
      if (IsReplacedByContext(mark.probability,
                              text::ProbabilityOf(mark, page_sign)))
        replaced[i] = page_sign;
    }
    text::ReplaceCharacters(replaced, dictionary, line);
  }
}

}  // namespace munja::ocr
