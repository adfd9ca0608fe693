#include "ocr/align_short.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::RotatedRect;

// Longer side by shorter one, of regions, which are thinner than their lines:
// what is below may lie any way, what is above lies as its letters do.
constexpr float kTooShort = 5, kLongEnough = 8;
// Neighbors that must run alike, and how alike, radians.
constexpr size_t kNeighbors = 4;
constexpr float kLieAlike = 0.05f;
// How much larger a rectangle may become.
constexpr float kMostGrowth = 1.5f;

float Elongation(const RotatedRect& rect) {
  const float shorter = std::max(std::min(rect.width, rect.height), 1.0f);
  return std::max(rect.width, rect.height) / shorter;
}

Point CenterOf(const RotatedRect& rect) {
  return (rect.corners[0] + rect.corners[2]) * 0.5f;
}

// How a rectangle lies: its sides' angle against the axes, within an eighth
// turn either way.
float Lie(float angle) {
  constexpr float kQuarter = std::numbers::pi_v<float> / 2;
  return angle - kQuarter * std::round(angle / kQuarter);
}

struct LongLine {
  Point center;
  float lie;
};

// The mean lie of the lines nearest to a point, where they lie alike.
std::optional<float> LieAround(const std::vector<LongLine>& lines, Point at) {
  struct Near {
    float distance, lie;
  };
  std::array<Near, kNeighbors> nearest;
  size_t count = 0;
  for (const LongLine& line : lines) {
    const Point way = line.center - at;
    Near next = {way.x * way.x + way.y * way.y, line.lie};
    for (size_t i = 0; i < count; ++i)
      if (next.distance < nearest[i].distance) std::swap(next, nearest[i]);
    if (count < kNeighbors) nearest[count++] = next;
  }
  if (count < kNeighbors) return std::nullopt;
  float sum = 0;
  for (const Near& near : nearest) {
    const float off = Lie(near.lie - nearest[0].lie);
    if (std::abs(off) > kLieAlike) return std::nullopt;
    sum += off;
  }
  return nearest[0].lie + sum / static_cast<float>(kNeighbors);
}

}  // namespace

void AlignShort(std::vector<TextRegion>* regions) {
  std::vector<LongLine> lines;
  for (const TextRegion& region : *regions)
    if (Elongation(region.rect) >= kLongEnough)
      lines.push_back({CenterOf(region.rect), Lie(region.rect.angle)});
  if (lines.size() < kNeighbors) return;
  for (TextRegion& region : *regions) {
    if (Elongation(region.rect) >= kTooShort) continue;
    const auto lie = LieAround(lines, CenterOf(region.rect));
    if (!lie) continue;
    const RotatedRect laid = geometry::RectAtAngle(region.border, *lie);
    if (laid.width * laid.height <=
        kMostGrowth * region.rect.width * region.rect.height)
      region.rect = laid;
  }
}

}  // namespace munja::ocr
