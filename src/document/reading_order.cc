#include "document/reading_order.h"

#include <algorithm>
#include <utility>

#include "document/columns.h"
#include "document/rows.h"
#include "document/upright_boxes.h"

namespace munja::document {
namespace {

// White space above a line that begins a new block, in line heights.
constexpr double kBlockGap = 0.9;
// Columns inside columns, a few times; deeper there is no such layout.
constexpr int kMaxDepth = 6;
// How many stretches of rows without columns are looked at again from a later
// row on, so that pages of thousands of boxes take no longer than they must.
constexpr int kMaxRetries = 64;

double MedianHeight(const std::vector<UprightBox>& boxes) {
  std::vector<double> heights;
  for (const UprightBox& box : boxes) heights.push_back(box.height());
  if (heights.empty()) return 0;
  const auto middle =
      heights.begin() + static_cast<ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

class Layout {
 public:
  explicit Layout(double line_height) : line_height_(line_height) {}

  void Read(const std::vector<UprightBox>& boxes, int depth) {
    const std::vector<Row> rows = GroupRows(boxes);
    int retries = 0;
    size_t rejected_end = 0;
    for (size_t i = 0; i < rows.size();) {
      const bool is_after_gap = i == 0 || IsApart(rows, i);
      if (depth < kMaxDepth && (i == 0 || is_after_gap || i >= rejected_end ||
                                retries < kMaxRetries)) {
        const size_t end = EndOfGap(rows, i);
        if (end > i) {
          ++retries;
          if (ReadColumns(std::span(rows).subspan(i, end - i), depth)) {
            i = end;
            continue;
          }
          rejected_end = end;
        }
      }
      if (is_after_gap) StartBlock();
      for (const UprightBox& box : rows[i].boxes) Place(box);
      ++i;
    }
  }

  std::vector<ReadingPlace> TakePlaces() { return std::move(places_); }

 private:
  // True when the row before `i` ends far above it.
  bool IsApart(const std::vector<Row>& rows, size_t i) const {
    return rows[i].top - rows[i - 1].bottom > kBlockGap * line_height_;
  }

  // The longest stretch of rows from `begin` on that have white space between
  // parts in common; `begin` when there is none.
  size_t EndOfGap(const std::vector<Row>& rows, size_t begin) const {
    Coverage coverage(ColumnGap(line_height_));
    size_t end = begin;
    for (size_t i = begin; i < rows.size(); ++i) {
      coverage.Add(rows[i]);
      const bool has_gap = coverage.parts().size() > 1;
      // Where the columns' rows are not level the first one stands alone.
      if (!has_gap && i > begin) break;
      if (has_gap) end = i + 1;
    }
    return end;
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
