// The mean of a map inside a polygon.
#ifndef MUNJA_GEOMETRY_POLYGON_MEAN_H_
#define MUNJA_GEOMETRY_POLYGON_MEAN_H_

#include "geometry/quad.h"

namespace munja::geometry {

// Mean over the pixels whose centers (whole coordinates) lie inside the
// polygon or on its outline, by the even-odd rule; a polygon so thin that it
// holds no center gives the pixel nearest to its middle. Parts outside the
// map do not count; wholly outside: 0.
float PolygonMean(const float* map, int width, int height,
                  const Polygon& polygon);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_POLYGON_MEAN_H_
