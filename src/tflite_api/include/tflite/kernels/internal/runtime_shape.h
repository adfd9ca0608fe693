/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_RUNTIME_SHAPE_H_
#define MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_RUNTIME_SHAPE_H_

#include "tensorflow/lite/kernels/internal/runtime_shape.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_INTERNAL_RUNTIME_SHAPE_H_ */
