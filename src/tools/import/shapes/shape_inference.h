// The output shapes of each operator of the neutral model, and every check of
// its inputs and attributes.
#ifndef MUNJA_IMPORT_SHAPES_SHAPE_INFERENCE_H_
#define MUNJA_IMPORT_SHAPES_SHAPE_INFERENCE_H_

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/ir/model.h"

namespace munja::importer {

// The inferred facts of a value. `present` is false for an absent optional
// input.
struct ValueInfo {
  Dims shape;
  bool is_integer = false;
  bool present = true;
  ElementType type = ElementType::kFloat32;
  const Tensor* constant = nullptr;  // The value, where it is known.
};

// True for the operators that shape inference and the reference executor know.
bool IsKnownOp(std::string_view op);

// One entry an output. With fully known input shapes the results are fully
// known too. kMalformed, kUnsupported (unknown operator, or a form of it).
Result<std::vector<ValueInfo>> InferNode(const Node& node,
                                         std::span<const ValueInfo> inputs);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_SHAPES_SHAPE_INFERENCE_H_
