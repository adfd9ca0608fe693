#include "reading/find/text_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace munja::ocr {
namespace {

using geometry::Point;

// Between two rows there is at most this part of the text that the weaker one
// has, and from the middle of one to that of the next so many heights of what
// is seen of them (the map shows the middle third of a line).
constexpr float kValley = 0.5f, kPitch = 1.6f;
// Rows stand over each other for this part of the shorter one: the ends of a
// wave are no rows.
constexpr float kOver = 0.3f;
// How far a row reaches over where it has half of its text, pixels.
constexpr float kEdge = 1;

// The bin of a pixel's width or height that holds a place.
size_t BinOf(float at, float from) {
  return static_cast<size_t>(at - from + 0.5f);
}

// The least rectangle along the lines that holds all of the text.
struct TextBounds {
  float left = 1e30f, right = -1e30f, top = 1e30f, bottom = -1e30f;
  bool is_empty() const { return left > right; }
  size_t BinAlong(const TextPixel& p) const { return BinOf(p.along, left); }
  size_t BinAcross(const TextPixel& p) const { return BinOf(p.across, top); }
  size_t length() const { return BinOf(right, left) + 1; }
  size_t height() const { return BinOf(bottom, top) + 1; }
};

TextBounds BoundsOf(const RegionText& text, float direction) {
  TextBounds bounds;
  text.ForEach(direction, [&](const TextPixel& p) {
    bounds.left = std::min(bounds.left, p.along);
    bounds.right = std::max(bounds.right, p.along);
    bounds.top = std::min(bounds.top, p.across);
    bounds.bottom = std::max(bounds.bottom, p.across);
  });
  return bounds;
}

// The projection profile across the lines: how much text there is at each
// height, smoothed.
std::vector<float> ProfileOf(const RegionText& text, float direction,
                             const TextBounds& bounds) {
  std::vector<float> raw(bounds.height(), 0);
  text.ForEach(direction, [&](const TextPixel& p) {
    raw[bounds.BinAcross(p)] += p.value;
  });
  std::vector<float> profile(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    const float above = i > 0 ? raw[i - 1] : 0,
                below = i + 1 < raw.size() ? raw[i + 1] : 0;
    profile[i] = (above + 2 * raw[i] + below) / 4;
  }
  return profile;
}

// Bins [begin, end) of a profile.
struct Row {
  size_t begin = 0, end = 0, peak = 0;
};

// The hills of a profile with valleys between them, each from one valley to the
// next.
std::vector<Row> Hills(const std::vector<float>& profile) {
  std::vector<Row> hills;
  Row hill;
  size_t valley = 0;
  for (size_t i = 0; i < profile.size(); ++i) {
    if (profile[i] < profile[valley]) valley = i;
    if (profile[i] > profile[hill.peak] && valley <= hill.peak) {
      hill.peak = valley = i;
    } else if (profile[valley] <=
               kValley * std::min(profile[hill.peak], profile[i])) {
      hill.end = valley;
      hills.push_back(hill);
      hill = {valley, 0, i};
      valley = i;
    } else if (profile[i] > profile[hill.peak]) {
      hill.peak = valley = i;
    }
  }
  hill.end = profile.size();
  hills.push_back(hill);
  return hills;
}

// Cuts a hill to where it is half as high as at its peak.
void CutToHalf(const std::vector<float>& profile, Row* row) {
  const float half = profile[row->peak] / 2;
  size_t begin = row->peak, end = row->peak + 1;
  while (begin > row->begin && profile[begin - 1] >= half) --begin;
  while (end < row->end && profile[end] >= half) ++end;
  row->begin = begin;
  row->end = end;
}

// Whether two neighbors are as far from each other as lines are.
bool AreApart(const Row& above, const Row& below) {
  const size_t heights = above.end - above.begin + below.end - below.begin,
               way = below.begin + below.end - above.begin - above.end;
  return static_cast<float>(way) >= kPitch * static_cast<float>(heights);
}

// Where along the lines a row has text: 1, else 0.
using Occupied = std::vector<uint8_t>;

std::vector<Occupied> OccupiedOf(const RegionText& text, float direction,
                                 const TextBounds& bounds,
                                 const std::vector<Row>& rows) {
  std::vector<size_t> row_of(bounds.height(), rows.size());
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t i = rows[r].begin; i < rows[r].end; ++i) row_of[i] = r;
  std::vector<Occupied> occupied(rows.size(), Occupied(bounds.length(), 0));
  text.ForEach(direction, [&](const TextPixel& p) {
    const size_t row = row_of[bounds.BinAcross(p)];
    if (row < rows.size()) occupied[row][bounds.BinAlong(p)] = 1;
  });
  return occupied;
}

// Whether text of two rows stands over each other.
bool AreStacked(const Occupied& above, const Occupied& below) {
  size_t both = 0, of_above = 0, of_below = 0;
  for (size_t i = 0; i < above.size(); ++i) {
    of_above += above[i];
    of_below += below[i];
    both += above[i] & below[i];
  }
  return static_cast<float>(both) >=
         kOver * static_cast<float>(std::min(of_above, of_below));
}

// The rectangle around the text of a row.
TextRegion RegionOf(const Row& row, const Occupied& occupied,
                    const TextBounds& bounds, float direction) {
  const auto first = std::find(occupied.begin(), occupied.end(), 1);
  const auto last = std::find(occupied.rbegin(), occupied.rend(), 1);
  const float u0 = bounds.left + static_cast<float>(first - occupied.begin()) -
                   kEdge,
              u1 = bounds.left + static_cast<float>(occupied.rend() - last) -
                   1 + kEdge,
              v0 = bounds.top + static_cast<float>(row.begin) - kEdge,
              v1 = bounds.top + static_cast<float>(row.end) - 1 + kEdge;
  const Point along = {std::cos(direction), std::sin(direction)},
              down = {-along.y, along.x};
  TextRegion region;
  region.border = {along * u0 + down * v0, along * u1 + down * v0,
                   along * u1 + down * v1, along * u0 + down * v1};
  region.rect = geometry::RectAtAngle(region.border, direction);
  return region;
}

}  // namespace

std::vector<TextRegion> RowsIn(const RegionText& text, float direction) {
  const TextBounds bounds = BoundsOf(text, direction);
  if (bounds.is_empty()) return {};
  const std::vector<float> profile = ProfileOf(text, direction, bounds);
  std::vector<Row> rows = Hills(profile);
  if (rows.size() < 2) return {};
  for (Row& row : rows) CutToHalf(profile, &row);

  const std::vector<Occupied> occupied =
      OccupiedOf(text, direction, bounds, rows);
  for (size_t r = 1; r < rows.size(); ++r)
    if (!AreApart(rows[r - 1], rows[r]) ||
        !AreStacked(occupied[r - 1], occupied[r]))
      return {};
  std::vector<TextRegion> regions;
  for (size_t r = 0; r < rows.size(); ++r)
    regions.push_back(RegionOf(rows[r], occupied[r], bounds, direction));
  return regions;
}

}  // namespace munja::ocr
