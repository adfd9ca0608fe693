#include "ocr/word_gaps.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/median.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

constexpr int kBlank = 0;

// A column is empty where it varies by less than this part of what the line
// does, or by so many levels.
constexpr double kEmptyContrast = 0.22;
constexpr int kEmptyLevels = 8;

// A gap parts words where it is wider than the line's usual one by so many
// columns of a line of 48 rows, and by this part of the usual distance of two
// characters. Measured on drawn lines of all kinds (docs/accuracy.md): of
// letters the network itself misses few; a sign is narrower than its cell.
struct Limit {
  int columns;
  double distances;
};
constexpr int kLimitRows = 48;
constexpr Limit kLimits[3][3] = {
    // Before a letter, a digit, a sign.
    {{14, 0.6}, {10, 0.4}, {12, 0.5}},   // Behind a letter.
    {{10, 0.4}, {16, 0.6}, {14, 0.45}},  // Behind a digit.
    {{12, 0.4}, {9, 0.4}, {12, 0.5}},    // Behind a sign.
};
// Where the network printed spaces in the line, others are hardly narrower than
// this part of theirs.
constexpr double kPartOfSpaces = 0.6;
// Two digits of two numbers: from middle to middle, in usual distances.
constexpr double kDigitDistances = 1.3;

bool IsApostrophe(char32_t c) {
  return c == U'\'' || c == U'`' || c == U'\u2018' || c == U'\u2019';
}

bool IsDoubleQuote(std::string_view symbol) {
  return symbol == "\"" || symbol == "\u201C" || symbol == "\u201D";
}

}  // namespace

WordGaps::WordGaps(const text::Dictionary& dictionary) {
  for (int cls = dictionary.classes(); --cls > kBlank && space_ < 0;)
    if (dictionary.symbol(cls) == " ") space_ = cls;
}

WordGaps::Kind WordGaps::KindOf(std::string_view symbol) {
  if (symbol.empty()) return kOther;
  const char32_t c = text::NextCodePoint(symbol);
  if (c >= U'0' && c <= U'9') return kDigit;
  if (IsApostrophe(c)) return kApostrophe;
  if (c < 0x80) {
    const bool is_letter = (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z');
    return is_letter ? kLetter : kSign;
  }
  if (c < 0xC0) return kSign;
  // Latin, Greek, Cyrillic and their neighbors, but for the two signs among
  // them; what follows are scripts whose letters join or stand without spaces.
  if (c == U'\u00D7' || c == U'\u00F7') return kSign;
  if (c < 0x0590) return kLetter;
  if (c >= 0x1E00 && c < 0x2000) return kLetter;
  if (c >= 0x2000 && c < 0x2C00) return kSign;
  return kOther;
}

// False: there is nothing to part.
bool WordGaps::FindCharacters(const text::Dictionary& dictionary,
                              const std::vector<text::CtcStep>& steps) {
  characters_.clear();
  pairs_.clear();
  bool has_space = false;
  for (size_t i = 0; i < steps.size();) {
    const int cls = steps[i].cls;
    size_t end = i + 1;
    while (end < steps.size() && steps[end].cls == cls) ++end;
    if (cls == space_) {
      has_space = true;
    } else if (cls != kBlank) {
      if (!characters_.empty())
        pairs_.push_back({characters_.size() - 1, has_space, 0, 0});
      const std::string_view symbol = dictionary.symbol(cls);
      const bool is_point = symbol == "." || symbol == "," || symbol == ":";
      characters_.push_back({i, end, KindOf(symbol), is_point, symbol == "_",
                             IsDoubleQuote(symbol)});
      has_space = false;
    }
    i = end;
  }
  // The usual gap is not known from two.
  return pairs_.size() > 1;
}

// False: a line without ink, which tells nothing.
bool WordGaps::FindEmptyColumns(const image::ImageView& line) {
  const auto width = static_cast<size_t>(line.width);
  const int margin = line.height / 12;
  low_.assign(width, 255);
  high_.assign(width, 0);
  gray_.resize(width);
  std::array<int, 256> counts{};
  for (int y = margin; y < line.height - margin; ++y) {
    const uint8_t* const row = line.row(y);
    for (size_t x = 0; x < width; ++x) {
      gray_[x] = static_cast<uint8_t>(
          (row[3 * x] + 2 * row[3 * x + 1] + row[3 * x + 2]) / 4);
    }
    for (size_t x = 0; x < width; ++x) {
      low_[x] = std::min(low_[x], gray_[x]);
      high_[x] = std::max(high_[x], gray_[x]);
    }
    for (size_t x = 0; x < width; x += 2) ++counts[gray_[x]];
  }
  // Paper and ink: but for the 3 % of both ends, which may be specks.
  int all = 0;
  for (const int count : counts) all += count;
  const auto level_at = [&](int rank) {
    int level = 0;
    while (level < 255 && (rank -= counts[static_cast<size_t>(level)]) >= 0)
      ++level;
    return level;
  };
  const int contrast =
      level_at(all - 1 - all * 3 / 100) - level_at(all * 3 / 100);
  if (contrast < 2 * kEmptyLevels) return false;
  const int limit =
      std::max(static_cast<int>(kEmptyContrast * contrast), kEmptyLevels);
  is_empty_.resize(width);
  for (size_t x = 0; x < width; ++x) is_empty_[x] = high_[x] - low_[x] < limit;
  return true;
}

int WordGaps::WidestGap(int begin, int end) const {
  int widest = 0, run = 0;
  begin = std::max(begin, 0);
  end = std::min(end, static_cast<int>(is_empty_.size()));
  for (int x = begin; x < end; ++x) {
    run = is_empty_[static_cast<size_t>(x)] ? run + 1 : 0;
    widest = std::max(widest, run);
  }
  return widest;
}

// The gap behind this character is one of "23.32" or "9:30": displays and
// handwriting give points much room.
bool WordGaps::IsInNumber(size_t left) const {
  const auto is_digit = [&](size_t i) {
    return i < characters_.size() && characters_[i].kind == kDigit;
  };
  const bool is_before = left + 1 < characters_.size() &&
                         characters_[left + 1].is_point && is_digit(left) &&
                         is_digit(left + 2);
  const bool is_behind = left > 0 && characters_[left].is_point &&
                         is_digit(left - 1) && is_digit(left + 1);
  return is_before || is_behind;
}

// Quotes stand high, with room on both sides: the one that they belong to is
// nearer than the other.
bool WordGaps::HoldsQuote(size_t pair) const {
  const size_t left = pairs_[pair].left;
  const auto is_nearer = [&](size_t other) {
    return other >= pairs_.size() ||  // Nothing: the line begins or ends.
           pairs_[other].has_space || pairs_[other].gap >= pairs_[pair].gap;
  };
  return (characters_[left].is_double_quote && is_nearer(pair - 1)) ||
         (characters_[left + 1].is_double_quote && is_nearer(pair + 1));
}

void WordGaps::Part(const image::ImageView& line, int columns_per_step,
                    const text::Dictionary& dictionary,
                    std::vector<text::CtcStep>& steps) {
  if (space_ < 0 || line.width <= 0 || !FindCharacters(dictionary, steps) ||
      !FindEmptyColumns(line))
    return;
  // A character may begin or end half a step beyond its middle.
  const int reach = columns_per_step / 2;
  for (Pair& pair : pairs_) {
    const Character& left = characters_[pair.left];
    const Character& right = characters_[pair.left + 1];
    const auto middle = [&](const Character& c) {
      return static_cast<int>(c.begin + c.end) * columns_per_step / 2;
    };
    pair.distance = middle(right) - middle(left);
    pair.gap = WidestGap(middle(left) - reach, middle(right) + reach);
  }
  const auto median_of = [&](int Pair::*value, bool has_space) {
    sorted_.clear();
    for (const Pair& pair : pairs_)
      if (pair.has_space == has_space) sorted_.push_back(pair.*value);
    return Median(sorted_);
  };
  const int gap = median_of(&Pair::gap, false);
  const int distance = median_of(&Pair::distance, false);
  const double least = kPartOfSpaces * median_of(&Pair::gap, true);
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const Character& left = characters_[pair.left];
    const Character& right = characters_[pair.left + 1];
    if (pair.has_space || left.kind > kSign || right.kind > kSign ||
        IsInNumber(pair.left))
      continue;
    const Limit& limit = kLimits[left.kind][right.kind];
    const double wider = std::max<double>(
        static_cast<double>(limit.columns) * line.height / kLimitRows,
        limit.distances * distance);
    if (pair.gap - gap < wider || pair.gap < least) continue;
    if (HoldsQuote(i)) continue;
    // What it joins is a name.
    if ((left.is_low_line && right.kind <= kDigit) ||
        (right.is_low_line && left.kind <= kDigit))
      continue;
    // A 1 is narrower than its place.
    if (left.kind == kDigit && right.kind == kDigit &&
        pair.distance < kDigitDistances * distance)
      continue;
    if (left.end == right.begin) continue;  // No step is free.
    steps[(left.end + right.begin) / 2] = {
        space_,
        (steps[left.begin].probability + steps[right.begin].probability) / 2,
        {}};
  }
}

}  // namespace munja::ocr
