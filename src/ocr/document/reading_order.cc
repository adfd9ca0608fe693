#include "document/reading_order.h"

#include <algorithm>
#include <utility>

#include "base/median.h"
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

// An inset shares so much of its height, or of the other's, with boxes that
// stand beside it; these are looked for in so many rows above and below.
constexpr double kBeside = 0.3;
constexpr size_t kRowsBeside = 2;

// Minimum height of a headline relative to the usual one, and the rows below
// that show what it heads.
constexpr double kHeadline = 1.35;
constexpr size_t kRowsBelowHeadline = 4;

double MedianHeight(const std::vector<UprightBox>& boxes) {
  std::vector<double> heights;
  for (const UprightBox& box : boxes) heights.push_back(box.height());
  return Median(heights);
}

double MedianGap(const std::vector<Row>& rows) {
  std::vector<double> gaps;
  for (size_t i = 1; i < rows.size(); ++i)
    gaps.push_back(rows[i].top - rows[i - 1].bottom);
  return Median(gaps);
}

class Layout {
 public:
  explicit Layout(double line_height) : line_height_(line_height) {}

  void Read(const std::vector<UprightBox>& boxes, int depth) {
    const std::vector<Row> rows = GroupRows(boxes);
    const double block_gap =
        std::max(kBlockGap * line_height_, kUnusualGap * MedianGap(rows));
    // Rows before this one were no columns with those above them: without
    // these, which is often by chance, they do not become any, unless there are
    // more parts then.
    size_t refused_to = 0, refused_parts = 0;
    for (size_t i = 0; i < rows.size();) {
      const bool is_apart = i > 0 && Gap(rows, i) > block_gap;
      if (i >= refused_to) refused_parts = 0;
      const Candidates candidates = FindColumns(rows, i, block_gap, depth);
      const size_t parts =
          candidates.stretches.empty() ? 0 : candidates.stretches[0].parts;
      if (parts > 0 && (is_apart || parts > refused_parts)) {
        if (const size_t end = ReadFirst(rows, i, candidates, depth); end > i) {
          i = end;
          continue;
        }
        refused_to = candidates.stretches[0].end;
        refused_parts = parts;
      }
      if (is_apart) StartBlock();
      for (const UprightBox& box : rows[i].boxes) Place(box);
      ++row_;
      ++i;
    }
  }

  std::vector<ReadingPlace> TakePlaces() { return std::move(places_); }

 private:
  // Rows that may be columns, and how many of the insets lie in them.
  struct Stretch {
    size_t end = 0, parts = 0, insets = 0;
  };
  struct Candidates {
    std::vector<Stretch> stretches;  // The longest first.
    // Boxes across the white space between the columns, which give way to them.
    std::vector<UprightBox> insets;
  };

  // Reads the columns that begin with row `begin`; gives the row after them,
  // `begin` when there are none.
  size_t ReadFirst(const std::vector<Row>& rows, size_t begin,
                   const Candidates& candidates, int depth) {
    for (const Stretch& stretch : candidates.stretches) {
      tried_rows_ += stretch.end - begin;
      if (ReadColumns(std::span(rows).subspan(begin, stretch.end - begin),
                      std::span(candidates.insets).first(stretch.insets),
                      depth)) {
        return stretch.end;
      }
    }
    return begin;
  }

  // White space above row i, which is not the first.
  static double Gap(const std::vector<Row>& rows, size_t i) {
    return rows[i].top - rows[i - 1].bottom;
  }

  // Stretches of columns that may begin with row `begin`: up to where the white
  // space between their parts ends, and before, to where a row stands apart or
  // brings in a part of its own, as the number of a page does.
  Candidates FindColumns(const std::vector<Row>& rows, size_t begin,
                         double block_gap, int depth) const {
    Candidates found;
    if (depth == kMaxDepth || tried_rows_ > kMaxTriedRows) return found;
    Coverage coverage(ColumnGap(line_height_));
    std::vector<Stretch>& stretches = found.stretches;
    size_t parts = 0, end = begin;
    bool is_ended = false;
    for (; end < rows.size(); ++end) {
      const size_t before = found.insets.size();
      AddRow(rows, end, &coverage, &found.insets);
      const size_t now = coverage.parts().size();
      // Where the columns' rows are not level the first one stands alone.
      if (now < 2 && end > begin) break;
      if (parts > 1 && found.insets.size() == before) {
        const bool is_apart = Gap(rows, end) > block_gap;
        if (now != parts || is_apart) stretches.push_back({end, parts, before});
        is_ended = is_apart && IsHeadlineOfMore(rows, end, coverage);
        if (is_ended) break;
      }
      parts = now;
    }
    // A single row that stands apart below one of the columns is no part of it.
    const bool has_foot = !stretches.empty() &&
                          stretches.back().end + 1 == end &&
                          rows[stretches.back().end].boxes.size() == 1;
    if (parts > 1 && !has_foot && !is_ended)
      stretches.push_back({end, parts, found.insets.size()});
    std::reverse(stretches.begin(), stretches.end());
    if (stretches.size() > kMaxEnds) stretches.resize(kMaxEnds);
    return found;
  }

  // Whether row i is a headline above one of the parts that others, too, go on
  // below.
  bool IsHeadlineOfMore(const std::vector<Row>& rows, size_t i,
                        const Coverage& coverage) const {
    const Row& row = rows[i];
    if (row.boxes.size() != 1 ||
        row.boxes[0].height() < kHeadline * line_height_) {
      return false;
    }
    const size_t last = std::min(i + kRowsBelowHeadline + 1, rows.size());
    for (size_t k = i + 1; k < last; ++k) {
      const Interval span = coverage.PartAt(row.boxes[0]);
      for (const UprightBox& box : rows[k].boxes)
        if (box.left > span.end || box.right < span.begin) return true;
    }
    return false;
  }

  // Adds a row to what columns cover, but for the insets in it.
  static void AddRow(const std::vector<Row>& rows, size_t i, Coverage* coverage,
                     std::vector<UprightBox>* insets) {
    for (const UprightBox& box : rows[i].boxes) {
      if (coverage->PartsReached(box) > 1 && IsBetween(rows, i, box)) {
        insets->push_back(box);
      } else {
        coverage->Add(box);
      }
    }
  }

  // Whether other boxes stand on both sides of a box of row i.
  static bool IsBetween(const std::vector<Row>& rows, size_t i,
                        const UprightBox& box) {
    bool is_left = false, is_right = false;
    const size_t first = i > kRowsBeside ? i - kRowsBeside : 0;
    const size_t last = std::min(i + kRowsBeside + 1, rows.size());
    for (size_t k = first; k < last; ++k) {
      for (const UprightBox& other : rows[k].boxes) {
        const double shared =
            std::min(box.bottom, other.bottom) - std::max(box.top, other.top);
        if (shared < kBeside * std::min(box.height(), other.height())) continue;
        is_left |= other.right <= box.left;
        is_right |= other.left >= box.right;
      }
    }
    return is_left && is_right;
  }

  bool ReadColumns(std::span<const Row> rows, std::span<const UprightBox> among,
                   int depth) {
    std::vector<UprightBox> insets(among.begin(), among.end());
    std::sort(insets.begin(), insets.end(), IsAbove);
    const auto columns = SplitColumns(rows, insets, line_height_);
    if (columns.size() < 2) return false;
    for (const auto& column : columns) {
      StartBlock();
      Read(column, depth + 1);
    }
    if (!insets.empty()) {
      StartBlock();
      Read(insets, depth + 1);
    }
    StartBlock();
    return true;
  }

  void StartBlock() { starts_block_ = true; }
  void Place(const UprightBox& box) {
    if (starts_block_ && !places_.empty()) ++block_;
    starts_block_ = false;
    places_.push_back({box.index, block_, row_});
  }

  double line_height_;
  size_t tried_rows_ = 0;
  bool starts_block_ = false;
  int block_ = 0, row_ = 0;
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
