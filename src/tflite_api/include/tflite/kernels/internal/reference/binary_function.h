/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_BINARY_FUNCTION_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_BINARY_FUNCTION_H_

#include "tensorflow/lite/kernels/internal/reference/binary_function.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_REFERENCE_BINARY_FUNCTION_H_ */
