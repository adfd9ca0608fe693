// Options of Landmarks2TransformMatrix.
#ifndef MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_LANDMARKS_TO_MATRIX_H_
#define MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_LANDMARKS_TO_MATRIX_H_

#include <cstdint>
#include <vector>

#include "tensorflow/lite/delegates/gpu/common/mediapipe/options_reader.h"

namespace tflite {
namespace gpu {

struct LandmarksToTransformMatrixV1Attributes {
  int dimensions = 0;
  int landmarks_range = 0;
  int left_rotation_idx = 0;
  int right_rotation_idx = 0;
  float bbox_size_multiplier = 0;
  HW input_hw;
  HW output_hw;
  std::vector<int2> subset;
};

struct LandmarksToTransformMatrixV2Attributes {
  std::vector<int2> subset_idxs;
  int left_rotation_idx = 0;
  int right_rotation_idx = 0;
  float target_rotation_radians = 0;
  int output_height = 0;
  int output_width = 0;
  float scale_x = 0;
  float scale_y = 0;
  float multiplier = 1;
};

inline OptionsStatus ParseLandmarksToTransformMatrixV1Attributes(
    const void* data, uint32_t data_size,
    LandmarksToTransformMatrixV1Attributes* attr, BHWC* output_shape) {
  mediapipe_internal::OptionsReader options(data, data_size);
  attr->input_hw = options.Size("input_hw");
  attr->output_hw = options.Size("output_hw");
  attr->dimensions = options.Int("dimensions");
  attr->landmarks_range = options.Int("landmarks_range");
  attr->bbox_size_multiplier = options.Float("bbox_size_multiplier");
  attr->left_rotation_idx = options.Int("left_rotation_idx");
  attr->right_rotation_idx = options.Int("right_rotation_idx");
  attr->subset = options.Pairs("subset");
  *output_shape = BHWC(1, 1, 4, 4);
  return options.status();
}

inline OptionsStatus ParseLandmarksToTransformMatrixV2Attributes(
    const void* data, uint32_t data_size,
    LandmarksToTransformMatrixV2Attributes* attr, BHWC* output_shape) {
  mediapipe_internal::OptionsReader options(data, data_size);
  attr->subset_idxs = options.Pairs("subset_idxs");
  attr->left_rotation_idx = options.Int("left_rotation_idx");
  attr->right_rotation_idx = options.Int("right_rotation_idx");
  attr->target_rotation_radians = options.Float("target_rotation_radians");
  attr->output_height = options.Int("output_height");
  attr->output_width = options.Int("output_width");
  attr->scale_x = options.Float("scale_x");
  attr->scale_y = options.Float("scale_y");
  *output_shape = BHWC(1, 1, 4, 4);
  return options.status();
}

}  // namespace gpu
}  // namespace tflite

#endif  // MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_LANDMARKS_TO_MATRIX_H_
