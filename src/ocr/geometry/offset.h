// Polygons grown or shrunk by a distance.
#ifndef MUNJA_GEOMETRY_OFFSET_H_
#define MUNJA_GEOMETRY_OFFSET_H_

#include <vector>

#include "base/status.h"
#include "geometry/quad.h"

namespace munja::geometry {

// Moves the outline outward by `distance` pixels (inward when negative) with
// round joins. The result may fall into several polygons or vanish. Computed
// on a grid of 1/1024 pixel; coordinates and distances of a million pixels or
// more, and fewer than three points, give nothing.
// Where memory runs out there may be nothing, too: see Grow.
std::vector<Polygon> Offset(const Polygon& polygon, double distance);

// The same outward, distance >= 0. kOutOfMemory.
Result<std::vector<Polygon>> Grow(const Polygon& polygon, double distance);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_OFFSET_H_
