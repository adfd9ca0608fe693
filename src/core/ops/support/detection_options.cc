#include "ops/support/detection_options.h"

#include <cmath>
#include <string>
#include <vector>

// Numbers are no text here; without this the header needs the library, too.
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include <flatbuffers/flexbuffers.h>

namespace munja::ops {
namespace {

Status Check(const DetectionOptions& o) {
  const auto positive = [](const char* name, int64_t value) {
    if (value > 0) return Status();
    return Malformed("option '" + std::string(name) + "' is " +
                     std::to_string(value));
  };
  MUNJA_RETURN_IF_ERROR(positive("max_detections", o.max_detections));
  MUNJA_RETURN_IF_ERROR(
      positive("max_classes_per_detection", o.max_classes_per_detection));
  MUNJA_RETURN_IF_ERROR(
      positive("detections_per_class", o.detections_per_class));
  MUNJA_RETURN_IF_ERROR(positive("num_classes", o.num_classes));
  if (!(o.iou_threshold > 0.0f && o.iou_threshold <= 1.0f)) {
    return Malformed("option 'nms_iou_threshold' is " +
                     std::to_string(o.iou_threshold));
  }
  for (const float scale : {o.y_scale, o.x_scale, o.h_scale, o.w_scale}) {
    if (!std::isfinite(scale) || scale == 0.0f)
      return Malformed("a box scale is " + std::to_string(scale));
  }
  return Status();
}

}  // namespace

Result<DetectionOptions> ParseDetectionOptions(std::span<const uint8_t> bytes) {
  // One flag for each byte that was looked at, so that no part is verified
  // twice: nested buffers could take exponential time.
  std::vector<uint8_t> seen;
  if (bytes.size() < 3 ||
      !flexbuffers::VerifyBuffer(bytes.data(), bytes.size(), &seen))
    return Malformed("the options are no FlexBuffers data");
  const auto root = flexbuffers::GetRoot(bytes.data(), bytes.size());
  if (!root.IsMap()) return Malformed("the options are no map");
  const auto map = root.AsMap();
  DetectionOptions o;
  o.max_detections = map["max_detections"].AsInt32();
  o.max_classes_per_detection = map["max_classes_per_detection"].AsInt32();
  if (!map["detections_per_class"].IsNull())
    o.detections_per_class = map["detections_per_class"].AsInt32();
  o.num_classes = map["num_classes"].AsInt32();
  if (!map["use_regular_nms"].IsNull())
    o.is_regular = map["use_regular_nms"].AsBool();
  o.score_threshold = map["nms_score_threshold"].AsFloat();
  o.iou_threshold = map["nms_iou_threshold"].AsFloat();
  o.y_scale = map["y_scale"].AsFloat();
  o.x_scale = map["x_scale"].AsFloat();
  o.h_scale = map["h_scale"].AsFloat();
  o.w_scale = map["w_scale"].AsFloat();
  MUNJA_RETURN_IF_ERROR(Check(o));
  return o;
}

}  // namespace munja::ops
