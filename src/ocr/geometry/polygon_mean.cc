#include "geometry/polygon_mean.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "geometry/fill.h"

namespace munja::geometry {
namespace {

// Four running sums, because one would wait for each addition to finish.
double Sum(const float* values, size_t count) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += values[i + k];
  for (; i < count; ++i) sums[0] += values[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

float PolygonMean(const float* map, int width, int height,
                  const Polygon& polygon) {
  if (polygon.empty() || width <= 0 || height <= 0) return 0.0f;
  float left = polygon[0].x, top = polygon[0].y;
  for (const Point& p : polygon) {
    // The negation also catches NaN.
    if (!(std::abs(p.x) < kMaxFillCoordinate &&
          std::abs(p.y) < kMaxFillCoordinate)) {
      return 0.0f;
    }
    left = std::min(left, p.x);
    top = std::min(top, p.y);
  }
  // Corners are cut off toward the corner of the polygon's box in the map.
  const int x0 = std::clamp(static_cast<int>(std::floor(left)), 0, width - 1);
  const int y0 = std::clamp(static_cast<int>(std::floor(top)), 0, height - 1);
  std::vector<PixelPoint> corners;
  corners.reserve(polygon.size());
  for (const Point& p : polygon) {
    corners.push_back({x0 + static_cast<int>(p.x - static_cast<float>(x0)),
                       y0 + static_cast<int>(p.y - static_cast<float>(y0))});
  }
  double sum = 0;
  int64_t count = 0;
  for (const PixelSpan& span : FillPolygon(corners, width, height)) {
    const auto length = static_cast<size_t>(span.end - span.begin);
    sum += Sum(map + static_cast<size_t>(span.y) * width + span.begin, length);
    count += static_cast<int64_t>(length);
  }
  return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0;
}

}  // namespace munja::geometry
