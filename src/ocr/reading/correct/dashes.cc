#include "reading/correct/dashes.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/median.h"
#include "text/ctc.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

// All chosen on 1,200 drawn lines, half of them of one pitch (see
// docs/lab/accuracy.md). Widths in heights of the line's small letters.
constexpr float kMinDashWidth = 0.75f;
constexpr float kEmWidth = 1.0f;
// The share of dashes in what the network takes the hyphen for.
constexpr float kMinDashShare = 0.03f;
// The mean part by which distances of neighbors differ from the middle one.
constexpr float kMinPitch = 0.09f;
// A small letter's height in that of a capital, a digit, an ascender.
constexpr float kXHeightInTall = 0.72f;
// Fewer letters and digits do not tell a line's height and pitch.
constexpr size_t kMinMeasured = 4;

constexpr std::string_view kEnDash = "–", kEmDash = "—";

bool IsDash(std::string_view symbol) {
  return symbol == kEnDash || symbol == kEmDash;
}

bool IsHyphen(std::string_view symbol) { return symbol == "-"; }

// One ASCII character of a range.
bool IsIn(std::string_view symbol, char first, char last) {
  return symbol.size() == 1 && symbol[0] >= first && symbol[0] <= last;
}

bool IsLatinCapital(std::string_view symbol) { return IsIn(symbol, 'A', 'Z'); }

bool IsAsciiLetterOrDigit(std::string_view symbol) {
  return text::IsAsciiDigit(symbol) || IsLatinCapital(symbol) ||
         IsIn(symbol, 'a', 'z');
}

// The height of a small letter by this mark's; 0: it does not tell.
float SmallHeight(std::string_view symbol, float height) {
  constexpr std::string_view kSmall = "acemnorsuvwxz", kAscending = "bdfhkl";
  if (symbol.size() != 1) return 0;
  if (kSmall.find(symbol[0]) != std::string_view::npos) return height;
  const bool is_tall =
      kAscending.find(symbol[0]) != std::string_view::npos ||
      text::IsAsciiDigit(symbol) ||
      (IsLatinCapital(symbol) && symbol != "J" && symbol != "Q");
  return is_tall ? kXHeightInTall * height : 0;
}

class DashedLine {
 public:
  DashedLine(const text::Dictionary& dictionary, const LineText& line)
      : dictionary_(dictionary),
        marks_(line.text.marks),
        width_(line.width),
        height_(line.height) {}

  // Empty beside the line.
  std::string_view symbol(size_t i) const {
    return i < marks_.size() ? dictionary_.symbol(marks_[i].cls)
                             : std::string_view();
  }

  // False: the line does not tell, or all its characters are of one pitch.
  bool Measure() {
    std::vector<float> heights, distances;
    for (size_t i = 0; i < marks_.size(); ++i) {
      const text::CtcMark& mark = marks_[i];
      const float height =
          SmallHeight(symbol(i), (mark.bottom - mark.top) * height_);
      if (height > 0) heights.push_back(height);
      if (!IsAsciiLetterOrDigit(symbol(i)) ||
          !IsAsciiLetterOrDigit(symbol(i + 1)))
        continue;
      const text::CtcMark& next = marks_[i + 1];
      distances.push_back((next.left + next.right - mark.left - mark.right) /
                          2);
    }
    if (heights.size() < kMinMeasured || distances.empty()) return false;
    small_ = Median(heights);
    const float pitch = Median(distances);
    if (!(small_ > 0) || !(pitch > 0)) return false;
    float sum = 0;
    for (const float distance : distances)
      sum += std::abs(distance / pitch - 1);
    return sum >= kMinPitch * static_cast<float>(distances.size());
  }

  // The dash that the hyphen at `i` may be; empty if it is none.
  std::string_view DashFor(size_t i) const {
    const text::CtcMark& mark = marks_[i];
    const float width = (mark.right - mark.left) * width_ / small_;
    if (width < kMinDashWidth || DashShare(mark) < kMinDashShare) return {};
    const std::string_view before = i > 0 ? symbol(i - 1) : std::string_view();
    if (IsHyphen(before) || IsHyphen(symbol(i + 1)) || IsInLongNumber(i))
      return {};
    // Numbers are joined by en dashes.
    const bool joins_number =
        text::IsAsciiDigit(before) || text::IsAsciiDigit(symbol(i + 1));
    return width >= kEmWidth && !joins_number ? kEmDash : kEnDash;
  }

 private:
  // The share of dashes in what the network took the hyphen for.
  float DashShare(const text::CtcMark& mark) const {
    const float dashes = text::ProbabilityOfAny(
        mark, [&](int cls) { return IsDash(dictionary_.symbol(cls)); });
    const float all = mark.probability + dashes;
    return all > 0 ? dashes / all : 0;
  }

  // Digits and hyphens around `i` with more hyphens than that one.
  bool IsInLongNumber(size_t i) const {
    const auto is_part = [&](size_t at) {
      return text::IsAsciiDigit(symbol(at)) || IsHyphen(symbol(at));
    };
    size_t begin = i, end = i + 1;
    while (begin > 0 && is_part(begin - 1)) --begin;
    while (is_part(end)) ++end;
    size_t hyphens = 0;
    for (size_t at = begin; at < end; ++at) hyphens += IsHyphen(symbol(at));
    return hyphens > 1;
  }

  const text::Dictionary& dictionary_;
  const std::vector<text::CtcMark>& marks_;
  float width_, height_;  // Pixels.
  float small_ = 0;
};

}  // namespace

void CorrectDashes(const text::Dictionary& dictionary, const LineText& line) {
  if (line.text.text.find('-') == std::string::npos) return;
  DashedLine dashed(dictionary, line);
  if (!dashed.Measure()) return;
  std::vector<int> dashes(line.text.marks.size(), 0);
  for (size_t i = 0; i < dashes.size(); ++i)
    if (IsHyphen(dashed.symbol(i)))
      dashes[i] = dictionary.ClassOf(dashed.DashFor(i));
  text::ReplaceCharacters(dashes, dictionary, line.text);
}

}  // namespace munja::ocr
