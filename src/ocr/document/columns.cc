#include "document/columns.h"

#include <algorithm>
#include <cmath>

#include "base/median.h"

namespace munja::document {
namespace {

// Running text: at least so many rows, of which more than half fill their
// column, and are many times longer than high. Amounts and names in a table
// are neither. Narrow columns need more rows to tell.
constexpr size_t kRunningRows = 3;
constexpr double kRunningFill = 0.8;
constexpr double kRunningShare = 0.6;
constexpr double kRunningAspect = 10;
constexpr size_t kNarrowRows = 6;
constexpr double kNarrowAspect = 6.5;
// Cells lie below each other if their edges are so near, in heights of a row;
// so many do in a table.
constexpr double kCellEdge = 0.4, kAlignedCells = 0.7;
// White space is of one width if none is more than so many times another, and
// that between words is no wider than this, in heights of a line.
constexpr double kOneWidth = 1.5, kWidestSpace = 2.5;
// Lines of a headline above several columns.
constexpr size_t kHeadlineRows = 4;
// Rows of two sides belong together when their middles are nearer than this
// part of a line's height.
constexpr double kAligned = 0.2;
// Or further, in all of at least so many rows, of which those of one side are
// no longer than amounts: paper that lies at an angle slants.
constexpr double kMostSlant = 0.45, kAmountAspect = 5;
constexpr size_t kSlantRows = 3;
// So many lines at least, on both sides together, tell that rows do not fit.
constexpr size_t kUnalignedRows = 5;
// A box this much higher than a line stands for itself beside several lines.
constexpr double kTall = 1.8;

struct Side {
  std::vector<UprightBox> boxes;  // In IsAbove() order.
  std::vector<Row> rows;
  bool is_running = false;
};

// Whether most rows are cells that begin or end below each other.
bool AreCells(const std::vector<Row>& rows) {
  size_t cells = 0, aligned = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    const double near = kCellEdge * (rows[i].bottom - rows[i].top);
    for (size_t k = 1; k < rows[i].boxes.size(); ++k) {
      const UprightBox& cell = rows[i].boxes[k];
      ++cells;
      aligned +=
          std::any_of(rows[i - 1].boxes.begin(), rows[i - 1].boxes.end(),
                      [&](const UprightBox& above) {
                        return std::abs(above.left - cell.left) <= near ||
                               std::abs(above.right - cell.right) <= near;
                      });
    }
  }
  return cells > 0 && cells + 1 >= rows.size() &&
         static_cast<double>(aligned) >=
             kAlignedCells * static_cast<double>(cells);
}

void Describe(Side& side) {
  std::sort(side.boxes.begin(), side.boxes.end(), IsAbove);
  side.rows = GroupRows(side.boxes);
  double left = side.rows[0].left, right = side.rows[0].right;
  for (const Row& row : side.rows) {
    left = std::min(left, row.left);
    right = std::max(right, row.right);
  }
  std::vector<double> aspects;
  size_t full = 0;
  for (const Row& row : side.rows) {
    std::vector<double> heights;
    for (const UprightBox& box : row.boxes) heights.push_back(box.height());
    full += row.right - row.left >= kRunningFill * (right - left);
    aspects.push_back((row.right - row.left) / std::max(Median(heights), 1e-9));
  }
  const double aspect = Median(aspects);
  const size_t rows = side.rows.size();
  const bool is_long = aspect >= kRunningAspect && rows >= kRunningRows;
  const bool is_narrow = aspect >= kNarrowAspect && rows >= kNarrowRows;
  side.is_running =
      (is_long || is_narrow) &&
      static_cast<double>(full) >= kRunningShare * static_cast<double>(rows) &&
      !AreCells(side.rows);
}

// The boxes of each part of what `rows` cover.
std::vector<Side> PartsOf(std::span<const Row> rows,
                          std::span<const UprightBox> left_out,
                          double line_height) {
  const auto is_left_out = [&](const UprightBox& box) {
    return std::binary_search(left_out.begin(), left_out.end(), box, IsAbove);
  };
  Coverage coverage(ColumnGap(line_height));
  for (const Row& row : rows)
    for (const UprightBox& box : row.boxes)
      if (!is_left_out(box)) coverage.Add(box);
  std::vector<Side> sides(coverage.parts().size());
  for (const Row& row : rows) {
    for (const UprightBox& box : row.boxes) {
      if (is_left_out(box)) continue;
      size_t part = 0;
      while (coverage.parts()[part].end < box.right) ++part;
      sides[part].boxes.push_back(box);
    }
  }
  for (Side& side : sides) Describe(side);
  return sides;
}

// Whether a part is columns of running text itself, below a headline.
bool HasRunningColumns(const Side& side, double line_height) {
  const size_t most = std::min(kHeadlineRows, side.rows.size());
  for (size_t first = 1; first <= most; ++first) {
    const auto parts =
        PartsOf(std::span(side.rows).subspan(first), {}, line_height);
    for (size_t i = 1; i < parts.size(); ++i)
      if (parts[i - 1].is_running && parts[i].is_running) return true;
  }
  return false;
}

bool AreAmounts(const std::vector<Row>& rows) {
  std::vector<double> aspects;
  for (const Row& row : rows)
    aspects.push_back((row.right - row.left) /
                      std::max(row.bottom - row.top, 1e-9));
  return Median(aspects) <= kAmountAspect;
}

// The number of rows of `few` that have a partner in `many`.
size_t AlignedRows(const std::vector<Row>& few, const std::vector<Row>& many) {
  std::vector<double> apart;  // From the nearest row, in heights.
  size_t j = 0;
  for (const Row& row : few) {
    while (j + 1 < many.size() && std::abs(many[j + 1].middle - row.middle) <=
                                      std::abs(many[j].middle - row.middle)) {
      ++j;
    }
    const double height =
        std::min(row.bottom - row.top, many[j].bottom - many[j].top);
    apart.push_back((many[j].middle - row.middle) / std::max(height, 1e-9));
  }
  const double slant = std::clamp(Median(apart), -kMostSlant, kMostSlant);
  const auto within = [&](double from) {
    return static_cast<size_t>(
        std::count_if(apart.begin(), apart.end(), [&](double distance) {
          return std::abs(distance - from) <= kAligned;
        }));
  };
  if (apart.size() >= kSlantRows && within(slant) == apart.size() &&
      (AreAmounts(few) || AreAmounts(many)))
    return apart.size();
  return within(0);
}

bool IsTallBoxBesideLines(const Side& tall, const Side& lines,
                          double line_height) {
  return tall.boxes.size() == 1 && lines.rows.size() >= 2 &&
         tall.boxes[0].height() >= kTall * line_height;
}

// Whether the white space between two sides is that between words which are
// boxes by themselves, as those of widely spaced letters are: most rows of both
// sides, or all of one, have such white space within.
bool IsBetweenWords(const Side& left, const Side& right, double line_height) {
  double begin = left.rows[0].right, end = right.rows[0].left;
  for (const Row& row : left.rows) begin = std::max(begin, row.right);
  for (const Row& row : right.rows) end = std::min(end, row.left);
  const double widest =
      std::min(kOneWidth * (end - begin), kWidestSpace * line_height);
  const auto is_broken = [&](const Row& row) {
    for (size_t i = 1; i < row.boxes.size(); ++i) {
      const double gap = row.boxes[i].left - row.boxes[i - 1].right;
      if (gap <= widest && gap * kOneWidth >= end - begin) return true;
    }
    return false;
  };
  const auto broken_rows = [&](const Side& side) {
    return static_cast<size_t>(
        std::count_if(side.rows.begin(), side.rows.end(), is_broken));
  };
  const size_t of_left = broken_rows(left), of_right = broken_rows(right);
  return of_left == left.rows.size() || of_right == right.rows.size() ||
         2 * (of_left + of_right) > left.rows.size() + right.rows.size();
}

// Columns next to each other, by themselves.
bool AreColumns(const Side& left, const Side& right, double line_height) {
  return (left.is_running && right.is_running &&
          !IsBetweenWords(left, right, line_height)) ||
         IsTallBoxBesideLines(left, right, line_height) ||
         IsTallBoxBesideLines(right, left, line_height);
}

// All that is on the left of a gap and all on its right: a column of a table
// may have a few rows only, but together with the others it has all of them.
bool AreUnaligned(const Side& left, const Side& right) {
  const bool has_fewer = left.rows.size() <= right.rows.size();
  const Side& few = has_fewer ? left : right;
  const Side& many = has_fewer ? right : left;
  return few.rows.size() >= 2 &&
         few.rows.size() + many.rows.size() >= kUnalignedRows &&
         AlignedRows(few.rows, many.rows) * 2 < few.rows.size();
}

// A tall box between labels and the text beside them, such as handwriting
// across a receipt.
bool IsWrittenOver(const Side& left, const Side& tall, const Side& right,
                   double line_height) {
  if (tall.boxes.size() != 1 || tall.boxes[0].height() < kTall * line_height ||
      (left.is_running && right.is_running))
    return false;
  const bool has_fewer = left.rows.size() <= right.rows.size();
  const Side& few = has_fewer ? left : right;
  const Side& many = has_fewer ? right : left;
  return few.rows.size() >= 2 &&
         AlignedRows(few.rows, many.rows) == few.rows.size();
}

void Append(const std::vector<UprightBox>& boxes, Side& side) {
  side.boxes.insert(side.boxes.end(), boxes.begin(), boxes.end());
}

}  // namespace

double ColumnGap(double line_height) { return 0.6 * line_height; }

void Coverage::Add(const UprightBox& box) {
  Interval added = {box.left, box.right};
  auto first = parts_.begin();
  while (first != parts_.end() && first->end + gap_ <= added.begin) ++first;
  auto last = first;
  while (last != parts_.end() && last->begin < added.end + gap_) {
    added.begin = std::min(added.begin, last->begin);
    added.end = std::max(added.end, last->end);
    ++last;
  }
  parts_.insert(parts_.erase(first, last), added);
}

Interval Coverage::PartAt(const UprightBox& box) const {
  for (const Interval& part : parts_)
    if (part.begin <= box.left && box.right <= part.end) return part;
  return {box.left, box.right};
}

size_t Coverage::PartsReached(const UprightBox& box) const {
  size_t reached = 0;
  for (const Interval& part : parts_) {
    reached +=
        std::min(part.end, box.right) - std::max(part.begin, box.left) >= gap_;
  }
  return reached;
}

std::vector<std::vector<UprightBox>> SplitColumns(
    std::span<const Row> rows, std::span<const UprightBox> left_out,
    double line_height) {
  std::vector<Side> sides = PartsOf(rows, left_out, line_height);
  if (sides.size() > 1) {
    for (Side& side : sides)
      side.is_running = side.is_running || HasRunningColumns(side, line_height);
  }

  std::vector<std::vector<UprightBox>> columns, written;
  for (size_t i = 1; i + 1 < sides.size(); ++i) {
    if (!IsWrittenOver(sides[i - 1], sides[i], sides[i + 1], line_height))
      continue;
    written.push_back(std::move(sides[i].boxes));
    sides.erase(sides.begin() + static_cast<ptrdiff_t>(i));
  }
  Side left;  // Since the last gap between columns.
  for (size_t i = 0; i < sides.size(); ++i) {
    if (i > 0 && !AreColumns(sides[i - 1], sides[i], line_height)) {
      Side right;
      for (size_t j = i; j < sides.size(); ++j) Append(sides[j].boxes, right);
      Describe(left);
      Describe(right);
      if (!AreUnaligned(left, right)) {
        Append(sides[i].boxes, left);
        continue;
      }
    }
    if (i > 0) columns.push_back(std::move(left.boxes));
    left.boxes = sides[i].boxes;
  }
  columns.push_back(std::move(left.boxes));
  columns.insert(columns.end(), written.begin(), written.end());
  for (auto& column : columns) std::sort(column.begin(), column.end(), IsAbove);
  return columns;
}

}  // namespace munja::document
