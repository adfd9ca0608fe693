#include "reading/find/text_zones.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/buffer.h"
#include "geometry/rect.h"

namespace munja::ocr {
namespace {

// A trace of text: far less than a line needs, more than plain paper has.
constexpr float kMinTrace = 0.1f;

// The margin around a trace, in pixels of the input: two boxes of the height to
// which a high-resolution pass brings them.
constexpr float kNeighborhood = 36;

// Cells are not smaller than this, whatever the network takes.
constexpr size_t kMinSide = 32;

// A smaller part of the input is not worth going around.
constexpr double kMinSaved = 0.1;

// In cells.
using Cells = geometry::Rect<int>;

// The input in square cells, and which of these are to be looked at.
class Grid {
 public:
  Grid(const DetectorInput& input, int side)
      : side_(static_cast<float>(side)),
        columns_((input.width + side - 1) / side),
        rows_((input.height + side - 1) / side),
        is_marked_(static_cast<size_t>(columns_) * rows_),
        counts_(static_cast<size_t>(columns_ + 1) * (rows_ + 1)) {}

  Cells all() const { return {0, 0, columns_, rows_}; }

  // A rectangle of the input, in its pixels.
  void Mark(float left, float top, float right, float bottom) {
    const auto from = [&](float at, int count) {
      return std::clamp(static_cast<int>(std::floor(at / side_)), 0, count);
    };
    const auto to = [&](float at, int count) {
      return std::clamp(static_cast<int>(std::ceil(at / side_)), 0, count);
    };
    const int x0 = from(left, columns_), x1 = to(right, columns_);
    for (int y = from(top, rows_); y < to(bottom, rows_); ++y)
      std::fill_n(
          is_marked_.begin() + static_cast<ptrdiff_t>(columns_) * y + x0,
          std::max(x1 - x0, 0), true);
  }

  // To be called after all Mark(), before what follows.
  void Count() {
    size_t cell = 0;
    for (int y = 0; y < rows_; ++y)
      for (int x = 0; x < columns_; ++x)
        counts_[Corner(x + 1, y + 1)] =
            (is_marked_[cell++] ? 1 : 0) + counts_[Corner(x, y + 1)] +
            counts_[Corner(x + 1, y)] - counts_[Corner(x, y)];
  }

  bool IsEmpty(const Cells& c) const {
    return counts_[Corner(c.right, c.bottom)] +
               counts_[Corner(c.left, c.top)] ==
           counts_[Corner(c.left, c.bottom)] + counts_[Corner(c.right, c.top)];
  }

  // Without the empty rows and columns at its sides.
  Cells Tight(Cells c) const {
    while (c.top < c.bottom && IsEmpty({c.left, c.top, c.right, c.top + 1}))
      ++c.top;
    while (c.top < c.bottom &&
           IsEmpty({c.left, c.bottom - 1, c.right, c.bottom}))
      --c.bottom;
    while (c.left < c.right && IsEmpty({c.left, c.top, c.left + 1, c.bottom}))
      ++c.left;
    while (c.left < c.right && IsEmpty({c.right - 1, c.top, c.right, c.bottom}))
      --c.right;
    return c;
  }

 private:
  size_t Corner(int x, int y) const {
    return static_cast<size_t>(y) * (columns_ + 1) + x;
  }

  float side_;
  int columns_, rows_;
  std::vector<bool> is_marked_;  // By rows.
  std::vector<int> counts_;      // Marked cells above and left of each corner.
};

// Parts `c`, which is tight, along a row or column of cells that is empty all
// through, and the parts again, as long as that saves `least` cells.
void Part(const Grid& grid, const Cells& c, int least,
          std::vector<Cells>* parts) {
  int most = least - 1;
  Cells first = {}, second = {};
  const auto consider = [&](const Cells& gap, Cells a, Cells b) {
    if (!grid.IsEmpty(gap)) return;
    a = grid.Tight(a);
    b = grid.Tight(b);
    const int saved = c.area() - a.area() - b.area();
    if (saved <= most) return;
    most = saved;
    first = a;
    second = b;
  };
  for (int y = c.top; y < c.bottom; ++y)
    consider({c.left, y, c.right, y + 1}, {c.left, c.top, c.right, y},
             {c.left, y + 1, c.right, c.bottom});
  for (int x = c.left; x < c.right; ++x)
    consider({x, c.top, x + 1, c.bottom}, {c.left, c.top, x, c.bottom},
             {x + 1, c.top, c.right, c.bottom});
  if (first.area() == 0) {
    parts->push_back(c);
    return;
  }
  Part(grid, first, least, parts);
  Part(grid, second, least, parts);
}

// Wants the traces in `seen` and what is around them. `place`: where the page
// lies in the input.
void MarkTraces(const ProbabilityMap& seen, float trace, const Placement& place,
                Grid* grid) {
  const Placement& from = seen.placement;
  const auto across = [&](int x) {
    return (static_cast<float>(x) - from.offset_x) * from.scale_x /
               place.scale_x +
           place.offset_x;
  };
  const auto down = [&](int y) {
    return (static_cast<float>(y) - from.offset_y) * from.scale_y /
               place.scale_y +
           place.offset_y;
  };
  const float* row = seen.values.data();
  for (int y = 0; y < seen.height; ++y, row += seen.width) {
    for (int x = 0; x < seen.width; ++x) {
      if (!(row[x] > trace)) continue;
      const int start = x;
      while (x < seen.width && row[x] > trace) ++x;
      grid->Mark(across(start) - kNeighborhood, down(y) - kNeighborhood,
                 across(x) + kNeighborhood, down(y + 1) + kNeighborhood);
    }
  }
}

}  // namespace

std::vector<InputZone> TextZones(const ProbabilityMap& seen,
                                 const DetectorInput& input,
                                 const Placement& place,
                                 const DetectorConfig& config) {
  const int side = static_cast<int>(
      RoundUp(kMinSide, static_cast<size_t>(config.side_multiple)));
  Grid grid(input, side);
  MarkTraces(seen, std::min(kMinTrace, config.threshold), place, &grid);
  grid.Count();
  const int all = grid.all().area();
  const int least = std::max(static_cast<int>(std::ceil(all * kMinSaved)), 1);
  std::vector<Cells> parts;
  Part(grid, grid.Tight(grid.all()), least, &parts);
  int sum = 0;
  for (const Cells& part : parts) sum += part.area();
  if (sum == 0 || all - sum < least) return {};
  std::vector<InputZone> zones;
  for (const Cells& c : parts) {
    const int left = c.left * side, top = c.top * side;
    zones.push_back({left, top, std::min(c.right * side, input.width) - left,
                     std::min(c.bottom * side, input.height) - top});
  }
  return zones;
}

}  // namespace munja::ocr
