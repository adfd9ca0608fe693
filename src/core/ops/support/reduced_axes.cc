#include "ops/support/reduced_axes.h"

#include <array>

#include "ops/support/operands.h"

namespace munja::ops {

Result<ReducedAxes> ReadReducedAxes(const PrepareContext& context,
                                    bool keep_dims) {
  const Shape& shape = context.input(0).shape;
  MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> axes,
                         KnownIntegers(context, 1, "list of axes"));
  std::array<bool, kMaxRank> is_reduced{};
  for (const int64_t axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(const int i, NormalizeAxis(axis, shape.rank()));
    is_reduced[i] = true;
  }
  ReducedAxes result;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!is_reduced[i]) {
      result.output.Append(shape[i]);
    } else {
      result.count *= shape[i];
      if (keep_dims) result.output.Append(1);
    }
    const auto dim = static_cast<size_t>(shape[i]);
    if (dim == 1) continue;
    std::vector<AxisGroup>& groups = result.groups;
    if (!groups.empty() && groups.back().is_reduced == is_reduced[i]) {
      groups.back().size *= dim;
    } else {
      groups.push_back({dim, is_reduced[i]});
    }
  }
  return result;
}

}  // namespace munja::ops
