#include "geometry/convex_hull.h"

#include <algorithm>
#include <cmath>

namespace munja::geometry {
namespace {

// > 0 when a, b, c turn clockwise on the screen (y down).
double Turn(Point a, Point b, Point c) {
  return (static_cast<double>(b.x) - a.x) * (static_cast<double>(c.y) - a.y) -
         (static_cast<double>(b.y) - a.y) * (static_cast<double>(c.x) - a.x);
}

}  // namespace

// Andrew's monotone chain ("Another efficient algorithm for convex hulls in
// two dimensions", 1979): the upper and the lower half by a sweep in x.
Polygon ConvexHull(std::span<const Point> points) {
  Polygon sorted;
  sorted.reserve(points.size());
  for (const Point& p : points)
    if (std::isfinite(p.x) && std::isfinite(p.y)) sorted.push_back(p);
  std::sort(sorted.begin(), sorted.end(), [](Point a, Point b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() < 3) return sorted;

  Polygon hull(2 * sorted.size());
  size_t n = 0;
  const auto add = [&](Point p, size_t floor) {
    while (n >= floor + 2 && Turn(hull[n - 2], hull[n - 1], p) <= 0) --n;
    hull[n++] = p;
  };
  for (const Point& p : sorted) add(p, 0);
  const size_t half = n - 1;
  for (size_t i = sorted.size() - 1; i-- > 0;) add(sorted[i], half);
  hull.resize(n - 1);  // The last point is the first one again.
  return hull;
}

}  // namespace munja::geometry
