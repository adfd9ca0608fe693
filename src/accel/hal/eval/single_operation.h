// One operation whose operands are all known.
#ifndef MUNJA_HAL_EVAL_SINGLE_OPERATION_H_
#define MUNJA_HAL_EVAL_SINGLE_OPERATION_H_

#include <vector>

#include "base/status.h"
#include "hal/eval/executor.h"
#include "hal/model.h"
#include "tensor/view.h"

namespace munja::hal {

// In the order of the operation's outputs.
Result<std::vector<Tensor>> EvaluateOperation(const Subgraph& subgraph,
                                              const Operation& operation,
                                              std::vector<Tensor> inputs,
                                              bool reference_kernels);

// A copy of a runtime output, in the operand's type.
Tensor FromSchema(int32_t type, const TensorView& view);

}  // namespace munja::hal

#endif  // MUNJA_HAL_EVAL_SINGLE_OPERATION_H_
