/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_

#include "tensorflow/lite/kernels/internal/quantization_util.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_ */
