// Shape inference and execution of nodes with bodies, "If" and "While"
// (model.h).
#ifndef MUNJA_IMPORT_IR_BODIES_H_
#define MUNJA_IMPORT_IR_BODIES_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "import/ir/model.h"
#include "import/shapes/shape_inference.h"

namespace munja::importer {

// Dimensions in which branches differ, or that iterations change, are dynamic.
Result<std::vector<ValueInfo>> InferControl(const Node& node);

// Interprets the bodies. A loop ends when the current control demands it.
Result<std::vector<Tensor>> RunControl(const Node& node,
                                       std::span<const Tensor* const> inputs);

// A loop variable before the first iteration.
struct LoopVariable {
  std::string name;  // For messages.
  ElementType type = ElementType::kFloat32;
};

// Dimensions of variables that an iteration changes become dynamic; true when
// there were any. The body outputs the variables from `first_output` on.
// kUnsupported: a variable changes its rank or type.
Result<bool> WidenShapes(const Model& body, size_t first_output,
                         std::span<const LoopVariable> variables,
                         std::span<Dims> shapes);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_IR_BODIES_H_
