/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_PORTABLE_TENSOR_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_PORTABLE_TENSOR_H_

#include "tensorflow/lite/kernels/internal/portable_tensor.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_PORTABLE_TENSOR_H_ */
