#include "reading/read/line_windows.h"

#include <algorithm>

namespace munja::ocr {

std::vector<Window> SplitLine(int width, int max_width, int overlap,
                              int multiple) {
  if (width <= max_width) return {{0, width}};
  // As few windows as possible, all of nearly the same length: a last one of
  // a few columns would be read out of all context.
  const int advance_limit = max_width - overlap;
  const int count = (width - overlap + advance_limit - 1) / advance_limit;
  const int even = (width - overlap + count - 1) / count;
  const int advance =
      std::min((even + multiple - 1) / multiple * multiple, advance_limit);
  std::vector<Window> windows;
  for (int begin = 0;; begin += advance) {
    const int end = std::min(begin + advance + overlap, width);
    windows.push_back({begin, end});
    if (end == width) return windows;
  }
}

void StitchSteps(std::span<const text::CtcStep> next, size_t next_begin,
                 std::vector<text::CtcStep>& steps) {
  const size_t shared_end = std::min(steps.size(), next_begin + next.size());
  const size_t shared = shared_end > next_begin ? shared_end - next_begin : 0;
  const size_t middle = next_begin + shared / 2;
  size_t seam = middle;
  for (size_t distance = 0; distance <= shared; ++distance) {
    const auto is_blank = [&](size_t step) {
      return step >= next_begin && step < shared_end && steps[step].cls == 0 &&
             next[step - next_begin].cls == 0;
    };
    if (distance <= middle && is_blank(middle - distance)) {
      seam = middle - distance;
      break;
    }
    if (is_blank(middle + distance)) {
      seam = middle + distance;
      break;
    }
  }
  steps.resize(std::min(seam, steps.size()));
  const size_t skip = seam > next_begin ? seam - next_begin : 0;
  if (skip < next.size())
    steps.insert(steps.end(), next.begin() + skip, next.end());
}

}  // namespace munja::ocr
