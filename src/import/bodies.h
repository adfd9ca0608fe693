// Nodes with bodies, "If" and "While" (model.h): what they give.
#ifndef MUNJA_IMPORT_BODIES_H_
#define MUNJA_IMPORT_BODIES_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "import/model.h"
#include "import/shape_inference.h"

namespace munja::foreign {

// Sizes in which branches differ, or that turns change, are unknown.
Result<std::vector<ValueInfo>> InferControl(const Node& node);

// Runs the bodies plainly. A loop ends when the current control says so.
Result<std::vector<Tensor>> RunControl(const Node& node,
                                       std::span<const Tensor* const> inputs);

}  // namespace munja::foreign

#endif  // MUNJA_IMPORT_BODIES_H_
