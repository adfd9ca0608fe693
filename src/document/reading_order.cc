#include "document/reading_order.h"

#include <algorithm>
#include <utility>

#include "document/columns.h"
#include "document/rows.h"
#include "document/upright_boxes.h"

namespace munja::document {
namespace {

// White space above a line that begins a new block: in line heights, and
// compared with what is usual between the rows around it.
constexpr double kBlockGap = 0.9;
constexpr double kUnusualGap = 1.6;
// Columns inside columns, a few times; deeper there is no such layout.
constexpr int kMaxDepth = 6;
// A stretch of rows is tried as columns up to this many of the rows at which
// it may end, from the last one up.
constexpr size_t kMaxEnds = 6;
// So many rows in all are tried as columns, so that pages of thousands of boxes
// take no longer than they must.
constexpr size_t kMaxTriedRows = 50'000;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double MedianHeight(const std::vector<UprightBox>& boxes) {
  std::vector<double> heights;
  for (const UprightBox& box : boxes) heights.push_back(box.height());
  return Median(std::move(heights));
}

double MedianGap(const std::vector<Row>& rows) {
  std::vector<double> gaps;
  for (size_t i = 1; i < rows.size(); ++i)
    gaps.push_back(rows[i].top - rows[i - 1].bottom);
  return Median(std::move(gaps));
}

class Layout {
 public:
  explicit Layout(double line_height) : line_height_(line_height) {}

  void Read(const std::vector<UprightBox>& boxes, int depth) {
    const std::vector<Row> rows = GroupRows(boxes);
    const double block_gap =
        std::max(kBlockGap * line_height_, kUnusualGap * MedianGap(rows));
    for (size_t i = 0; i < rows.size();) {
      if (const size_t end = ReadStretch(rows, i, block_gap, depth); end > i) {
        i = end;
        continue;
      }
      if (i > 0 && Gap(rows, i) > block_gap) StartBlock();
      for (const UprightBox& box : rows[i].boxes) Place(box);
      ++i;
    }
  }

  std::vector<ReadingPlace> TakePlaces() { return std::move(places_); }

 private:
  // Reads the columns that begin with row `begin`; gives the row after them,
  // `begin` when there are none.
  size_t ReadStretch(const std::vector<Row>& rows, size_t begin,
                     double block_gap, int depth) {
    if (depth == kMaxDepth || tried_rows_ > kMaxTriedRows) return begin;
    for (const size_t end : Ends(rows, begin, block_gap)) {
      tried_rows_ += end - begin;
      if (ReadColumns(std::span(rows).subspan(begin, end - begin), depth))
        return end;
    }
    return begin;
  }

  // White space above row i, which is not the first.
  static double Gap(const std::vector<Row>& rows, size_t i) {
    return rows[i].top - rows[i - 1].bottom;
  }

  // The rows before which a stretch of columns from `begin` on may end,
  // the last one first: where the white space between their parts ends, and
  // before, where a row stands apart or brings in a part of its own, as the
  // number of a page does.
  std::vector<size_t> Ends(const std::vector<Row>& rows, size_t begin,
                           double block_gap) const {
    Coverage coverage(ColumnGap(line_height_));
    std::vector<size_t> ends;
    size_t parts = 0, end = begin;
    for (; end < rows.size(); ++end) {
      coverage.Add(rows[end]);
      const size_t now = coverage.parts().size();
      // Where the columns' rows are not level the first one stands alone.
      if (now < 2 && end > begin) break;
      if (parts > 1 && (now != parts || Gap(rows, end) > block_gap))
        ends.push_back(end);
      parts = now;
    }
    // A single row that stands apart below one of the columns is no part of it.
    const bool has_foot = !ends.empty() && ends.back() + 1 == end &&
                          rows[ends.back()].boxes.size() == 1;
    if (parts > 1 && !has_foot) ends.push_back(end);
    std::reverse(ends.begin(), ends.end());
    if (ends.size() > kMaxEnds) ends.resize(kMaxEnds);
    return ends;
  }

  bool ReadColumns(std::span<const Row> rows, int depth) {
    const auto columns = SplitColumns(rows, line_height_);
    if (columns.size() < 2) return false;
    for (const auto& column : columns) {
      StartBlock();
      Read(column, depth + 1);
    }
    StartBlock();
    return true;
  }

  void StartBlock() { starts_block_ = true; }
  void Place(const UprightBox& box) {
    if (starts_block_ && !places_.empty()) ++block_;
    starts_block_ = false;
    places_.push_back({box.index, block_});
  }

  double line_height_;
  size_t tried_rows_ = 0;
  bool starts_block_ = false;
  int block_ = 0;
  std::vector<ReadingPlace> places_;
};

}  // namespace

std::vector<ReadingPlace> ReadingLayout(std::span<const geometry::Quad> quads) {
  const std::vector<UprightBox> boxes = UprightBoxes(quads);
  Layout layout(MedianHeight(boxes));
  layout.Read(boxes, 0);
  return layout.TakePlaces();
}

std::vector<size_t> ReadingOrder(std::span<const geometry::Quad> quads) {
  std::vector<size_t> order;
  order.reserve(quads.size());
  for (const ReadingPlace& place : ReadingLayout(quads))
    order.push_back(place.index);
  return order;
}

}  // namespace munja::document
