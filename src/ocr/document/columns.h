// Columns of running text, told apart from tables.
#ifndef MUNJA_DOCUMENT_COLUMNS_H_
#define MUNJA_DOCUMENT_COLUMNS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "document/rows.h"

namespace munja::document {

// A part of the width of a page.
struct Interval {
  double begin = 0, end = 0;
};

// The parts of the page's width that rows cover; parts with less than `gap`
// between them count as one.
class Coverage {
 public:
  explicit Coverage(double gap) : gap_(gap) {}
  void Add(const UprightBox& box);
  // How many of the parts the box reaches into, by a gap at least.
  size_t PartsReached(const UprightBox& box) const;
  // The part that holds a box.
  Interval PartAt(const UprightBox& box) const;
  // From left to right.
  const std::vector<Interval>& parts() const { return parts_; }

 private:
  double gap_;
  std::vector<Interval> parts_;
};

// The boxes of `rows`, divided where the white space between two parts of
// their common coverage separates columns that are read one after the other:
// running text stands on both sides, or the rows of the two sides do not fit
// together. One list where there are no columns. Each in IsAbove() order.
// `left_out`, in that order too, are boxes of the rows that belong to none.
// `line_height` is the usual one of the page.
std::vector<std::vector<UprightBox>> SplitColumns(
    std::span<const Row> rows, std::span<const UprightBox> left_out,
    double line_height);

// The least white space between columns.
double ColumnGap(double line_height);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_COLUMNS_H_
