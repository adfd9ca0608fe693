#include "synth/page_map.h"

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

float Cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

}  // namespace

PageMap::PageMap(float width, float height,
                 const std::array<Point, 4>& corners) {
  const auto& [p0, p1, p2, p3] = corners;
  // From the unit square, in closed form (Heckbert, "Fundamentals of texture
  // mapping and image warping", 1989).
  float g = 0, h = 0;
  bool convex = true;
  for (size_t i = 0; i < 4; ++i) {
    const Point a = corners[(i + 1) % 4] - corners[i],
                b = corners[(i + 2) % 4] - corners[(i + 1) % 4];
    if (!(Cross(a, b) > 0)) convex = false;
  }
  if (convex) {
    const Point sum = p0 - p1 + p2 - p3, d1 = p1 - p2, d2 = p3 - p2;
    const float det = Cross(d1, d2);
    g = Cross(sum, d2) / det;
    h = Cross(d1, sum) / det;
  }
  m_ = {(p1.x - p0.x + g * p1.x) / width,
        (p3.x - p0.x + h * p3.x) / height,
        p0.x,
        (p1.y - p0.y + g * p1.y) / width,
        (p3.y - p0.y + h * p3.y) / height,
        p0.y,
        g / width,
        h / height,
        1};
}

void PageMap::Bend(float width, float amplitude, bool spine) {
  bend_ = amplitude;
  bend_width_ = width;
  spine_ = spine;
}

Point PageMap::operator()(Point p) const {
  if (bend_ != 0) {
    const float t = std::clamp(p.x / bend_width_, -0.5f, 1.5f);
    p.y += spine_ ? bend_ * std::exp(-5 * std::max(t, -0.2f))
                  : bend_ * 4 * t * (1 - t);
  }
  // A point that would be behind the camera is kept far away instead.
  const float w = std::max(m_[6] * p.x + m_[7] * p.y + m_[8], 0.02f);
  return {(m_[0] * p.x + m_[1] * p.y + m_[2]) / w,
          (m_[3] * p.x + m_[4] * p.y + m_[5]) / w};
}

float PageMap::ScaleAt(Point p) const {
  const Point here = (*this)(p);
  const Point x = (*this)({p.x + 1, p.y}) - here,
              y = (*this)({p.x, p.y + 1}) - here;
  return std::sqrt(std::abs(Cross(x, y)));
}

Placement Placement::Rotated(Point origin, float radians, float curvature) {
  const float c = std::cos(radians), s = std::sin(radians);
  return {origin, {c, s}, {-s, c}, curvature};
}

Point Placement::operator()(Point p) const {
  if (curvature != 0) {
    const float radius = 1 / curvature, angle = p.x * curvature,
                r = radius - p.y;
    p = {r * std::sin(angle), radius - r * std::cos(angle)};
  }
  return origin + along * p.x + down * p.y;
}

}  // namespace munja::train
