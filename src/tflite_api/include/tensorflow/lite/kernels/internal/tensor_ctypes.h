// Data and shape of a TfLiteTensor, typed.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_TENSOR_CTYPES_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_TENSOR_CTYPES_H_

#include <cstdint>
#include <vector>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/types.h"

namespace tflite {

// Null when there is no tensor.
template <class T>
inline T* GetTensorData(TfLiteTensor* tensor) {
  return tensor != nullptr ? reinterpret_cast<T*>(tensor->data.raw) : nullptr;
}
template <class T>
inline const T* GetTensorData(const TfLiteTensor* tensor) {
  return tensor != nullptr ? reinterpret_cast<const T*>(tensor->data.raw)
                           : nullptr;
}

inline RuntimeShape GetTensorShape(const TfLiteTensor* tensor) {
  if (tensor == nullptr || tensor->dims == nullptr) return RuntimeShape();
  return RuntimeShape(tensor->dims->size, tensor->dims->data);
}
inline RuntimeShape GetTensorShape(const std::vector<int32_t>& data) {
  return RuntimeShape(static_cast<int>(data.size()), data.data());
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_TENSOR_CTYPES_H_
