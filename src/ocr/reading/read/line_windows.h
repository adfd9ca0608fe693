// Long lines are read in overlapping windows, never squashed.
#ifndef MUNJA_READING_READ_LINE_WINDOWS_H_
#define MUNJA_READING_READ_LINE_WINDOWS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "text/ctc.h"

namespace munja::ocr {

struct Window {
  int begin = 0, end = 0;  // Columns of the line, [begin, end).
  friend bool operator==(const Window&, const Window&) = default;
};

// Covers [0, width) with windows of at most max_width columns, neighbors
// overlapping by at least `overlap`. Every window starts at a multiple of
// `multiple`, and all but the last end at one, so that output steps of
// neighbors fall on the same columns. A line that fits is one window.
// 0 < overlap < max_width; max_width and overlap are multiples of `multiple`.
std::vector<Window> SplitLine(int width, int max_width, int overlap,
                              int multiple);

// Appends the steps of the next window to those read so far. `next_begin` is
// the step of the line at which `next` starts; both cover the steps from there
// to the end of `steps`. The seam is put where both read a blank, as near to
// the middle of the overlap as possible, so that no character is cut or
// doubled; without such a place, in the middle.
void StitchSteps(std::span<const text::CtcStep> next, size_t next_begin,
                 std::vector<text::CtcStep>& steps);

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_LINE_WINDOWS_H_
