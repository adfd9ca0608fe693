// Axes of operators that reduce over a list of them.
#ifndef MUNJA_OPS_SUPPORT_REDUCED_AXES_H_
#define MUNJA_OPS_SUPPORT_REDUCED_AXES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "ops/op.h"
#include "tensor/shape.h"

namespace munja::ops {

// A run of neighboring dimensions that are all reduced or all kept.
struct AxisGroup {
  size_t size = 1;
  bool is_reduced = false;
};

struct ReducedAxes {
  Shape output;
  int64_t count = 1;              // Elements that meet in one result.
  std::vector<AxisGroup> groups;  // Input axes, without dimensions of 1.
};

// Input 0 over the axes in input 1, which may repeat and count from the end.
// Errors as KnownIntegers and NormalizeAxis have them.
Result<ReducedAxes> ReadReducedAxes(const PrepareContext& context,
                                    bool keep_dims);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_REDUCED_AXES_H_
