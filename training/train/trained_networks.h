// Detectors out of checkpoints, as they are evaluated, exported, pruned and
// learned of: with the averaged weights, in eval mode.
#ifndef MUNJA_TRAIN_TRAINED_NETWORKS_H_
#define MUNJA_TRAIN_TRAINED_NETWORKS_H_

#include "base/status.h"
#include "train/checkpoint.h"
#include "train/detector_recipe.h"
#include "train/nets/detector_net.h"
#include "train/nets/yolo_net.h"
#include "train/yolo_recipe.h"

namespace munja::train {

inline constexpr char kAveragedWeights[] = "average/";

struct TrainedDetector {
  DetectorRecipe recipe;
  DetectorNet net{nullptr};
};
struct TrainedYolo {
  YoloRecipe recipe;
  YoloNet net{nullptr};
};

// kMalformed: a checkpoint of another kind or of another network.
Result<TrainedDetector> DetectorOf(const Checkpoint& checkpoint);
Result<TrainedYolo> YoloOf(const Checkpoint& checkpoint);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TRAINED_NETWORKS_H_
