/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_TYPES_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_TYPES_H_

#include "tensorflow/lite/delegates/gpu/common/types.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_TYPES_H_ */
