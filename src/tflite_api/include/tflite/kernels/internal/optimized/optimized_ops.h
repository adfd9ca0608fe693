/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_OPTIMIZED_OPTIMIZED_OPS_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_OPTIMIZED_OPTIMIZED_OPS_H_

#include "tensorflow/lite/kernels/internal/optimized/optimized_ops.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_OPTIMIZED_OPTIMIZED_OPS_H_ */
