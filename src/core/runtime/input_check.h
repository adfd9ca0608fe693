// Checks of what a caller hands to a session.
#ifndef MUNJA_RUNTIME_INPUT_CHECK_H_
#define MUNJA_RUNTIME_INPUT_CHECK_H_

#include <span>

#include "base/status.h"
#include "runtime/session.h"
#include "tensor/view.h"

namespace munja::runtime {

// Count, rank and fixed dimensions fit the model, and every dimension is
// given. kInvalidArgument names the input, what it wants and what it got.
Status CheckShapes(std::span<const TensorInfo> wanted,
                   std::span<const Shape> given);
// Whether it is only the shapes of as many inputs that do not fit: then false.
bool ShapesFit(std::span<const TensorInfo> wanted,
               std::span<const TensorView> given);
// As CheckShapes, and type, size in bytes and a pointer that is not null.
Status CheckInputs(std::span<const TensorInfo> wanted,
                   std::span<const TensorView> given);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_INPUT_CHECK_H_
