// Outlines with fewer points.
#ifndef MUNJA_GEOMETRY_SIMPLIFY_H_
#define MUNJA_GEOMETRY_SIMPLIFY_H_

#include "geometry/quad.h"

namespace munja::geometry {

// The length of the closed outline.
double Perimeter(const Polygon& polygon);

// A closed outline of some of the points of `polygon`, from which none of the
// points left out is farther away than `tolerance` (Douglas and Peucker,
// "Algorithms for the reduction of the number of points required to represent
// a digitized line or its caricature", 1973; cut open at two points that lie
// far apart). In the order of `polygon`, from the lower of the two. Fewer than
// three distinct points can remain of a thin outline.
Polygon Simplify(const Polygon& polygon, double tolerance);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_SIMPLIFY_H_
