// Options of TransformTensorBilinear.
#ifndef MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_TENSOR_H_
#define MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_TENSOR_H_

#include <cstdint>

#include "tensorflow/lite/delegates/gpu/common/mediapipe/options_reader.h"

namespace tflite {
namespace gpu {

struct TransformTensorBilinearAttributes {
  HW output_size;
  bool align_corners = false;
  int version = 0;
};

inline OptionsStatus ParseTransformTensorBilinearV1Attributes(
    const void* data, uint32_t data_size,
    TransformTensorBilinearAttributes* attr, BHWC* output_shape) {
  mediapipe_internal::OptionsReader options(data, data_size);
  attr->version = 1;
  attr->align_corners = false;
  if (options.Has("mode") && options.Text("mode") != "bilinear")
    options.Fail("mode is not bilinear.");
  if (options.Has("output_size"))
    attr->output_size = options.Size("output_size");
  *output_shape = BHWC(1, attr->output_size.h, attr->output_size.w, 1);
  return options.status();
}

inline OptionsStatus ParseTransformTensorBilinearV2Attributes(
    const void* data, uint32_t data_size,
    TransformTensorBilinearAttributes* attr, BHWC* output_shape) {
  mediapipe_internal::OptionsReader options(data, data_size);
  attr->version = 2;
  attr->align_corners = true;
  attr->output_size =
      HW(options.Int("output_height"), options.Int("output_width"));
  *output_shape = BHWC(1, attr->output_size.h, attr->output_size.w, 1);
  return options.status();
}

}  // namespace gpu
}  // namespace tflite

#endif  // MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_TRANSFORM_TENSOR_H_
