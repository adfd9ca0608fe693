// Boxes of a page after deskewing.
#ifndef MUNJA_DOCUMENT_UPRIGHT_BOXES_H_
#define MUNJA_DOCUMENT_UPRIGHT_BOXES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "geometry/quad.h"

namespace munja::document {

struct UprightBox {
  size_t index = 0;  // Index of the quad.
  double left = 0, right = 0, top = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
  double middle() const { return (top + bottom) / 2; }
};

// By height on the page, then from the left. A strict weak ordering; of boxes
// that coincide the first given comes first.
bool IsAbove(const UprightBox& a, const UprightBox& b);
bool IsLeftOf(const UprightBox& a, const UprightBox& b);

// One box for each quad, in the order of IsAbove(): the page is turned back by
// the angle that most of the text has; where most of it is vertical, columns
// from right to left become rows from top to bottom.
std::vector<UprightBox> UprightBoxes(std::span<const geometry::Quad> quads);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_UPRIGHT_BOXES_H_
