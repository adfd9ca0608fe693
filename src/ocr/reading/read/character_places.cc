#include "reading/read/character_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "image/gray.h"
#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

// Ink differs from the paper by this part of the line's contrast, at least by
// so many levels.
constexpr float kInkContrast = 0.4f;
constexpr int kMinContrast = 16;
// The share of a line's pixels at both ends of its levels that may be specks.
constexpr float kSpecks = 0.02f;
// In line heights: how far the first and the last character of a line reach
// from where they were read, and the white space that ends them.
constexpr float kReach = 0.9f;
constexpr float kEndGap = 0.35f;
// White space between the parts of a character one above the other, as a letter
// and its accent; what is further is of another line.
constexpr float kPartsGap = 0.14f;

}  // namespace

CharacterPlaces::CharacterPlaces(const text::Dictionary& dictionary) {
  is_space_.resize(static_cast<size_t>(dictionary.classes()));
  for (int cls = 0; cls < dictionary.classes(); ++cls) {
    std::string_view symbol = dictionary.symbol(cls);
    is_space_[static_cast<size_t>(cls)] =
        !symbol.empty() && text::IsWhiteSpace(text::NextCodePoint(symbol));
  }
}

// False: no ink can be told from the paper.
bool CharacterPlaces::FindInk(const image::ImageView& line) {
  const auto width = static_cast<size_t>(line.width);
  const auto height = static_cast<size_t>(line.height);
  is_ink_.resize(width * height);
  columns_.assign(width, 0);
  for (size_t y = 0; y < height; ++y)
    image::ToGray(line.row(static_cast<int>(y)), width,
                  is_ink_.data() + y * width);
  std::array<uint32_t, 256> counts{};
  image::CountLevels(is_ink_, counts);
  const size_t all = width * height;
  const auto specks = static_cast<size_t>(kSpecks * static_cast<float>(all));
  const int low = image::LevelOfRank(counts, specks),
            high = image::LevelOfRank(counts, all - 1 - specks);
  const int contrast = high - low;
  if (contrast < kMinContrast) return false;
  // There is more paper than ink.
  const int middle = (low + high) / 2;
  size_t dark = 0;
  for (int level = 0; level <= middle; ++level)
    dark += counts[static_cast<size_t>(level)];
  const bool is_dark_ink = 2 * dark <= all;
  const auto least =
      static_cast<int>(kInkContrast * static_cast<float>(contrast));
  // Levels from `first` to `last` are ink.
  const auto first = static_cast<uint8_t>(is_dark_ink ? 0 : low + least + 1);
  const auto last = static_cast<uint8_t>(is_dark_ink ? high - least - 1 : 255);
  const auto length = static_cast<uint8_t>(last - first);
  uint8_t* pixel = is_ink_.data();
  uint16_t* const columns = columns_.data();
  for (size_t y = 0; y < height; ++y, pixel += width) {
    for (size_t x = 0; x < width; ++x)
      pixel[x] = static_cast<uint8_t>(pixel[x] - first) <= length ? 1 : 0;
    for (size_t x = 0; x < width; ++x)
      columns[x] = static_cast<uint16_t>(columns[x] + pixel[x]);
  }
  return true;
}

// Where one character ends and the next begins: the column between their
// middles with the least ink; of equal ones that nearest to the middle of both.
int CharacterPlaces::Boundary(int left_middle, int right_middle) const {
  const int middle = (left_middle + right_middle) / 2;
  int best = middle, least = 1 << 30;
  for (int x = left_middle; x <= right_middle; ++x) {
    const int ink = x < static_cast<int>(columns_.size())
                        ? columns_[static_cast<size_t>(x)]
                        : 0;
    const int cost = 4 * ink + std::abs(x - middle);
    if (cost >= least) continue;
    least = cost;
    best = x;
  }
  return best;
}

CharacterPlaces::Gap CharacterPlaces::WidestGap(int begin, int end) const {
  Gap widest = {begin, begin};
  int from = begin;
  for (int x = begin; x < end; ++x) {
    if (columns_[static_cast<size_t>(x)] > 0) from = x + 1;
    if (x + 1 - from > widest.end - widest.begin) widest = {from, x + 1};
  }
  return widest;
}

void CharacterPlaces::FitToInk(const image::ImageView& line,
                               text::CtcMark* mark, int left, int right) const {
  const int width = line.width, height = line.height;
  const auto ink_in = [&](int x) {
    return columns_[static_cast<size_t>(x)] > 0;
  };
  int first = left, last = right;
  while (first < last && !ink_in(first)) ++first;
  while (last > first && !ink_in(last - 1)) --last;
  if (first == last) {
    first = left;
    last = std::max(right, left + 1);
  }
  const auto has_ink = [&](int y) {
    const auto begin = is_ink_.begin() + static_cast<ptrdiff_t>(y) * width;
    return std::any_of(begin + first, begin + last,
                       [](uint8_t ink) { return ink != 0; });
  };
  // From the middle of the line up and down.
  const int reach = static_cast<int>(kPartsGap * static_cast<float>(height));
  int top = height, bottom = 0;
  for (int y = height / 4; y < height - height / 4; ++y) {
    if (!has_ink(y)) continue;
    top = std::min(top, y);
    bottom = y + 1;
  }
  if (bottom == 0) {  // A quote, a point, a line below.
    for (int y = 0; y < height; ++y) {
      if (!has_ink(y)) continue;
      top = std::min(top, y);
      bottom = y + 1;
    }
  } else {
    for (int y = top - 1; y >= 0 && y >= top - 1 - reach; --y)
      if (has_ink(y)) top = y;
    for (int y = bottom; y < height && y <= bottom + reach; ++y)
      if (has_ink(y)) bottom = y + 1;
  }
  if (bottom <= top) {
    top = 0;
    bottom = height;
  }
  mark->left = static_cast<float>(first);
  mark->right = static_cast<float>(last);
  mark->top = static_cast<float>(top);
  mark->bottom = static_cast<float>(bottom);
}

void CharacterPlaces::Find(const image::ImageView& line, int columns_per_step,
                           std::span<text::CtcMark> marks) {
  if (line.width <= 0 || line.height <= 0 || marks.empty()) return;
  const bool has_ink = FindInk(line);
  const int width = line.width;
  const auto is_space = [&](const text::CtcMark& mark) {
    const auto cls = static_cast<size_t>(mark.cls);
    return cls < is_space_.size() && is_space_[cls];
  };
  // Bounds of the characters that are no spaces, two of each.
  middles_.clear();
  bounds_.clear();
  for (const text::CtcMark& mark : marks) {
    if (is_space(mark)) continue;
    const auto middle =
        static_cast<int>(mark.begin + mark.end) * columns_per_step / 2;
    middles_.push_back(std::clamp(middle, 0, width - 1));
  }
  const auto end_of_line = [&](int middle, int step) {
    const float height = static_cast<float>(line.height);
    const int reach = static_cast<int>(kReach * height);
    const int gap = static_cast<int>(kEndGap * height);
    int end = middle, empty = 0;
    bool seen = false;
    for (int x = middle; x >= 0 && x < width && std::abs(x - middle) < reach;
         x += step) {
      const bool ink = has_ink && columns_[static_cast<size_t>(x)] > 0;
      empty = ink ? 0 : empty + 1;
      seen = seen || ink;
      if (ink) end = x;
      if (seen && empty > gap) break;
    }
    return step < 0 ? end : end + 1;
  };
  size_t character = 0;
  bool has_space = false;
  for (const text::CtcMark& mark : marks) {
    if (is_space(mark)) {
      has_space = true;
      continue;
    }
    const int middle = middles_[character];
    if (character == 0) {
      bounds_.push_back(end_of_line(middle, -1));
    } else {
      const int before = middles_[character - 1];
      const Gap gap = has_space && has_ink ? WidestGap(before, middle)
                                           : Gap{before, before};
      if (gap.end > gap.begin) {
        bounds_.push_back(gap.begin);
        bounds_.push_back(gap.end);
      } else {
        const int bound = Boundary(before, middle);
        bounds_.insert(bounds_.end(), {bound, bound});
      }
    }
    has_space = false;
    ++character;
  }
  if (character > 0) bounds_.push_back(end_of_line(middles_.back(), 1));
  character = 0;
  for (text::CtcMark& mark : marks) {
    if (is_space(mark)) continue;
    const int left = std::clamp(bounds_[2 * character], 0, width - 1);
    const int right = std::clamp(bounds_[2 * character + 1], left + 1, width);
    if (has_ink) {
      FitToInk(line, &mark, left, right);
    } else {
      mark.left = static_cast<float>(left);
      mark.right = static_cast<float>(right);
      mark.top = 0;
      mark.bottom = static_cast<float>(line.height);
    }
    ++character;
  }
  // Spaces share what is between the words beside them.
  for (size_t i = 0; i < marks.size();) {
    if (!is_space(marks[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < marks.size() && is_space(marks[end])) ++end;
    const text::CtcMark* const before = i > 0 ? &marks[i - 1] : nullptr;
    const text::CtcMark* const behind =
        end < marks.size() ? &marks[end] : nullptr;
    const float left = before != nullptr ? before->right : 0;
    const float right =
        behind != nullptr ? behind->left : static_cast<float>(width);
    const text::CtcMark* const beside = before != nullptr ? before : behind;
    const float each =
        std::max(right - left, 0.0f) / static_cast<float>(end - i);
    for (size_t k = i; k < end; ++k) {
      marks[k].left = left + static_cast<float>(k - i) * each;
      marks[k].right = marks[k].left + each;
      marks[k].top = beside != nullptr ? beside->top : 0;
      marks[k].bottom =
          beside != nullptr ? beside->bottom : static_cast<float>(line.height);
    }
    i = end;
  }
  const float across = 1.0f / static_cast<float>(width);
  const float down = 1.0f / static_cast<float>(line.height);
  for (text::CtcMark& mark : marks) {
    mark.left *= across;
    mark.right *= across;
    mark.top *= down;
    mark.bottom *= down;
  }
}

void PlaceInBox(const geometry::Quad& cut, float growth,
                std::span<text::CtcMark> marks) {
  const float across = geometry::Length(cut[1] - cut[0]);
  const float down = geometry::Length(cut[3] - cut[0]);
  const float width = across - 2 * growth, height = down - 2 * growth;
  if (!(width > 0) || !(height > 0)) return;
  for (text::CtcMark& mark : marks) {
    mark.left = (mark.left * across - growth) / width;
    mark.right = (mark.right * across - growth) / width;
    mark.top = (mark.top * down - growth) / height;
    mark.bottom = (mark.bottom * down - growth) / height;
  }
}

}  // namespace munja::ocr
