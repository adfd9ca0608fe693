// Parts of a model as models of their own.
#ifndef MUNJA_HAL_SLICE_H_
#define MUNJA_HAL_SLICE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "hal/model.h"

namespace munja::nn {

struct Slice {
  Model model;
  // Operands of the whole that are its inputs and outputs, in its order.
  std::vector<uint32_t> inputs, outputs;
};

// Operations of the main subgraph of a valid model, in an order in which they
// can run. What others read of their outputs, or the whole gives out, is an
// output. Large constants stay where they are.
Slice SliceOf(const Model& model, std::span<const uint32_t> operations);

// The model for a device of that version (munja_nn_version). kUnsupported: it
// says what the version has no words for. lost: what it does not say any more
// though it did, a line each, such as that float16 would do.
Result<Model> ConvertTo(Model model, int32_t version,
                        std::vector<std::string>* lost);

}  // namespace munja::nn

#endif  // MUNJA_HAL_SLICE_H_
