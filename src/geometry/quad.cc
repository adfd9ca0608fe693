#include "geometry/quad.h"

#include <cmath>
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

float Area(const Polygon& polygon) { return ShoelaceArea(polygon); }
float Area(const Quad& quad) { return ShoelaceArea(quad); }

float Perimeter(const Quad& quad) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += Length(quad[(i + 1) % 4] - quad[i]);
  return sum;
}

}  // namespace munja::geometry
