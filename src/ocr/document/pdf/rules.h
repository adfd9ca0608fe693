// Where readers that sort text by its place need help to find its order.
#ifndef MUNJA_DOCUMENT_PDF_RULES_H_
#define MUNJA_DOCUMENT_PDF_RULES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "geometry/rect.h"

namespace munja::document::pdf {

// Upright: x goes along the lines, y down the page.
using TextBox = geometry::Rect<double>;

// A strip of nothing that parts what is before it from what comes after it.
struct Rule {
  size_t before = 0;  // Comes in front of this box.
  TextBox box;
};

// Readers follow the rule of T. M. Breuel, "High Performance Document Layout
// Analysis" (2003): of two boxes above each other the upper one comes first; of
// two others the left one, unless a third lies above one and below the other.
// So a row that begins on the left, under the end of the row before, is taken
// for a column, and one beside an empty place in the next column may be taken
// for a part of that. Rules across and down the page are such thirds. `boxes`
// in reading order, inside of `page`.
std::vector<Rule> RulesBetween(std::span<const TextBox> boxes,
                               const TextBox& page);

// By how much the sizes of their text are to be changed, so that neighbors
// differ: readers join what is of one size, above each other or nearly beside
// each other, before they look for an order.
std::vector<double> SizesApart(std::span<const TextBox> boxes);

}  // namespace munja::document::pdf

#endif  // MUNJA_DOCUMENT_PDF_RULES_H_
