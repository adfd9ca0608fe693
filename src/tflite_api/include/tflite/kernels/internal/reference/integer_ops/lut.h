/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_LUT_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_LUT_H_

#include "tensorflow/lite/kernels/internal/reference/integer_ops/lut.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_LUT_H_ */
