// The tensor that fusion passes add to a result before the activation.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_RESIDUAL_H_
#define MUNJA_OPS_SUPPORT_LINEAR_RESIDUAL_H_

#include <string>

#include "base/status.h"
#include "ops/op.h"

namespace munja::ops {

// Input 3 of operators whose attribute has_residual is true: checked when the
// kernel is made. False when there is none.
inline Result<bool> ParseResidual(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const bool has,
                         info.attributes().Bool("has_residual", false));
  if (!has) {
    if (info.inputs() > 3)
      return Malformed("has a fourth input, but not has_residual");
    return false;
  }
  const graph::Value* value = info.input(3);
  if (value == nullptr) return Malformed("has_residual without a fourth input");
  if (value->type != ElementType::kFloat32)
    return Unsupported("a residual that is not float32 is not implemented");
  return true;
}

// When it is prepared: the shape of the output, which may lie over it.
inline Status PrepareResidual(PrepareContext& context, const Shape& output,
                              int input = 3) {
  const Shape& shape = context.input(input).shape;
  if (shape != output) {
    return Malformed("the residual has shape " + shape.ToString() +
                     ", the output " + output.ToString());
  }
  context.AllowInPlace(0, input);
  return Status();
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_RESIDUAL_H_
