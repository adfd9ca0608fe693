// The reference executor: runs a neutral model with plain loops, as the
// definitions of the operators read. It is the importer's own oracle and
// shares no arithmetic with the kernels of this project.
#ifndef MUNJA_IMPORT_REFERENCE_EXECUTOR_H_
#define MUNJA_IMPORT_REFERENCE_EXECUTOR_H_

#include <functional>
#include <span>
#include <vector>

#include "base/status.h"
#include "import/ir/model.h"

namespace munja::importer {

constexpr int64_t kMaxOutput = int64_t{1} << 28;  // Elements of a node.

// Runs one node. Null for an absent optional input. Shapes and attributes are
// checked first; its outputs may not have more than `max_elements` elements.
Result<std::vector<Tensor>> RunNode(const Node& node,
                                    std::span<const Tensor* const> inputs,
                                    int64_t max_elements = kMaxOutput);

// Runs the whole model on inputs in the order of model.inputs, laid out as the
// model has them (NCHW). Returns the outputs in the order of model.outputs.
// `visit`, when given, sees every result as it is computed. Values kept for
// later nodes count as memory of the current control.
using Visitor = std::function<void(ValueId, const Tensor&)>;
Result<std::vector<Tensor>> RunModel(const Model& model,
                                     std::span<const Tensor> inputs,
                                     const Visitor& visit = {});

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_REFERENCE_EXECUTOR_H_
