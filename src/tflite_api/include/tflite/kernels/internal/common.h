/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_COMMON_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_COMMON_H_

#include "tensorflow/lite/kernels/internal/common.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_COMMON_H_ */
