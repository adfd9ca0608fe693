// Shapes of results of elementwise operators. Part of kernel_util.h.
#ifndef MUNJA_TFLITE_KERNELS_KERNEL_SHAPES_H_
#define MUNJA_TFLITE_KERNELS_KERNEL_SHAPES_H_

#include <algorithm>
#include <initializer_list>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/util.h"

namespace tflite {
namespace kernel_util_internal {

// The shape that all tensors stretch to; the caller frees it.
inline TfLiteStatus BroadcastShape(
    TfLiteContext* context, std::initializer_list<const TfLiteTensor*> tensors,
    TfLiteIntArray** output_shape) {
  int rank = 0;
  for (const TfLiteTensor* t : tensors) rank = std::max(rank, t->dims->size);
  IntArrayUniquePtr shape = BuildTfLiteArray<int>(rank);
  TF_LITE_ENSURE(context, shape != nullptr);
  for (int i = 0; i < rank; ++i) {
    int size = 1;
    for (const TfLiteTensor* t : tensors) {
      if (i >= t->dims->size) continue;
      const int here = t->dims->data[t->dims->size - 1 - i];
      if (here == 1 || here == size) continue;
      if (size != 1) {
        context->ReportError(context,
                             "Shapes do not broadcast: %d and %d, counted from "
                             "the end in dimension %d.",
                             size, here, i);
        return kTfLiteError;
      }
      size = here;
    }
    shape->data[rank - 1 - i] = size;
  }
  *output_shape = shape.release();
  return kTfLiteOk;
}

}  // namespace kernel_util_internal

inline TfLiteStatus CalculateShapeForBroadcast(TfLiteContext* context,
                                               const TfLiteTensor* input1,
                                               const TfLiteTensor* input2,
                                               TfLiteIntArray** output_shape) {
  return kernel_util_internal::BroadcastShape(context, {input1, input2},
                                              output_shape);
}
inline TfLiteStatus CalculateShapeForBroadcast(TfLiteContext* context,
                                               const TfLiteTensor* input1,
                                               const TfLiteTensor* input2,
                                               const TfLiteTensor* input3,
                                               TfLiteIntArray** output_shape) {
  return kernel_util_internal::BroadcastShape(context, {input1, input2, input3},
                                              output_shape);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_KERNEL_SHAPES_H_
