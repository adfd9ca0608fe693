// One tensor in the words of TensorFlow Lite's C API.
#ifndef MUNJA_TFLITE_API_TENSOR_MIRROR_H_
#define MUNJA_TFLITE_API_TENSOR_MIRROR_H_

#include <cstddef>
#include <span>

#include "base/status.h"
#include "graph/graph.h"
#include "tensor/shape.h"
#include "tensorflow/lite/c/common.h"

namespace munja::compat {

// A new array, of the caller; null when there is no memory.
TfLiteIntArray* ArrayOf(std::span<const int32_t> numbers);
inline std::span<const int> SpanOf(const TfLiteIntArray* array) {
  if (array == nullptr || array->size <= 0) return {};
  return {array->data, static_cast<size_t>(array->size)};
}

// kInvalidArgument: no dimensions at all, more than kMaxRank, a negative one.
Result<Shape> ShapeOf(const TfLiteIntArray* dims);

// Bytes of a dense tensor. False when they do not fit, a dimension is
// negative, or the type has no fixed size.
bool BytesOf(TfLiteType type, std::span<const int> dims, size_t* bytes);

// Fills a zeroed tensor: type, name, shape (1 where it is not known, with the
// signature beside it), quantization, the data of a constant. The name and the
// data stay the value's; the rest is freed by TfLiteTensorFree.
Status Mirror(const graph::Value& value, TfLiteTensor* tensor);

// The allocation type of a computed tensor before Prepare: strings and other
// types without a fixed size are dynamic from the start.
TfLiteAllocationType AllocationOf(const graph::Value& value);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_TENSOR_MIRROR_H_
