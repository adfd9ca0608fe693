/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_OPTIMIZED_NEON_CHECK_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_OPTIMIZED_NEON_CHECK_H_

#include "tensorflow/lite/kernels/internal/optimized/neon_check.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_OPTIMIZED_NEON_CHECK_H_ */
