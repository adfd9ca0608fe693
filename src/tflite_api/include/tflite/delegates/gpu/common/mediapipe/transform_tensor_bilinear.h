/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_TENSOR_BILINEAR_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_TENSOR_BILINEAR_H_

#include "tensorflow/lite/delegates/gpu/common/mediapipe/transform_tensor_bilinear.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_TENSOR_BILINEAR_H_ \
        */
