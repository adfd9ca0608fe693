// The section "detector" of a recipe: network and training.
#ifndef MUNJA_TRAIN_DETECTOR_RECIPE_H_
#define MUNJA_TRAIN_DETECTOR_RECIPE_H_

#include <string>

#include "base/status.h"
#include "train/distillation.h"
#include "train/nets/network_config.h"
#include "train/page_feeder.h"
#include "train/schedule.h"

namespace munja::train {

struct DetectorRecipe {
  DetectorConfig network;
  Schedule schedule;
  OptimizerSettings optimizer;
  Pace pace;
  PageFeedSettings feed;
  int held_out = 40;            // Pages of the held-out set.
  bool mixed_precision = true;  // bfloat16 where it is faster.
  Distillation distillation;
};

// Parses a recipe's text; `path` is for messages. kMalformed names the member.
Result<DetectorRecipe> ParseDetectorRecipe(const std::string& text,
                                           const std::string& path);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_DETECTOR_RECIPE_H_
