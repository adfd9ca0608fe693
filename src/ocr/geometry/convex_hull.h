// The smallest convex polygon around points.
#ifndef MUNJA_GEOMETRY_CONVEX_HULL_H_
#define MUNJA_GEOMETRY_CONVEX_HULL_H_

#include <span>

#include "geometry/quad.h"

namespace munja::geometry {

// Clockwise on the screen, from the leftmost point (the upper one of several);
// no point lies on the line between its neighbors. Fewer than three points for
// points that coincide or lie on one line. Not a number: left out.
Polygon ConvexHull(std::span<const Point> points);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_CONVEX_HULL_H_
