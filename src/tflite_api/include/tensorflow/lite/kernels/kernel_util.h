// Helpers of operators to reach their tensors and to check them.
#ifndef MUNJA_TFLITE_KERNELS_KERNEL_UTIL_H_
#define MUNJA_TFLITE_KERNELS_KERNEL_UTIL_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tensorflow/lite/core/c/builtin_op_data.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/util.h"

namespace tflite {

inline int SizeOfDimension(const TfLiteTensor* t, int dim) {
  return t->dims->data[dim];
}
inline int NumDimensions(const TfLiteTensor* t) { return t->dims->size; }
inline int NumInputs(const TfLiteNode* node) {
  return node->inputs == nullptr ? 0 : node->inputs->size;
}
inline int NumOutputs(const TfLiteNode* node) {
  return node->outputs == nullptr ? 0 : node->outputs->size;
}
inline int NumIntermediates(const TfLiteNode* node) {
  return node->intermediates == nullptr ? 0 : node->intermediates->size;
}
inline int64_t NumElements(const int* dims, int num_dims) {
  int64_t count = 1;
  for (int i = 0; i < num_dims; ++i) count *= dims[i];
  return count;
}
inline int64_t NumElements(const TfLiteIntArray* dims) {
  return NumElements(dims->data, dims->size);
}
inline int64_t NumElements(const TfLiteTensor* t) {
  return NumElements(t->dims);
}

// The product of all arguments; kTfLiteError when an int cannot hold it.
template <class... Ints>
TfLiteStatus CheckedShapeProduct(int& product, Ints... sizes) {
  int64_t result = 1;
  bool fits = true;
  const auto multiply = [&](int64_t size) {
    fits = fits && !__builtin_mul_overflow(result, size, &result) &&
           result >= INT32_MIN && result <= INT32_MAX;
  };
  (multiply(static_cast<int64_t>(sizes)), ...);
  if (!fits) return kTfLiteError;
  product = static_cast<int>(result);
  return kTfLiteOk;
}

// ... of sizes, which are not negative; what goes wrong is reported.
inline TfLiteStatus CheckedShapeProduct(TfLiteContext* context, const int* dims,
                                        int count, const char* error_message,
                                        size_t& product) {
  TF_LITE_ENSURE(context, count >= 0 && (dims != nullptr || count == 0));
  CheckedInt<size_t> result = 1;
  for (int i = 0; i < count; ++i) {
    TF_LITE_ENSURE_MSG(context, dims[i] >= 0, "A size is negative.");
    result *= static_cast<size_t>(dims[i]);
  }
  TF_LITE_ENSURE_MSG(context, !result.Overflow(), "%s", error_message);
  product = result.Value();
  return kTfLiteOk;
}
inline TfLiteStatus CheckedShapeProduct(TfLiteContext* context,
                                        std::initializer_list<int> dims,
                                        const char* error_message,
                                        size_t& product) {
  return CheckedShapeProduct(context, dims.begin(),
                             static_cast<int>(dims.size()), error_message,
                             product);
}
inline TfLiteStatus CheckedShapeProductToInt(TfLiteContext* context,
                                             std::initializer_list<int> dims,
                                             const char* error_message,
                                             int& product) {
  size_t result = 0;
  TF_LITE_ENSURE_STATUS(
      CheckedShapeProduct(context, dims, error_message, result));
  TF_LITE_ENSURE_MSG(context, result <= static_cast<size_t>(INT32_MAX), "%s",
                     error_message);
  product = static_cast<int>(result);
  return kTfLiteOk;
}

namespace kernel_util_internal {

// Null when the list or the context has no such tensor.
inline TfLiteTensor* TensorOf(const TfLiteContext* context,
                              const TfLiteIntArray* list, int index) {
  if (list == nullptr || index < 0 || index >= list->size) return nullptr;
  const int number = list->data[index];
  if (number < 0) return nullptr;
  if (context->tensors != nullptr) {
    return static_cast<size_t>(number) < context->tensors_size
               ? &context->tensors[number]
               : nullptr;
  }
  return context->GetTensor != nullptr ? context->GetTensor(context, number)
                                       : nullptr;
}

inline TfLiteStatus Need(const TfLiteContext* context, const void* found,
                         const char* what, int index) {
  if (found != nullptr) return kTfLiteOk;
  auto* reporter = const_cast<TfLiteContext*>(context);
  if (reporter->ReportError != nullptr)
    reporter->ReportError(reporter, "The node has no %s %d.", what, index);
  return kTfLiteError;
}

}  // namespace kernel_util_internal

// Null when there is none, or an optional one is left out.
inline const TfLiteTensor* GetInput(const TfLiteContext* context,
                                    const TfLiteNode* node, int index) {
  return kernel_util_internal::TensorOf(context, node->inputs, index);
}
inline const TfLiteTensor* GetOptionalInputTensor(const TfLiteContext* context,
                                                  const TfLiteNode* node,
                                                  int index) {
  return GetInput(context, node, index);
}
// An input that is a variable: null otherwise.
inline TfLiteTensor* GetVariableInput(TfLiteContext* context,
                                      const TfLiteNode* node, int index) {
  TfLiteTensor* t =
      kernel_util_internal::TensorOf(context, node->inputs, index);
  return t != nullptr && t->is_variable ? t : nullptr;
}
inline TfLiteTensor* GetOutput(TfLiteContext* context, const TfLiteNode* node,
                               int index) {
  return kernel_util_internal::TensorOf(context, node->outputs, index);
}
inline TfLiteTensor* GetTemporary(TfLiteContext* context,
                                  const TfLiteNode* node, int index) {
  return kernel_util_internal::TensorOf(context, node->temporaries, index);
}
inline const TfLiteTensor* GetIntermediates(TfLiteContext* context,
                                            const TfLiteNode* node, int index) {
  return kernel_util_internal::TensorOf(context, node->intermediates, index);
}

// The same with an error instead of null.
inline TfLiteStatus GetInputSafe(const TfLiteContext* context,
                                 const TfLiteNode* node, int index,
                                 const TfLiteTensor** tensor) {
  *tensor = GetInput(context, node, index);
  return kernel_util_internal::Need(context, *tensor, "input", index);
}
inline TfLiteStatus GetOutputSafe(const TfLiteContext* context,
                                  const TfLiteNode* node, int index,
                                  TfLiteTensor** tensor) {
  *tensor = kernel_util_internal::TensorOf(context, node->outputs, index);
  return kernel_util_internal::Need(context, *tensor, "output", index);
}
inline TfLiteStatus GetTemporarySafe(const TfLiteContext* context,
                                     const TfLiteNode* node, int index,
                                     TfLiteTensor** tensor) {
  *tensor = kernel_util_internal::TensorOf(context, node->temporaries, index);
  return kernel_util_internal::Need(context, *tensor, "temporary", index);
}
inline TfLiteStatus GetIntermediatesSafe(const TfLiteContext* context,
                                         const TfLiteNode* node, int index,
                                         TfLiteTensor** tensor) {
  *tensor = kernel_util_internal::TensorOf(context, node->intermediates, index);
  return kernel_util_internal::Need(context, *tensor, "intermediate", index);
}

// The content is in the model's bytes.
inline bool IsConstantTensor(const TfLiteTensor* tensor) {
  return tensor->allocation_type == kTfLiteMmapRo;
}
// ... or was written once, in prepare.
inline bool IsConstantOrPersistentTensor(const TfLiteTensor* tensor) {
  return IsConstantTensor(tensor) ||
         tensor->allocation_type == kTfLitePersistentRo;
}
inline bool IsDynamicTensor(const TfLiteTensor* tensor) {
  return tensor->allocation_type == kTfLiteDynamic;
}
// The shape is known in invoke only, which resizes the tensor before writing.
inline void SetTensorToDynamic(TfLiteTensor* tensor) {
  if (tensor->allocation_type == kTfLiteDynamic) return;
  TfLiteTensorDataFree(tensor);
  tensor->allocation_type = kTfLiteDynamic;
  tensor->data.raw = nullptr;
}
inline void SetTensorToPersistentRo(TfLiteTensor* tensor) {
  if (tensor->allocation_type == kTfLitePersistentRo) return;
  TfLiteTensorDataFree(tensor);
  tensor->allocation_type = kTfLitePersistentRo;
  tensor->data.raw = nullptr;
}

// Float input with 8-bit weights.
inline bool IsHybridOp(const TfLiteTensor* input, const TfLiteTensor* weight) {
  return (weight->type == kTfLiteUInt8 || weight->type == kTfLiteInt8) &&
         input->type == kTfLiteFloat32;
}

inline bool HaveSameShapes(const TfLiteTensor* input1,
                           const TfLiteTensor* input2) {
  return TfLiteIntArrayEqual(input1->dims, input2->dims) != 0;
}

// A dimension of the signature takes any size.
inline bool HasUnspecifiedDimension(const TfLiteTensor* tensor) {
  const TfLiteIntArray* dims = tensor->dims_signature;
  if (dims == nullptr) return false;
  for (int i = 0; i < dims->size; ++i)
    if (dims->data[i] == -1) return true;
  return false;
}

inline std::string GetShapeDebugString(const TfLiteIntArray* shape) {
  std::string text = "[";
  for (int i = 0; i < shape->size; ++i)
    text += (i > 0 ? "," : "") + std::to_string(shape->data[i]);
  return text + "]";
}

// The shape in a tensor of int32 as dims, which the caller frees.
inline TfLiteStatus GetOutputShapeFromInput(TfLiteContext* context,
                                            const TfLiteTensor* input,
                                            TfLiteIntArray** output_shape) {
  TF_LITE_ENSURE_EQ(context, NumDimensions(input), 1);
  TF_LITE_ENSURE_TYPES_EQ(context, input->type, kTfLiteInt32);
  *output_shape =
      ConvertArrayToTfLiteIntArray(SizeOfDimension(input, 0), input->data.i32);
  return *output_shape != nullptr ? kTfLiteOk : kTfLiteError;
}

inline int TfLiteTypeGetSize(TfLiteType type) {
  size_t bytes = 0;
  return GetSizeOfType(nullptr, type, &bytes) == kTfLiteOk
             ? static_cast<int>(bytes)
             : 0;
}

// 4 and 2 for the types of which a byte holds several.
inline int TfLiteTypeGetSizeBits(TfLiteType type) {
  if (type == kTfLiteInt2) return 2;
  if (type == kTfLiteInt4 || type == kTfLiteUInt4) return 4;
  return 8 * TfLiteTypeGetSize(type);
}

inline bool IsMobilePlatform() { return false; }

}  // namespace tflite

#include "tensorflow/lite/kernels/kernel_quantization.h"
#include "tensorflow/lite/kernels/kernel_shapes.h"

#endif  // MUNJA_TFLITE_KERNELS_KERNEL_UTIL_H_
