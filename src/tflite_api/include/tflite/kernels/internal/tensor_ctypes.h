/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TENSOR_CTYPES_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TENSOR_CTYPES_H_

#include "tensorflow/lite/kernels/internal/tensor_ctypes.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TENSOR_CTYPES_H_ */
