// Nodes with bodies, "If" and "While" (model.h): what they give.
#ifndef MUNJA_IMPORT_IR_BODIES_H_
#define MUNJA_IMPORT_IR_BODIES_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "import/ir/model.h"
#include "import/shapes/shape_inference.h"

namespace munja::foreign {

// Sizes in which branches differ, or that turns change, are unknown.
Result<std::vector<ValueInfo>> InferControl(const Node& node);

// Runs the bodies plainly. A loop ends when the current control says so.
Result<std::vector<Tensor>> RunControl(const Node& node,
                                       std::span<const Tensor* const> inputs);

// A variable of a loop, before its first turn.
struct LoopVariable {
  std::string name;  // For messages.
  ElementType type = ElementType::kFloat32;
};

// Sizes of variables that a turn changes become unknown; true when there were
// some. The body gives the variables from its output `first_output` on.
// kUnsupported: a variable is of another rank or type after a turn.
Result<bool> WidenShapes(const Model& body, size_t first_output,
                         std::span<const LoopVariable> variables,
                         std::span<Dims> shapes);

}  // namespace munja::foreign

#endif  // MUNJA_IMPORT_IR_BODIES_H_
