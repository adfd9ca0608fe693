/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TYPES_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TYPES_H_

#include "tensorflow/lite/kernels/internal/types.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_TYPES_H_ */
