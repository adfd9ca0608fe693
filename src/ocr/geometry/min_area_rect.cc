#include "geometry/min_area_rect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/convex_hull.h"

namespace munja::geometry {
namespace {

struct Vector {
  double x, y;
};

double Dot(Vector direction, Point p) {
  return direction.x * p.x + direction.y * p.y;
}

// From u0 to u1 along the unit vector and from v0 to v1 to the right of it.
RotatedRect RectOf(Vector along, double u0, double u1, double v0, double v1) {
  const Vector across = {-along.y, along.x};
  const auto corner = [&](double u, double v) {
    return Point{static_cast<float>(u * along.x + v * across.x),
                 static_cast<float>(u * along.y + v * across.y)};
  };
  return {{corner(u0, v0), corner(u1, v0), corner(u1, v1), corner(u0, v1)},
          static_cast<float>(u1 - u0),
          static_cast<float>(v1 - v0),
          static_cast<float>(std::atan2(along.y, along.x))};
}

}  // namespace

RotatedRect MinAreaRect(std::span<const Point> points) {
  RotatedRect best;
  const Polygon hull = ConvexHull(points);
  if (hull.empty()) return best;
  if (hull.size() == 1) {
    best.corners.fill(hull[0]);
    return best;
  }
  const size_t n = hull.size();
  const auto at = [&](size_t i) { return hull[i % n]; };
  double least = std::numeric_limits<double>::infinity();
  // The hull's points that lie farthest along the edge, across it, and back;
  // they only move on as the edge turns.
  size_t front = 1, far = 1, rear = 1;
  for (size_t i = 0; i < n; ++i) {
    const Point a = at(i), b = at(i + 1);
    const double length = std::hypot(static_cast<double>(b.x) - a.x,
                                     static_cast<double>(b.y) - a.y);
    const Vector along = {(static_cast<double>(b.x) - a.x) / length,
                          (static_cast<double>(b.y) - a.y) / length};
    const Vector across = {-along.y, along.x};  // Into the hull.
    const auto advance = [&](size_t from, Vector direction) {
      while (Dot(direction, at(from + 1)) > Dot(direction, at(from))) ++from;
      return from;
    };
    front = advance(std::max(front, i + 1), along);
    far = advance(std::max(far, front), across);
    rear = advance(std::max(rear, far), {-along.x, -along.y});
    const double u0 = Dot(along, at(rear)), u1 = Dot(along, at(front));
    const double v0 = Dot(across, a), v1 = Dot(across, at(far));
    const double area = (u1 - u0) * (v1 - v0);
    if (!(area < least)) continue;
    least = area;
    best = RectOf(along, u0, u1, v0, v1);
  }
  return best;
}

RotatedRect RectAtAngle(std::span<const Point> points, float angle) {
  if (points.empty()) return {.angle = angle};
  const Vector along = {std::cos(angle), std::sin(angle)};
  const Vector across = {-along.y, along.x};
  double u0 = Dot(along, points[0]), u1 = u0;
  double v0 = Dot(across, points[0]), v1 = v0;
  for (const Point& p : points) {
    u0 = std::min(u0, Dot(along, p));
    u1 = std::max(u1, Dot(along, p));
    v0 = std::min(v0, Dot(across, p));
    v1 = std::max(v1, Dot(across, p));
  }
  RotatedRect rect = RectOf(along, u0, u1, v0, v1);
  rect.angle = angle;  // Not reduced to half a turn.
  return rect;
}

Quad OrderedQuad(const RotatedRect& rect) {
  Quad q = rect.corners;
  std::stable_sort(q.begin(), q.end(), [](const Point& a, const Point& b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  const bool left_in_order = q[0].y <= q[1].y;
  const bool right_in_order = q[2].y <= q[3].y;
  return {q[left_in_order ? 0 : 1], q[right_in_order ? 2 : 3],
          q[right_in_order ? 3 : 2], q[left_in_order ? 1 : 0]};
}

}  // namespace munja::geometry
