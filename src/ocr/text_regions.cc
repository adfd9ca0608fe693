#include "ocr/text_regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <optional>
#include <utility>

#include "base/control.h"
#include "geometry/fill.h"

namespace munja::ocr {
namespace {

using geometry::PixelPoint;
using geometry::PixelSpan;
using geometry::Point;
using geometry::Polygon;
using geometry::RotatedRect;

constexpr float kQuarter = std::numbers::pi_v<float> / 2;

// Longer side by shorter one, of regions, which are thinner than their lines:
// what is below may lie any way, what is above lies as its letters do.
constexpr float kTooShort = 5, kLongEnough = 8;
// Neighbors that must run alike, and how alike, radians.
constexpr size_t kNeighbors = 4;
constexpr float kLieAlike = 0.05f;
// How much larger a rectangle may become.
constexpr float kMostGrowth = 1.5f;

// The shorter side of a region that can hold two rows and what is between
// them.
constexpr float kLeastOfTwo = 9;
// Between two rows there is at most this part of the text that the weaker one
// has, and from the middle of one to that of the next so many heights of what
// is seen of them (the map shows the middle third of a line).
constexpr float kValley = 0.5f, kPitch = 1.6f;
// Rows stand over each other for this part of the shorter one: the ends of a
// wave are no rows.
constexpr float kOver = 0.3f;
// How far a row reaches over where it has half of its text, pixels.
constexpr float kEdge = 1;
// A line bends when its middle strays so far from a straight one, in heights of
// what is seen of it and pixels, and is long enough to be cut, in heights, when
// neither half is a word of a curved sign.
constexpr float kStraight = 0.75f, kStraightPixels = 1.5f, kLongToCut = 40;
// Pixels looked at, in those of the map: regions may lie in each other.
constexpr size_t kMostLooks = 8;

float Elongation(const RotatedRect& rect) {
  return std::max(rect.width, rect.height) / std::max(ShortSide(rect), 1.0f);
}

Point CenterOf(const RotatedRect& rect) {
  return (rect.corners[0] + rect.corners[2]) * 0.5f;
}

// Of the longer side.
float Direction(const RotatedRect& rect) {
  return rect.width < rect.height ? rect.angle + kQuarter : rect.angle;
}

// `angle` less as many turns by `turn` as bring it nearest to 0.
float Reduce(float angle, float turn) {
  return angle - turn * std::round(angle / turn);
}

struct LongLine {
  Point center;
  float direction;
};

std::vector<LongLine> LongLines(const std::vector<TextRegion>& regions) {
  std::vector<LongLine> lines;
  for (const TextRegion& region : regions)
    if (Elongation(region.rect) >= kLongEnough)
      lines.push_back({CenterOf(region.rect), Direction(region.rect)});
  return lines;
}

// The mean direction of the lines nearest to a point, where they run alike but
// for half or, by `turn`, quarter turns.
std::optional<float> DirectionAround(const std::vector<LongLine>& lines,
                                     Point at, float turn) {
  struct Near {
    float distance, direction;
  };
  std::array<Near, kNeighbors> nearest;
  size_t count = 0;
  for (const LongLine& line : lines) {
    const Point way = line.center - at;
    Near next = {way.x * way.x + way.y * way.y, line.direction};
    for (size_t i = 0; i < count; ++i)
      if (next.distance < nearest[i].distance) std::swap(next, nearest[i]);
    if (count < kNeighbors) nearest[count++] = next;
  }
  if (count < kNeighbors) return std::nullopt;
  float sum = 0;
  for (const Near& near : nearest) {
    const float off = Reduce(near.direction - nearest[0].direction, turn);
    if (std::abs(off) > kLieAlike) return std::nullopt;
    sum += off;
  }
  return nearest[0].direction + sum / static_cast<float>(kNeighbors);
}

// A pixel of a region: along and across its lines.
struct TextPixel {
  float along, across, value;
};

// The pixels of a filled region.
std::vector<PixelSpan> SpansOf(const TextMap& map, const Polygon& border,
                               size_t* looks) {
  std::vector<PixelPoint> outline;
  outline.reserve(border.size());
  for (const Point& p : border)
    outline.push_back({static_cast<int32_t>(std::lround(p.x)),
                       static_cast<int32_t>(std::lround(p.y))});
  std::vector<PixelSpan> spans =
      geometry::FillPolygon(outline, map.width, map.height);
  for (const PixelSpan& span : spans)
    *looks += static_cast<size_t>(span.end - span.begin);
  return spans;
}

// Calls `use` for each of them that is text; `direction`: that of the lines.
template <class Use>
void ForText(const TextMap& map, float threshold,
             const std::vector<PixelSpan>& spans, float direction,
             const Use& use) {
  const float c = std::cos(direction), s = std::sin(direction);
  for (const PixelSpan& span : spans) {
    const auto y = static_cast<float>(span.y);
    const float* row =
        map.values.data() + static_cast<size_t>(span.y) * map.width;
    for (int32_t i = span.begin; i < span.end; ++i) {
      const auto x = static_cast<float>(i);
      if (row[i] > threshold)
        use(TextPixel{x * c + y * s, y * c - x * s, row[i]});
    }
  }
}

// Bins [begin, end) of a profile.
struct Row {
  size_t begin = 0, end = 0, peak = 0;
};

// The hills of a profile with valleys between them, each cut to where it is
// half as high as at its peak.
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
  for (Row& row : hills) {
    const float half = profile[row.peak] / 2;
    size_t begin = row.peak, end = row.peak + 1;
    while (begin > row.begin && profile[begin - 1] >= half) --begin;
    while (end < row.end && profile[end] >= half) ++end;
    row.begin = begin;
    row.end = end;
  }
  return hills;
}

// Whether two neighbors are as far from each other as lines are.
bool AreApart(const Row& above, const Row& below) {
  const size_t heights = above.end - above.begin + below.end - below.begin,
               way = below.begin + below.end - above.begin - above.end;
  return static_cast<float>(way) >= kPitch * static_cast<float>(heights);
}

// Whether text of two rows stands over each other.
bool AreStacked(const std::vector<uint8_t>& above,
                const std::vector<uint8_t>& below) {
  size_t both = 0, of_above = 0, of_below = 0;
  for (size_t i = 0; i < above.size(); ++i) {
    of_above += above[i];
    of_below += below[i];
    both += above[i] & below[i];
  }
  return static_cast<float>(both) >=
         kOver * static_cast<float>(std::min(of_above, of_below));
}

// The rows of text in a region whose lines run in `direction`; none where it
// is one line.
std::vector<TextRegion> RowsIn(const TextMap& map, float threshold,
                               const std::vector<PixelSpan>& spans,
                               float direction) {
  std::vector<TextRegion> parts;
  float left = 1e30f, right = -1e30f, top = 1e30f, bottom = -1e30f;
  ForText(map, threshold, spans, direction, [&](const TextPixel& p) {
    left = std::min(left, p.along);
    right = std::max(right, p.along);
    top = std::min(top, p.across);
    bottom = std::max(bottom, p.across);
  });
  if (left > right) return parts;
  const auto bin = [](float at, float from) {
    return static_cast<size_t>(at - from + 0.5f);
  };
  std::vector<float> raw(bin(bottom, top) + 1, 0);
  ForText(map, threshold, spans, direction,
          [&](const TextPixel& p) { raw[bin(p.across, top)] += p.value; });
  std::vector<float> profile(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    const float above = i > 0 ? raw[i - 1] : 0,
                below = i + 1 < raw.size() ? raw[i + 1] : 0;
    profile[i] = (above + 2 * raw[i] + below) / 4;
  }
  const std::vector<Row> rows = Hills(profile);
  if (rows.size() < 2) return parts;

  // Where along the lines each row has text.
  const size_t length = bin(right, left) + 1;
  std::vector<size_t> row_of(raw.size(), rows.size());
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t i = rows[r].begin; i < rows[r].end; ++i) row_of[i] = r;
  std::vector<std::vector<uint8_t>> text(rows.size(),
                                         std::vector<uint8_t>(length, 0));
  ForText(map, threshold, spans, direction, [&](const TextPixel& p) {
    const size_t row = row_of[bin(p.across, top)];
    if (row < rows.size()) text[row][bin(p.along, left)] = 1;
  });
  for (size_t r = 1; r < rows.size(); ++r)
    if (!AreApart(rows[r - 1], rows[r]) || !AreStacked(text[r - 1], text[r]))
      return parts;

  const Point along = {std::cos(direction), std::sin(direction)},
              down = {-along.y, along.x};
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto first = std::find(text[r].begin(), text[r].end(), 1);
    const auto last = std::find(text[r].rbegin(), text[r].rend(), 1);
    const float u0 = left + static_cast<float>(first - text[r].begin()) - kEdge,
                u1 = left + static_cast<float>(text[r].rend() - last) - 1 +
                     kEdge,
                v0 = top + static_cast<float>(rows[r].begin) - kEdge,
                v1 = top + static_cast<float>(rows[r].end) - 1 + kEdge;
    TextRegion& part = parts.emplace_back();
    part.border = {along * u0 + down * v0, along * u1 + down * v0,
                   along * u1 + down * v1, along * u0 + down * v1};
    part.rect = geometry::RectAtAngle(part.border, direction);
  }
  return parts;
}

// Cuts a line's pixels where it bends, between words where there is a gap, into
// pieces that are straight; `pieces` gets the points of each.
void CutWhereBent(std::vector<TextPixel> pixels, std::vector<Polygon>* pieces) {
  const auto by_along = [](const TextPixel& a, const TextPixel& b) {
    return a.along < b.along;
  };
  const auto [first, last] =
      std::minmax_element(pixels.begin(), pixels.end(), by_along);
  const float left = first->along, length = last->along - left + 1;
  const float high = static_cast<float>(pixels.size()) / length;
  const auto bins = static_cast<size_t>(length) + 1;
  std::vector<float> mass(bins, 0), middle(bins, 0);
  for (const TextPixel& p : pixels) {
    const auto at = static_cast<size_t>(p.along - left);
    mass[at] += 1;
    middle[at] += p.across;
  }
  // The straight line of least squares through the middles.
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < bins; ++i) {
    if (mass[i] == 0) continue;
    middle[i] /= mass[i];
    const auto at = static_cast<double>(i);
    n += 1;
    x += at;
    y += middle[i];
    xx += at * at;
    xy += at * middle[i];
  }
  const double spread = n * xx - x * x;
  const double slope = spread > 0 ? (n * xy - x * y) / spread : 0;
  const double start = (y - slope * x) / n;
  // Over stretches: single letters stray, too.
  const auto stretch = std::max<size_t>(static_cast<size_t>(4 * high), 1);
  double strays = 0;
  for (size_t i = 0; i + stretch <= bins; i += stretch) {
    double off = 0, count = 0;
    for (size_t j = i; j < i + stretch; ++j) {
      if (mass[j] == 0) continue;
      off += middle[j] - start - slope * static_cast<double>(j);
      count += 1;
    }
    if (count > 0) strays = std::max(strays, std::abs(off / count));
  }
  if (strays <= kStraight * high + kStraightPixels ||
      length < kLongToCut * high) {
    Polygon& piece = pieces->emplace_back();
    for (const TextPixel& p : pixels) piece.push_back({p.along, p.across});
    return;
  }
  const size_t from = bins / 3, to = bins - bins / 3;
  const auto gap = static_cast<float>(
      std::min_element(mass.begin() + static_cast<ptrdiff_t>(from),
                       mass.begin() + static_cast<ptrdiff_t>(to)) -
      mass.begin());
  const auto half =
      std::partition(pixels.begin(), pixels.end(),
                     [&](const TextPixel& p) { return p.along - left < gap; });
  CutWhereBent({pixels.begin(), half}, pieces);
  CutWhereBent({half, pixels.end()}, pieces);
}

}  // namespace

std::vector<TextRegion> RegionsOf(const geometry::Contours& contours,
                                  float min_side) {
  std::vector<TextRegion> regions;
  for (const auto& contour : contours) {
    Polygon points;
    points.reserve(contour.size());
    for (const auto& p : contour)
      points.push_back({static_cast<float>(p.x), static_cast<float>(p.y)});
    const RotatedRect rect = geometry::MinAreaRect(points);
    if (ShortSide(rect) < min_side) continue;
    regions.push_back({std::move(points), rect});
  }
  return regions;
}

Status PartTouching(const TextMap& map, float threshold,
                    std::vector<TextRegion>* regions) {
  const std::vector<LongLine> lines = LongLines(*regions);
  size_t looks = 0;
  std::vector<TextRegion> all;
  all.reserve(regions->size());
  for (TextRegion& region : *regions) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    std::vector<TextRegion> parts;
    if (ShortSide(region.rect) >= kLeastOfTwo &&
        looks < kMostLooks * map.values.size()) {
      // Without long lines nearby, text runs more across than down.
      const float direction =
          DirectionAround(lines, CenterOf(region.rect), 2 * kQuarter)
              .value_or(Reduce(region.rect.angle, kQuarter));
      parts = RowsIn(map, threshold, SpansOf(map, region.border, &looks),
                     direction);
    }
    if (parts.empty()) parts.push_back(std::move(region));
    for (TextRegion& part : parts) all.push_back(std::move(part));
  }
  *regions = std::move(all);
  return Status();
}

Status CutBent(const TextMap& map, float threshold,
               std::vector<TextRegion>* regions) {
  size_t looks = 0;
  std::vector<TextRegion> cut;
  for (TextRegion& region : *regions) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    // What is about as high as it is on the average is straight.
    const float length = std::max(region.rect.width, region.rect.height);
    const float high = geometry::Area(region.border) / length;
    if (Elongation(region.rect) < kLongEnough ||
        ShortSide(region.rect) < (1 + kStraight) * high + kStraightPixels ||
        looks >= kMostLooks * map.values.size())
      continue;
    const float direction = Direction(region.rect);
    std::vector<TextPixel> pixels;
    ForText(map, threshold, SpansOf(map, region.border, &looks), direction,
            [&](const TextPixel& p) { pixels.push_back(p); });
    if (pixels.empty()) continue;
    std::vector<Polygon> pieces;
    CutWhereBent(std::move(pixels), &pieces);
    if (pieces.size() < 2) continue;
    const float c = std::cos(direction), s = std::sin(direction);
    for (Polygon& piece : pieces) {
      for (Point& p : piece) p = {p.x * c - p.y * s, p.x * s + p.y * c};
      TextRegion& part = cut.emplace_back();
      part.rect = geometry::MinAreaRect(piece);
      part.border = std::move(piece);
    }
    region.border.clear();
  }
  std::erase_if(*regions,
                [](const TextRegion& region) { return region.border.empty(); });
  std::move(cut.begin(), cut.end(), std::back_inserter(*regions));
  return Status();
}

void AlignShort(std::vector<TextRegion>* regions) {
  const std::vector<LongLine> lines = LongLines(*regions);
  for (TextRegion& region : *regions) {
    if (Elongation(region.rect) >= kTooShort) continue;
    const auto direction =
        DirectionAround(lines, CenterOf(region.rect), kQuarter);
    if (!direction) continue;
    const RotatedRect laid =
        geometry::RectAtAngle(region.border, Reduce(*direction, kQuarter));
    if (laid.width * laid.height <=
        kMostGrowth * region.rect.width * region.rect.height)
      region.rect = laid;
  }
}

}  // namespace munja::ocr
