// How well two polygons agree.
#ifndef MUNJA_GEOMETRY_IOU_H_
#define MUNJA_GEOMETRY_IOU_H_

#include <span>

#include "geometry/quad.h"

namespace munja::geometry {

struct PointD {
  double x = 0, y = 0;
  friend bool operator==(const PointD&, const PointD&) = default;
};

// Area of the intersection over area of the union of the two convex hulls;
// 0 when one has no area. In double precision, because figures are counted
// by it at a threshold.
double IntersectionOverUnion(std::span<const PointD> a,
                             std::span<const PointD> b);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_IOU_H_
