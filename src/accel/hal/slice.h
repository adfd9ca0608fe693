// Parts of a model as models of their own.
#ifndef MUNJA_HAL_SLICE_H_
#define MUNJA_HAL_SLICE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "hal/model.h"

namespace munja::hal {

struct Slice {
  Model model;
  // Operands of the whole that are its inputs and outputs, in its order.
  std::vector<uint32_t> inputs, outputs;
};

// Operations of the main subgraph of a valid model, in an order in which they
// can run. Their values that other operations or the whole model's outputs need
// are outputs. Large constants stay where they are.
Slice SliceOf(const Model& model, std::span<const uint32_t> operations);

// The model for a device of that version (munja_nn_version). kUnsupported: it
// uses what that version lacks. lost: a line for each hint that was dropped,
// such as that float16 is precise enough.
Result<Model> ConvertTo(Model model, int32_t version,
                        std::vector<std::string>* lost);

}  // namespace munja::hal

#endif  // MUNJA_HAL_SLICE_H_
