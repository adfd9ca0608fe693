#include "runtime/tensor_bytes.h"

#include <string>

#include "base/buffer.h"

namespace munja::runtime {

Result<size_t> TensorBytes(ElementType type, const Shape& shape) {
  const int64_t elements = shape.elements();
  size_t bytes = 0;
  if (elements < 0 || static_cast<uint64_t>(elements) > SIZE_MAX / 16) {
    return OutOfMemory("a tensor of shape " + shape.ToString() +
                       " is too large");
  }
  const size_t count = static_cast<size_t>(elements);
  if (type == ElementType::kInt4) return count / 2 + count % 2;
  const size_t size = ElementSize(type);
  if (size == 0) {
    return Unsupported(std::string("tensors of type ") + ElementTypeName(type) +
                       " cannot be computed with");
  }
  if (!CheckedMultiply(count, size, &bytes)) {
    return OutOfMemory("a tensor of shape " + shape.ToString() +
                       " is too large");
  }
  return bytes;
}

}  // namespace munja::runtime
