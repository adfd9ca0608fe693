// Detectors of objects out of checkpoints: with the averaged weights, in eval
// mode.
#ifndef MUNJA_PRUNING_STUDY_YOLO_CHECKPOINT_H_
#define MUNJA_PRUNING_STUDY_YOLO_CHECKPOINT_H_

#include "base/status.h"
#include "pruning_study/yolo_net.h"
#include "pruning_study/yolo_recipe.h"
#include "train/checkpoint.h"

namespace munja::train {

struct TrainedYolo {
  YoloRecipe recipe;
  YoloNet net{nullptr};
};

// kMalformed: a checkpoint of another kind or of another network.
Result<TrainedYolo> YoloOf(const Checkpoint& checkpoint);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_CHECKPOINT_H_
