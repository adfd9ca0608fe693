// For tests: images of lines and what a network reads in them.
#ifndef MUNJA_READING_READ_DRAWN_LINE_H_
#define MUNJA_READING_READ_DRAWN_LINE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/image.h"
#include "reading/correct/testing.h"
#include "text/ctc.h"
#include "text/dictionary.h"
#include "text/utf8.h"

namespace munja::ocr {

inline constexpr int kCropHeight = 48, kStepWidth = 8;

inline text::Dictionary DrawnSymbols(bool use_space = true) {
  std::string lines;
  for (char c = '!'; c <= '~'; ++c) lines += std::string(1, c) + "\n";
  for (const char* other : {"가", "나", "漢", "字", "П", "Ω"})
    lines += std::string(other) + "\n";
  return text::Dictionary::Parse(lines, use_space).value();
}

// A line and what a network reads in it. In `text` a "_" is a wide gap of the
// image for which nothing is printed, a space one that is printed, a "~" a
// space that is printed where the image shows no gap, a "^" the sign "_".
struct DrawnLine {
  image::Image picture;
  std::vector<text::CtcStep> steps;
};

struct DrawnLook {
  uint8_t paper = 255, ink = 0;
  int character = 20, gap = 4, wide = 28;  // Columns.
  int height = kCropHeight;
  int one = 0;  // Columns of a 1, at the left of its place; 0: as all others.
  // Probability of a space in the middle of a wide gap where the network
  // printed none; below 0: it tells nothing but the best class of each step.
  float share = -1;
};

inline DrawnLine DrawLine(const text::Dictionary& dictionary,
                          std::string_view text, const DrawnLook& look = {}) {
  DrawnLine line;
  std::vector<int> begins;
  std::vector<std::string> symbols;
  int x = 8;
  std::vector<std::pair<int, int>> spaces, unprinted;
  for (const char32_t c : text::DecodeUtf8(text)) {
    if (c == U'~') {
      spaces.emplace_back(x - look.gap, x);
      continue;
    }
    if (c == U'_' || c == U' ') {
      (c == U' ' ? spaces : unprinted)
          .emplace_back(x - look.gap, x + look.wide - look.gap);
      x += look.wide - look.gap;
      continue;
    }
    begins.push_back(x);
    symbols.emplace_back();
    text::AppendUtf8(c == U'^' ? U'_' : c, symbols.back());
    x += look.character + look.gap;
  }
  const int steps = (x + 8) / kStepWidth + 1;
  line.picture = image::Image::Create(steps * kStepWidth, look.height).value();
  for (int y = 0; y < look.height; ++y)
    std::fill_n(line.picture.row(y), line.picture.stride(), look.paper);
  line.steps.assign(static_cast<size_t>(steps), {0, 0.99f});
  const auto at = [&](int begin, int end) -> text::CtcStep& {
    return line.steps[static_cast<size_t>((begin + end) / 2 / kStepWidth)];
  };
  for (size_t i = 0; i < begins.size(); ++i) {
    for (int y = 10; y < 38; ++y)
      std::fill_n(
          line.picture.row(y) + 3 * begins[i],
          3 * (look.one > 0 && symbols[i] == "1" ? look.one : look.character),
          look.ink);
    at(begins[i], begins[i] + look.character) = {
        ClassOf(dictionary, symbols[i]), 0.9f};
  }
  if (look.share >= 0) {
    for (text::CtcStep& step : line.steps)
      step.others[0] = {ClassOf(dictionary, "!"), 1e-3f};
    for (const auto& [begin, end] : unprinted)
      at(begin, end).others[1] = {ClassOf(dictionary, " "), look.share};
  }
  for (const auto& [begin, end] : spaces)
    at(begin, end) = {ClassOf(dictionary, " "), 0.8f};
  return line;
}

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_DRAWN_LINE_H_
