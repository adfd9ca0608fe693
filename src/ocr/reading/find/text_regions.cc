#include "reading/find/text_regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <utility>

#include "base/control.h"
#include "reading/find/bent_lines.h"
#include "reading/find/region_text.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Polygon;
using geometry::RotatedRect;

constexpr float kQuarter = std::numbers::pi_v<float> / 2;

// Longer side by shorter one, of regions, which are thinner than their lines:
// what is below may lie any way, what is above lies as its letters do.
constexpr float kTooShort = 5, kLongEnough = 8;
// Below it the shape of a region says nothing about how its letter stands.
constexpr float kOneCharacter = 2.2f;
// Neighbors that must run alike, and how alike, radians.
constexpr size_t kNeighbors = 4;
constexpr float kLieAlike = 0.05f;
// How much larger a rectangle may become; around one character, where a square
// that stood on its corner is laid flat.
constexpr float kMaxGrowth = 1.5f, kMaxCellGrowth = 2.1f;

float Elongation(const RotatedRect& rect) {
  return std::max(rect.width, rect.height) / std::max(ShortSide(rect), 1.0f);
}

Point CenterOf(const RotatedRect& rect) {
  return (rect.corners[0] + rect.corners[2]) * 0.5f;
}

// Direction of the longer side.
float Direction(const RotatedRect& rect) {
  return rect.width < rect.height ? rect.angle + kQuarter : rect.angle;
}

// `angle` less as many quarter turns as bring it nearest to 0.
float Reduce(float angle) {
  return angle - kQuarter * std::round(angle / kQuarter);
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
// for quarter turns.
std::optional<float> DirectionAround(const std::vector<LongLine>& lines,
                                     Point at) {
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
    const float off = Reduce(near.direction - nearest[0].direction);
    if (std::abs(off) > kLieAlike) return std::nullopt;
    sum += off;
  }
  return nearest[0].direction + sum / static_cast<float>(kNeighbors);
}

// The direction of all lines of a page that has fewer than neighbors are asked
// for, where they run alike.
std::optional<float> DirectionOfFew(const std::vector<LongLine>& lines) {
  if (lines.empty() || lines.size() >= kNeighbors) return std::nullopt;
  float sum = 0;
  for (const LongLine& line : lines) {
    const float off = Reduce(line.direction - lines[0].direction);
    if (std::abs(off) > kLieAlike) return std::nullopt;
    sum += off;
  }
  return lines[0].direction + sum / static_cast<float>(lines.size());
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

Status CutBent(const ProbabilityMap& map, float threshold,
               std::vector<TextRegion>* regions) {
  RegionText text(map, threshold);
  std::vector<TextRegion> cut;
  for (TextRegion& region : *regions) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    if (Elongation(region.rect) < kLongEnough || !MayBend(region) ||
        !text.Fill(region.border))
      continue;
    std::vector<TextRegion> pieces =
        StraightPieces(text, Direction(region.rect));
    if (pieces.empty()) continue;
    std::move(pieces.begin(), pieces.end(), std::back_inserter(cut));
    region.border.clear();
  }
  std::erase_if(*regions,
                [](const TextRegion& region) { return region.border.empty(); });
  std::move(cut.begin(), cut.end(), std::back_inserter(*regions));
  return Status();
}

void AlignShort(bool has_cells, std::vector<TextRegion>* regions) {
  const std::vector<LongLine> lines = LongLines(*regions);
  const auto few = has_cells ? DirectionOfFew(lines) : std::nullopt;
  for (TextRegion& region : *regions) {
    const float elongation = Elongation(region.rect);
    if (elongation >= kTooShort) continue;
    auto direction = DirectionAround(lines, CenterOf(region.rect));
    const bool is_cell = has_cells && elongation < kOneCharacter;
    if (!direction && is_cell) direction = few;
    if (!direction) continue;
    const RotatedRect laid =
        geometry::RectAtAngle(region.border, Reduce(*direction));
    if (laid.width * laid.height <= (is_cell ? kMaxCellGrowth : kMaxGrowth) *
                                        region.rect.width * region.rect.height)
      region.rect = laid;
  }
}

}  // namespace munja::ocr
