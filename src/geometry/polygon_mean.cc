#include "geometry/polygon_mean.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace munja::geometry {
namespace {

// Centers this near to the outline count as on it: corners of boxes come from
// sums of products in floating point.
constexpr double kOnOutline = 1e-3;

struct Span {
  int begin, end;  // Pixels [begin, end).
};

// The pixels of row y inside the polygon, disjoint and in order.
void SpansOfRow(const Polygon& polygon, int y, int width,
                std::vector<double>& crossings, std::vector<Span>& spans) {
  crossings.clear();
  spans.clear();
  const auto add = [&](double x0, double x1) {
    const double first = std::max(std::ceil(x0 - kOnOutline), 0.0);
    const double last =
        std::min(std::floor(x1 + kOnOutline), static_cast<double>(width) - 1);
    if (first <= last)
      spans.push_back({static_cast<int>(first), static_cast<int>(last) + 1});
  };
  for (size_t i = 0; i < polygon.size(); ++i) {
    Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    if (a.y > b.y) std::swap(a, b);
    if (b.y - a.y < kOnOutline) {  // Lies along the row, or not on it at all.
      if (std::abs(a.y - y) <= kOnOutline)
        add(std::min(a.x, b.x), std::max(a.x, b.x));
      continue;
    }
    if (y < a.y || y >= b.y) continue;
    const double t =
        (static_cast<double>(y) - a.y) / (static_cast<double>(b.y) - a.y);
    crossings.push_back(a.x + t * (static_cast<double>(b.x) - a.x));
  }
  std::sort(crossings.begin(), crossings.end());
  for (size_t i = 0; i + 1 < crossings.size(); i += 2)
    add(crossings[i], crossings[i + 1]);
  std::sort(spans.begin(), spans.end(),
            [](Span a, Span b) { return a.begin < b.begin; });
  for (size_t i = 1; i < spans.size(); ++i) {
    spans[i].begin = std::max(spans[i].begin, spans[i - 1].end);
    spans[i].end = std::max(spans[i].end, spans[i].begin);
  }
}

}  // namespace

float PolygonMean(const float* map, int width, int height,
                  const Polygon& polygon) {
  if (polygon.empty() || width <= 0 || height <= 0) return 0.0f;
  float top = polygon[0].y, bottom = polygon[0].y;
  Point sum_of_points;
  for (const Point& p : polygon) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) return 0.0f;
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
    sum_of_points = sum_of_points + p;
  }
  const int first = static_cast<int>(std::clamp(
      std::ceil(top - kOnOutline), 0.0, static_cast<double>(height)));
  const int last = static_cast<int>(
      std::clamp(std::floor(bottom + kOnOutline), -1.0, height - 1.0));
  std::vector<double> crossings;
  std::vector<Span> spans;
  double sum = 0;
  int64_t count = 0;
  for (int y = first; y <= last; ++y) {
    SpansOfRow(polygon, y, width, crossings, spans);
    const float* row = map + static_cast<size_t>(y) * width;
    for (const Span& span : spans) {
      for (int x = span.begin; x < span.end; ++x) sum += row[x];
      count += span.end - span.begin;
    }
  }
  if (count > 0) return static_cast<float>(sum / static_cast<double>(count));
  const Point middle =
      sum_of_points * (1.0f / static_cast<float>(polygon.size()));
  const float x = std::round(middle.x), y = std::round(middle.y);
  if (x < 0 || y < 0 || x >= static_cast<float>(width) ||
      y >= static_cast<float>(height)) {
    return 0.0f;
  }
  return map[static_cast<size_t>(y) * width + static_cast<size_t>(x)];
}

}  // namespace munja::geometry
