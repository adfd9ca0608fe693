// Options of TransformLandmarks.
#ifndef MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_LANDMARKS_H_
#define MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_LANDMARKS_H_

#include <cstdint>

#include "tensorflow/lite/delegates/gpu/common/mediapipe/options_reader.h"

namespace tflite {
namespace gpu {

struct TransformLandmarksAttributes {
  int dimensions = 3;
  float scale = 1;
  int version = 0;
};

inline OptionsStatus ParseTransformLandmarksV1Attributes(
    const void* data, uint32_t data_size, TransformLandmarksAttributes* attr,
    BHWC* output_shape) {
  (void)output_shape;
  mediapipe_internal::OptionsReader options(data, data_size);
  attr->version = 1;
  attr->dimensions = options.Int("dimensions", attr->dimensions);
  attr->scale = options.Float("scale", attr->scale);
  return options.status();
}

// The second version has none: each landmark has as many numbers as the map has
// channels.
inline OptionsStatus ParseTransformLandmarksV2Attributes(
    const void* data, uint32_t data_size, TransformLandmarksAttributes* attr,
    BHWC* output_shape) {
  (void)data;
  (void)data_size;
  attr->version = 2;
  attr->dimensions = output_shape->c;
  attr->scale = 1;
  return {};
}

}  // namespace gpu
}  // namespace tflite

#endif  // MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_LANDMARKS_H_
