#include "geometry/quad.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace munja::geometry {
namespace {

float ShoelaceArea(std::span<const Point> points) {
  double twice = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& a = points[i];
    const Point& b = points[(i + 1) % points.size()];
    twice += static_cast<double>(a.x) * b.y - static_cast<double>(b.x) * a.y;
  }
  return static_cast<float>(std::abs(twice) / 2);
}

}  // namespace

float Length(Point a) { return std::hypot(a.x, a.y); }

Point Unit(Point a, Point of_zero) {
  const float length = Length(a);
  return length > 0 ? a * (1.0f / length) : of_zero;
}

float Area(const Polygon& polygon) { return ShoelaceArea(polygon); }
float Area(const Quad& quad) { return ShoelaceArea(quad); }

float Perimeter(const Quad& quad) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += Length(quad[(i + 1) % 4] - quad[i]);
  return sum;
}

float LongerSide(const Quad& quad) {
  return std::max(Length(quad[1] - quad[0]), Length(quad[3] - quad[0]));
}

float ShorterSide(const Quad& quad) {
  return std::min(Length(quad[1] - quad[0]), Length(quad[3] - quad[0]));
}

std::optional<Quad> CutTo(Quad quad, int width, int height) {
  for (Point& p : quad) {
    p.x = std::clamp(p.x, 0.0f, static_cast<float>(width));
    p.y = std::clamp(p.y, 0.0f, static_cast<float>(height));
  }
  for (size_t i = 0; i < quad.size(); ++i) {
    const Point next = quad[(i + 1) % 4] - quad[i],
                last = quad[(i + 3) % 4] - quad[i];
    const float across = next.x * last.y - next.y * last.x;
    // A hundredth of a pixel from the line through its neighbors.
    if (!(std::abs(across) > 0.01f * Length(next - last))) return std::nullopt;
  }
  return quad;
}

}  // namespace munja::geometry
