// Rows of boxes that stand side by side.
#ifndef MUNJA_DOCUMENT_ROWS_H_
#define MUNJA_DOCUMENT_ROWS_H_

#include <span>
#include <vector>

#include "document/upright_boxes.h"

namespace munja::document {

struct Row {
  std::vector<UprightBox> boxes;  // From left to right.
  double left = 0, right = 0, top = 0, bottom = 0;
  double middle = 0;  // Mean of the boxes.
};

// `boxes` in the order of IsAbove(). A box belongs to the row with whose
// nearest box it shares most of its height; boxes one above the other are
// never one row. Rows from top to bottom.
std::vector<Row> GroupRows(std::span<const UprightBox> boxes);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_ROWS_H_
