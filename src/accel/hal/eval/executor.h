// Runs a model operation by operation, when all operands of each are known.
// This works for every model.
#ifndef MUNJA_HAL_EVAL_EXECUTOR_H_
#define MUNJA_HAL_EVAL_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "hal/model.h"

namespace munja::hal {

// The value of an operand.
struct Tensor {
  bool is_absent = false;
  Dimensions dimensions;  // All known: 0 means 0.
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;  // Owns `bytes`; null: the caller does.
};

struct EvalOptions {
  bool reference_kernels = true;  // Use the reference kernels.
  uint64_t deadline_ns = 0;       // As munja_nn_execution_options'.
  uint64_t loop_timeout_ns = 0;
};

// The main subgraph of a validated model. kInvalidArgument: values or
// dimensions that an operation does not take; kTimedOut.
Result<std::vector<Tensor>> Evaluate(const Model& model,
                                     std::vector<Tensor> inputs,
                                     const EvalOptions& options);

// kInvalidArgument: its dimensions are not those that the operand states.
Status CheckStated(const Operand& operand, const Tensor& tensor);

}  // namespace munja::hal

#endif  // MUNJA_HAL_EVAL_EXECUTOR_H_
