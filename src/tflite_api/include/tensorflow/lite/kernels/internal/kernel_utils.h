// Checks of what tensors say, for operators.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_KERNEL_UTILS_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_KERNEL_UTILS_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/util.h"

namespace tflite::kernel_utils {

enum class ElementCountLimit { kSizeT, kInt };

// The axis in a tensor of one int32 or int64, counted from the front.
inline TfLiteStatus ReadAndNormalizeAxis(TfLiteContext* context,
                                         const TfLiteTensor& axis_tensor,
                                         int rank, int& normalized_axis) {
  TF_LITE_ENSURE(context, rank >= 0);
  TF_LITE_ENSURE_MSG(context, axis_tensor.data.raw != nullptr,
                     "The axis has no data.");
  TF_LITE_ENSURE(context, axis_tensor.type == kTfLiteInt32 ||
                              axis_tensor.type == kTfLiteInt64);
  int64_t axis = axis_tensor.type == kTfLiteInt32
                     ? *GetTensorData<int32_t>(&axis_tensor)
                     : *GetTensorData<int64_t>(&axis_tensor);
  if (axis < 0) axis += rank;
  TF_LITE_ENSURE_MSG(context, axis >= 0 && axis < rank,
                     "The axis is out of range.");
  normalized_axis = static_cast<int>(axis);
  return kTfLiteOk;
}

// The product of the sizes from `begin` to `end`, which is not among them.
inline TfLiteStatus CheckedDimensionProduct(TfLiteContext* context,
                                            const TfLiteTensor& tensor,
                                            int begin, int end, int& product) {
  TF_LITE_ENSURE(context,
                 begin >= 0 && begin <= end && end <= NumDimensions(&tensor));
  CheckedInt<int> result = 1;
  for (int i = begin; i < end; ++i) {
    TF_LITE_ENSURE(context, SizeOfDimension(&tensor, i) >= 0);
    result *= SizeOfDimension(&tensor, i);
    TF_LITE_ENSURE_MSG(context, !result.Overflow(),
                       "The sizes do not fit an int.");
  }
  product = result.Value();
  return kTfLiteOk;
}

inline TfLiteStatus GetTensorElementCountAndValidateData(
    TfLiteContext* context, const TfLiteTensor& tensor, const char* tensor_name,
    ElementCountLimit limit, size_t& element_count) {
  const bool fits =
      CheckedNumElements(&tensor, element_count) == kTfLiteOk &&
      (limit == ElementCountLimit::kSizeT ||
       element_count <= static_cast<size_t>(std::numeric_limits<int>::max()));
  TF_LITE_ENSURE_MSG(context, fits, "The shape of %s is wrong or too large.",
                     tensor_name);
  TF_LITE_ENSURE_MSG(context, element_count == 0 || tensor.data.raw != nullptr,
                     "%s has no data.", tensor_name);
  return kTfLiteOk;
}
inline TfLiteStatus ValidateTensorElementsAndData(
    TfLiteContext* context, const TfLiteTensor& tensor, const char* tensor_name,
    ElementCountLimit limit = ElementCountLimit::kSizeT) {
  size_t count = 0;
  return GetTensorElementCountAndValidateData(context, tensor, tensor_name,
                                              limit, count);
}
inline TfLiteStatus CheckedTensorElementsAndData(TfLiteContext* context,
                                                 const TfLiteTensor& tensor,
                                                 const char* tensor_name,
                                                 int& element_count) {
  size_t count = 0;
  TF_LITE_ENSURE_STATUS(GetTensorElementCountAndValidateData(
      context, tensor, tensor_name, ElementCountLimit::kInt, count));
  element_count = static_cast<int>(count);
  return kTfLiteOk;
}

}  // namespace tflite::kernel_utils

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_KERNEL_UTILS_H_
