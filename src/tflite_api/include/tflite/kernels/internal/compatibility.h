/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_COMPATIBILITY_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_COMPATIBILITY_H_

#include "tensorflow/lite/kernels/internal/compatibility.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_COMPATIBILITY_H_ */
