// Stacks: tall boxes that may be short lines one below the other, such as the
// cells of a narrow column, rather than one line on its side.
#ifndef MUNJA_READING_ORIENT_STACKS_H_
#define MUNJA_READING_ORIENT_STACKS_H_

#include <vector>

#include "base/status.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "reading/read/cropper.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// The short lines that may run across a box.
struct Stack {
  // From where the box's line starts to where it ends, clockwise. Each starts
  // where it does if these lines are read with the line's start at their top.
  std::vector<geometry::Quad> cells;
  // Whether the gaps between them are wider than those between the letters of
  // a line.
  bool is_spaced = false;
};
Stack StackIn(const LineImage& line);

// Tall lines, which are read, become the short lines that they are a stack of
// where these are read better, and narrow letters stand as the lines around
// them do. `lines` are in reading order, and are so again.
Status SplitStacks(LineReaders& readers, const image::ImageView& page,
                   std::vector<PageLine>* lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_STACKS_H_
