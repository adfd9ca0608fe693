#include "geometry/simplify.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace munja::geometry {
namespace {

double SquaredDistance(Point a, Point b) {
  const double dx = static_cast<double>(b.x) - a.x;
  const double dy = static_cast<double>(b.y) - a.y;
  return dx * dx + dy * dy;
}

// Measured from the segment a..b, not from the line through it: an outline may
// turn back.
double SquaredDistanceFromSegment(Point p, Point a, Point b) {
  const double dx = static_cast<double>(b.x) - a.x;
  const double dy = static_cast<double>(b.y) - a.y;
  const double px = static_cast<double>(p.x) - a.x;
  const double py = static_cast<double>(p.y) - a.y;
  const double along = px * dx + py * dy, length = dx * dx + dy * dy;
  if (along <= 0) return px * px + py * py;
  if (along >= length) return SquaredDistance(p, b);
  const double across = px * dy - py * dx;
  return across * across / length;
}

// The point farthest from polygon[from], the first of several.
size_t Farthest(const Polygon& polygon, size_t from) {
  size_t best = from;
  double most = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const double d = SquaredDistance(polygon[i], polygon[from]);
    if (d > most) {
      most = d;
      best = i;
    }
  }
  return best;
}

}  // namespace

double Perimeter(const Polygon& polygon) {
  double sum = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    sum += std::sqrt(
        SquaredDistance(polygon[i], polygon[(i + 1) % polygon.size()]));
  }
  return sum;
}

Polygon Simplify(const Polygon& polygon, double tolerance) {
  const size_t n = polygon.size();
  if (n < 3 || !(tolerance >= 0)) return polygon;
  // Two points far apart: each the farthest from the other as a rule.
  size_t a = Farthest(polygon, 0), b = Farthest(polygon, a);
  a = Farthest(polygon, b);
  if (a == b) return {polygon[0]};  // All points coincide.
  if (a > b) std::swap(a, b);

  std::vector<bool> kept(n, false);
  kept[a] = kept[b] = true;
  // Open stretches [first, last]; indices count on beyond n.
  std::vector<std::pair<size_t, size_t>> open = {{a, b}, {b, a + n}};
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    size_t farthest = first;
    double most = tolerance * tolerance;
    for (size_t i = first + 1; i < last; ++i) {
      const double d = SquaredDistanceFromSegment(
          polygon[i % n], polygon[first % n], polygon[last % n]);
      if (d > most) {
        most = d;
        farthest = i;
      }
    }
    if (farthest == first) continue;
    kept[farthest % n] = true;
    open.push_back({first, farthest});
    open.push_back({farthest, last});
  }
  Polygon result;
  for (size_t i = a; i < a + n; ++i)
    if (kept[i % n]) result.push_back(polygon[i % n]);
  return result;
}

}  // namespace munja::geometry
