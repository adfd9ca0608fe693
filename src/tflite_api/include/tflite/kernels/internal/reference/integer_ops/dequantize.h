/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_DEQUANTIZE_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_DEQUANTIZE_H_

#include "tensorflow/lite/kernels/internal/reference/integer_ops/dequantize.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_DEQUANTIZE_H_ \
        */
