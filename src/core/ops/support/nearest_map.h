// Which pixel of a map each pixel of the map enlarged by
// RESIZE_NEAREST_NEIGHBOR is.
#ifndef MUNJA_OPS_SUPPORT_NEAREST_MAP_H_
#define MUNJA_OPS_SUPPORT_NEAREST_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "ops/op.h"
#include "ops/support/row_kernel.h"
#include "tensor/shape.h"

namespace munja::ops {

// Height and width of what an NHWC image is resized to, from input `size_input`
// (two integers, known before the run). kMalformed for empty images,
// kOutOfMemory for sides that no table should be made for.
Result<std::pair<int32_t, int32_t>> ResizedSize(const PrepareContext& context,
                                                const Shape& image,
                                                int size_input);

struct NearestRule {
  bool align_corners = false, half_pixel = false;
};
// Reads align_corners and half_pixel_centers.
Result<NearestRule> ParseNearestRule(const graph::Attributes& attributes);

// Rows of a map of `height` rows from which `rows` of the resized one are
// copied; sources never decrease.
RowRange SourceRows(const std::vector<int32_t>& sources, int32_t height,
                    RowRange rows);

struct NearestMap {
  Shape shape;                         // Shape of the resized map, NHWC.
  int32_t height = 0;                  // Height of the source map.
  std::vector<int32_t> rows, columns;  // The source of each.
};

// Plans input `map` resized to input `size_input`; unchanged where the size is
// absent. kMalformed unless the map has four dimensions.
Result<NearestMap> PlaceNearest(const PrepareContext& context, int map,
                                int size_input, const NearestRule& rule);

// f if there are in * f sources and the i-th is i / f; else 0.
int32_t Replication(const std::vector<int32_t>& sources, int32_t in);

// The resized map of floats; out has `pixel_floats` for each pixel, of which
// the first in_shape[3] are written.
void CopyNearest(const NearestMap& map, const Shape& in_shape, const float* in,
                 size_t pixel_floats, float* out);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_NEAREST_MAP_H_
