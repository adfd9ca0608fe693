// Operators of .tflite in the neutral model (model.h, Direct): shapes and
// results by the kernels of this library, plainly. An operator that a front end
// writes this way needs no rule, no loop and no lowering of its own.
#ifndef MUNJA_IMPORT_DIRECT_H_
#define MUNJA_IMPORT_DIRECT_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "import/ir/model.h"
#include "import/shapes/shape_inference.h"
#include "tensor/view.h"

namespace munja::importer {

// `node.direct` is given. Sizes that depend on unknown ones are unknown.
Result<std::vector<ValueInfo>> InferDirect(const Node& node,
                                           std::span<const ValueInfo> inputs);

// Runs the node. Null for an absent optional input.
Result<std::vector<Tensor>> RunDirect(const Node& node,
                                      std::span<const Tensor* const> inputs,
                                      int64_t max_elements);

// The elements as a tensor of that type stores them: integers cut to its width.
std::vector<uint8_t> StoreAs(const Tensor& tensor, ElementType type);

// Copies a tensor of the engine. kUnsupported for non-numeric types.
Result<Tensor> FromView(const TensorView& view);

// The schema's name of a type: "FLOAT32".
const char* SchemaName(ElementType type);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_DIRECT_H_
