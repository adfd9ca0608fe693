// Borders of the components of a bitmap.
#ifndef MUNJA_GEOMETRY_CONTOURS_H_
#define MUNJA_GEOMETRY_CONTOURS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"

namespace munja::geometry {

struct PixelPoint {
  int32_t x = 0, y = 0;
  friend bool operator==(const PixelPoint&, const PixelPoint&) = default;
};

using Contours = std::vector<std::vector<PixelPoint>>;

// Every border of the 8-connected components of the nonzero pixels, outer ones
// and those of holes, by the border following of Suzuki and Abe ("Topological
// structural analysis of digitized binary images by border following", 1985).
// A border is the list of its pixels where its direction changes, so straight
// runs keep their two ends only (OpenCV's RETR_LIST, CHAIN_APPROX_SIMPLE).
// In the order in which a scan by rows meets them (OpenCV lists the same
// borders, from the same starting points, the last one first); at most
// `max_contours`. Linear in the number of pixels. `stride` is in bytes from
// row to row. `memory`, if any, holds that copy of the bitmap and grows when it
// is too small, so that it may serve again. kOutOfMemory when there is no room.
Result<Contours> FindContours(const uint8_t* bitmap, int width, int height,
                              size_t stride, size_t max_contours,
                              Buffer* memory = nullptr);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_CONTOURS_H_
