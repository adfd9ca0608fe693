/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TENSOR_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TENSOR_H_

#include "tensorflow/lite/kernels/internal/tensor.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TENSOR_H_ */
