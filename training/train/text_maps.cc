#include "train/text_maps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "geometry/fill.h"
#include "geometry/offset.h"

namespace munja::train {
namespace {

using geometry::PixelPoint;
using geometry::Point;
using geometry::Polygon;

// Outlines bend: their thickness by area and perimeter falls short of that of
// the straight line.
constexpr double kStillThick = 0.8;

double PerimeterOf(const Polygon& polygon) {
  double sum = 0;
  for (size_t i = 0; i < polygon.size(); ++i)
    sum += geometry::Length(polygon[(i + 1) % polygon.size()] - polygon[i]);
  return sum;
}

std::vector<geometry::PixelSpan> Pixels(const Polygon& polygon, int width,
                                        int height) {
  std::vector<PixelPoint> corners;
  for (const Point& p : polygon) {
    const auto pixel = [](float v) {
      return static_cast<int32_t>(
          std::clamp(std::lround(v), -long{geometry::kMaxFillCoordinate} / 2,
                     long{geometry::kMaxFillCoordinate} / 2));
    };
    corners.push_back({pixel(p.x), pixel(p.y)});
  }
  return geometry::FillPolygon(corners, width, height);
}

void Set(const std::vector<geometry::PixelSpan>& spans, int width, float value,
         float* map) {
  for (const geometry::PixelSpan& span : spans) {
    float* row = map + static_cast<size_t>(span.y) * width;
    std::fill(row + span.begin, row + span.end, value);
  }
}

float DistanceToOutline(const Polygon& outline, Point p) {
  float least = 1e18f;
  for (size_t i = 0; i < outline.size(); ++i) {
    const Point a = outline[i], along = outline[(i + 1) % outline.size()] - a;
    const float length2 = along.x * along.x + along.y * along.y;
    const Point q = p - a;
    const float t =
        length2 > 0
            ? std::clamp((q.x * along.x + q.y * along.y) / length2, 0.0f, 1.0f)
            : 0.0f;
    const Point d = q - along * t;
    least = std::min(least, d.x * d.x + d.y * d.y);
  }
  return std::sqrt(least);
}

// The band falls from the outline to both sides. Where bands of two lines
// meet, the nearer outline counts.
void DrawBand(const Polygon& outline, double distance, int width, int height,
              const TextMaps& maps) {
  const auto reach = static_cast<float>(distance);
  for (const Polygon& grown : geometry::Offset(outline, distance)) {
    for (const auto& span : Pixels(grown, width, height)) {
      const size_t row = static_cast<size_t>(span.y) * width;
      for (int x = span.begin; x < span.end; ++x) {
        const Point p{static_cast<float>(x), static_cast<float>(span.y)};
        const float part =
            1 - std::min(1.0f, DistanceToOutline(outline, p) / reach);
        float& value = maps.threshold[row + x];
        value = std::max(
            value, kLeastThreshold + (kMostThreshold - kLeastThreshold) * part);
        maps.threshold_mask[row + x] = 1;
      }
    }
  }
}

// The shorter side of the rectangle with this area and perimeter: a line's
// height, or the width of a single letter.
double Thickness(const Polygon& outline) {
  const double half = PerimeterOf(outline) / 2;
  return (half -
          std::sqrt(std::max(half * half - 4 * geometry::Area(outline), 0.0))) /
         2;
}

}  // namespace

double ShrinkDistance(const Polygon& outline) {
  const double perimeter = PerimeterOf(outline);
  if (!(perimeter > 0)) return 0;
  return geometry::Area(outline) * (1 - kShrink * kShrink) / perimeter;
}

void DrawTextMaps(std::span<const OutlinedLine> lines, int width, int height,
                  float least_side, const TextMaps& maps) {
  const size_t size = static_cast<size_t>(width) * height;
  std::fill(maps.text_mask, maps.text_mask + size, 1.0f);
  for (const OutlinedLine& line : lines) {
    if (line.outline.size() < 3) continue;
    if (line.ignore || Thickness(line.outline) < least_side * kStillThick) {
      Set(Pixels(line.outline, width, height), width, 0, maps.text_mask);
      continue;
    }
    DrawBand(line.outline, ShrinkDistance(line.outline), width, height, maps);
  }
  // Text is drawn last: what a neighbor masks out does not hide it.
  for (const OutlinedLine& line : lines) {
    if (line.outline.size() < 3 || line.ignore) continue;
    if (Thickness(line.outline) < least_side * kStillThick) continue;
    for (const Polygon& core :
         geometry::Offset(line.outline, -ShrinkDistance(line.outline))) {
      const auto pixels = Pixels(core, width, height);
      Set(pixels, width, 1, maps.text);
      Set(pixels, width, 1, maps.text_mask);
    }
  }
}

}  // namespace munja::train
