// Pictures as networks that find objects take them, and what these find. Free
// of libtorch.
#ifndef MUNJA_PRUNING_STUDY_OBJECT_PICTURES_H_
#define MUNJA_PRUNING_STUDY_OBJECT_PICTURES_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "pruning_study/yolo_boxes.h"

namespace munja::train {

// One level's map of a picture, behind the sigmoid, height x width x channels.
struct ObjectMap {
  std::span<const float> values;
  int height = 0, width = 0;
};

// Boxes as evaluations count them: all that are not hopeless, overlapping ones
// suppressed.
std::vector<DetectedObject> FindObjects(
    const std::array<ObjectMap, kYoloLevels>& maps, int classes, int side);

// The least overlap of a box that counts as found.
inline constexpr float kRightOverlap = 0.5f;

// The average precision of an exported model on `count` held-out pictures.
Result<double> EvaluateObjectModel(const std::string& model, int count);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_OBJECT_PICTURES_H_
