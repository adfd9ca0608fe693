// The size of a dense tensor in memory.
#ifndef MUNJA_RUNTIME_TENSOR_BYTES_H_
#define MUNJA_RUNTIME_TENSOR_BYTES_H_

#include <cstddef>

#include "base/status.h"
#include "tensor/element_type.h"
#include "tensor/shape.h"

namespace munja::runtime {

// kUnsupported for types without a fixed size (strings), kOutOfMemory when the
// shape is dynamic or its product too large. 4-bit values count half a byte.
Result<size_t> TensorBytes(ElementType type, const Shape& shape);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_TENSOR_BYTES_H_
