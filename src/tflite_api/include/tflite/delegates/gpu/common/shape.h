/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_SHAPE_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_SHAPE_H_

#include "tensorflow/lite/delegates/gpu/common/shape.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_SHAPE_H_ */
