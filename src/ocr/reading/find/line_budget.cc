#include "reading/find/line_budget.h"

#include <algorithm>
#include <numeric>

#include "reading/find/line_place.h"

namespace munja::ocr {

int64_t MaxColumns(int map_width, int map_height,
                   const RecognizerConfig& config) {
  // Pixels of the map: the lowest line, as its box has it, and from one to the
  // next.
  constexpr int64_t kHeight = 8, kPitch = 10;
  // A few lines in a small image may be as long as they like.
  constexpr int64_t kLeast = 1 << 17;
  const int64_t pixels = int64_t{map_width} * map_height;
  return std::max(kLeast, pixels * config.height / (kHeight * kPitch));
}

size_t KeepColumns(int64_t most, const RecognizerConfig& config,
                   std::vector<TextBox>* boxes) {
  std::vector<int64_t> columns;
  for (const TextBox& box : *boxes)
    columns.push_back(std::max(LineWidth(box.quad, config), config.min_width));
  if (std::accumulate(columns.begin(), columns.end(), int64_t{0}) <= most)
    return 0;
  std::vector<size_t> by_score(boxes->size());
  std::iota(by_score.begin(), by_score.end(), size_t{0});
  std::stable_sort(by_score.begin(), by_score.end(), [&](size_t a, size_t b) {
    return (*boxes)[a].score > (*boxes)[b].score;
  });
  std::vector<bool> stays(boxes->size());
  int64_t sum = 0;
  size_t kept = 0;
  for (const size_t i : by_score) {
    sum += columns[i];
    if (kept > 0 && sum > most) break;
    stays[i] = true;
    ++kept;
  }
  const size_t left_out = boxes->size() - kept;
  size_t i = 0;
  std::erase_if(*boxes, [&](const TextBox&) { return !stays[i++]; });
  return left_out;
}

}  // namespace munja::ocr
