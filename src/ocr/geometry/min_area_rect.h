// The rectangle of least area around points, at any angle.
#ifndef MUNJA_GEOMETRY_MIN_AREA_RECT_H_
#define MUNJA_GEOMETRY_MIN_AREA_RECT_H_

#include <span>

#include "geometry/quad.h"

namespace munja::geometry {

struct RotatedRect {
  Quad
      corners{};  // Clockwise on the screen; corners[0] to [1] is `width` long.
  float width = 0, height = 0;
  float angle = 0;  // Radians of corners[0] -> [1] against the x axis.
};

inline float ShortSide(const RotatedRect& rect) {
  return rect.width < rect.height ? rect.width : rect.height;
}

// Rotating calipers over the convex hull (Toussaint, "Solving geometric
// problems with the rotating calipers", 1983): one side of the rectangle lies
// on an edge of the hull. A single point or none gives a rectangle without
// extent, a line one without height.
RotatedRect MinAreaRect(std::span<const Point> points);

// The rectangle around points whose sides lie at `angle`, radians against the x
// axis.
RotatedRect RectAtAngle(std::span<const Point> points, float angle);

// The corners clockwise from the top-left of upright text: of the two left
// ones the upper comes first, of the two right ones it comes second (the order
// of PaddleOCR's post-processing).
Quad OrderedQuad(const RotatedRect& rect);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_MIN_AREA_RECT_H_
