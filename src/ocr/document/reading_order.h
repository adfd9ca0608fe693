// The order in which a person reads boxes on a page.
#ifndef MUNJA_DOCUMENT_READING_ORDER_H_
#define MUNJA_DOCUMENT_READING_ORDER_H_

#include <cstddef>
#include <span>
#include <vector>

#include "geometry/quad.h"

namespace munja::document {

// One box in its place.
struct ReadingPlace {
  size_t index = 0;  // Index of the quad.
  // Grows from 0 on wherever a column or, after a gap, a paragraph begins.
  int block = 0;
  // The same for boxes side by side that are read one after the other; grows
  // from 0 on.
  int row = 0;
};

// The boxes of lines or words in reading order, each once. Boxes side by side
// are a row and read from left to right, the amount of a receipt after its
// item; but columns of running text are read one after the other, as far as
// the white space between them reaches. A page that is turned by less than 45
// degrees, and vertical lines from right to left, are read as if upright.
// Depends on the geometry only, not on the order in which the boxes are given
// (but for boxes that coincide).
std::vector<ReadingPlace> ReadingLayout(std::span<const geometry::Quad> quads);

// The same without blocks: indices of `quads`.
std::vector<size_t> ReadingOrder(std::span<const geometry::Quad> quads);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_READING_ORDER_H_
