// The pixels of a filled polygon.
#ifndef MUNJA_GEOMETRY_FILL_H_
#define MUNJA_GEOMETRY_FILL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/contours.h"

namespace munja::geometry {

// Pixels [begin, end) of row y.
struct PixelSpan {
  int32_t y = 0, begin = 0, end = 0;
  friend bool operator==(const PixelSpan&, const PixelSpan&) = default;
};

// The pixels of a width x height image that a filled polygon covers: those
// inside by the even-odd rule and those of its outline drawn as lines of one
// pixel, so that even a polygon without area covers some. Sorted by row, then
// column; disjoint. Corners are pixels and may lie outside of the image, at
// most kMaxFillCoordinate away from 0.
std::vector<PixelSpan> FillPolygon(std::span<const PixelPoint> polygon,
                                   int width, int height);

inline constexpr int32_t kMaxFillCoordinate = 1 << 20;

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_FILL_H_
