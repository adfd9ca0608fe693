// Which predictions of a YOLO network learn which objects. Free of libtorch.
//
// Candidates as in YOLOv5 and v7: the anchor is at most kLargestRatio times
// larger or smaller than the object, and the cell is the one of its center or
// the nearest one across and down. Of these each object gets as many as its
// best overlaps add up to, those with the least cost (Ge et al.: YOLOX, 2021:
// simplified optimal transport).
#ifndef MUNJA_PRUNING_STUDY_YOLO_ASSIGNMENT_H_
#define MUNJA_PRUNING_STUDY_YOLO_ASSIGNMENT_H_

#include <array>
#include <span>
#include <vector>

#include "pruning_study/parcels.h"
#include "pruning_study/yolo_layers.h"

namespace munja::train {

inline constexpr float kLargestRatio = 4;

// Logits of one picture: anchors x (5 + classes) x height x width.
struct YoloMap {
  const float* logits = nullptr;
  int height = 0, width = 0;
};

struct YoloMatch {
  int level = 0, anchor = 0, row = 0, column = 0;
  int object = 0;
};

// All objects are of the first kind. No prediction has two objects.
std::vector<YoloMatch> AssignObjects(
    const std::array<YoloMap, kYoloLevels>& maps, int classes, int side,
    std::span<const ObjectBox> objects);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_ASSIGNMENT_H_
