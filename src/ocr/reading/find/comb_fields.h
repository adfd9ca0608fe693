// Comb fields of forms: a box, or the room between two ticks, for each
// character.
#ifndef MUNJA_READING_FIND_COMB_FIELDS_H_
#define MUNJA_READING_FIND_COMB_FIELDS_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "geometry/rect.h"
#include "image/image.h"
#include "reading/find/boxes.h"

namespace munja::ocr {

// In page pixels.
struct CombField {
  // From the first cell with ink to the last one, as high as the ink.
  geometry::Rect<int> bounds;
  // The ink of each cell that has any, from left to right, and how many empty
  // ones lie before it.
  struct Cell {
    int left = 0, right = 0;
    int empty_before = 0;
  };
  std::vector<Cell> cells;
};

// The fields that lie level in the page around these boxes: four cells and more
// of one width on a rule, alone in their row and column, with one character at
// most in nearly all of them.
std::vector<CombField> FindCombFields(const image::ImageView& page,
                                      std::span<const TextBox> boxes);

// A field as a line of print: its characters side by side, without the rules.
struct CombLine {
  image::Image pixels;
  std::vector<int> starts;  // Where the ink of each cell starts.
};
// kOutOfMemory.
Result<CombLine> DrawCombLine(const image::ImageView& page,
                              const CombField& field);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_COMB_FIELDS_H_
