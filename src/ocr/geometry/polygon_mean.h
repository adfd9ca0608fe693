// The mean of a map inside a polygon.
#ifndef MUNJA_GEOMETRY_POLYGON_MEAN_H_
#define MUNJA_GEOMETRY_POLYGON_MEAN_H_

#include "geometry/quad.h"

namespace munja::geometry {

// Mean over the pixels of the filled polygon (geometry/fill.h) whose corners
// are cut off to whole pixels: what PaddleOCR's post-processing compares with
// the box threshold. Parts outside the map do not count; wholly outside, or a
// coordinate that is NaN or beyond kMaxFillCoordinate: 0.
float PolygonMean(const float* map, int width, int height,
                  const Polygon& polygon);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_POLYGON_MEAN_H_
