/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_KERNEL_UTILS_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_KERNEL_UTILS_H_

#include "tensorflow/lite/kernels/internal/kernel_utils.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_KERNEL_UTILS_H_ */
