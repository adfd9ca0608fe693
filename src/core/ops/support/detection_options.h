// The options of TFLite_Detection_PostProcess, a FlexBuffers map.
#ifndef MUNJA_OPS_SUPPORT_DETECTION_OPTIONS_H_
#define MUNJA_OPS_SUPPORT_DETECTION_OPTIONS_H_

#include <cstdint>
#include <span>

#include "base/status.h"

namespace munja::ops {

struct DetectionOptions {
  int32_t max_detections = 0;
  int32_t max_classes_per_detection = 0;  // Per box, fast mode.
  int32_t detections_per_class = 100;     // Regular mode.
  int32_t num_classes = 0;                // Without the background.
  bool is_regular = false;
  float score_threshold = 0.0f;  // The lowest score that counts.
  float iou_threshold = 0.0f;    // In (0, 1]: more overlap drops a box.
  // Encodings are divided by these.
  float y_scale = 0.0f, x_scale = 0.0f, h_scale = 0.0f, w_scale = 0.0f;
};

// kMalformed unless the bytes are such a map and the values make sense.
Result<DetectionOptions> ParseDetectionOptions(std::span<const uint8_t> bytes);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_DETECTION_OPTIONS_H_
