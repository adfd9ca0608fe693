// Turns the outputs of a YOLO network into boxes and rates them. Free of
// libtorch.
#ifndef MUNJA_PRUNING_STUDY_YOLO_BOXES_H_
#define MUNJA_PRUNING_STUDY_YOLO_BOXES_H_

#include <array>
#include <span>
#include <vector>

#include "pruning_study/parcels.h"
#include "pruning_study/yolo_layers.h"

namespace munja::train {

struct DetectedObject {
  ObjectBox box;
  float score = 0;  // Objectness times the probability of the kind.
  int kind = 0;
};

// Anchor boxes as published, width and height at pictures of 640 pixels.
inline constexpr int kAnchorSide = 640;
inline constexpr std::array<std::array<float, 2 * kYoloAnchors>, kYoloLevels>
    kPublishedAnchors = {{{9, 6, 13, 16, 29, 11},
                          {29, 28, 66, 26, 51, 62},
                          {115, 54, 134, 119, 308, 147}}};
inline constexpr std::array<int, kYoloLevels> kYoloStrides = {8, 16, 32};
// Width and height of an anchor for square pictures of `side`.
std::array<float, 2> AnchorSize(int level, int anchor, int side);

// A level's probabilities (behind the sigmoid), height x width x (anchors x (5
// + classes)): x, y, w, h, objectness, kinds. Center ((2x - 0.5) + column) *
// stride, width (2w)^2 of the anchor's. Appends boxes with at least the score.
void DecodeLevel(int level, std::span<const float> values, int height,
                 int width, int classes, int side, float least_score,
                 std::vector<DetectedObject>* objects);

// Best first; those that overlap a better one of their kind by more than
// `overlap` (intersection over union) are left out.
std::vector<DetectedObject> SuppressOverlaps(
    std::vector<DetectedObject> objects, float overlap);

// The objects found on one picture, and those that are there.
struct ObjectResult {
  std::vector<DetectedObject> found;  // Objects of one kind.
  std::vector<ObjectBox> truth;
};
// Area under the curve of precision over recall; precision is the best at that
// recall or a higher one. A box is right when it overlaps a true one that no
// better box has by at least `overlap`.
double AveragePrecision(std::span<const ObjectResult> results, float overlap);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_BOXES_H_
