/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_REFERENCE_OPS_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_REFERENCE_OPS_H_

#include "tensorflow/lite/kernels/internal/reference/reference_ops.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_REFERENCE_OPS_H_ */
