// Upright rectangles.
#ifndef MUNJA_GEOMETRY_RECT_H_
#define MUNJA_GEOMETRY_RECT_H_

#include <algorithm>

#include "geometry/quad.h"

namespace munja::geometry {

// A rectangle of pixels or cells: right and bottom are the first ones outside.
template <class T>
struct Rect {
  T left{}, top{}, right{}, bottom{};

  T width() const { return right - left; }
  T height() const { return bottom - top; }
  T area() const { return std::max(width(), T{}) * std::max(height(), T{}); }
  friend bool operator==(const Rect&, const Rect&) = default;
};

// The part that both have; its area is 0 if there is none.
template <class T>
Rect<T> Intersection(const Rect<T>& a, const Rect<T>& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top),
          std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

// The corners, clockwise from the top left.
inline Quad CornersOf(const Rect<float>& r) {
  return {{{r.left, r.top},
           {r.right, r.top},
           {r.right, r.bottom},
           {r.left, r.bottom}}};
}

// The smallest rectangle around the corners.
inline Rect<float> BoundsOf(const Quad& quad) {
  Rect<float> r = {quad[0].x, quad[0].y, quad[0].x, quad[0].y};
  for (const Point& p : quad) {
    r.left = std::min(r.left, p.x);
    r.right = std::max(r.right, p.x);
    r.top = std::min(r.top, p.y);
    r.bottom = std::max(r.bottom, p.y);
  }
  return r;
}

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_RECT_H_
