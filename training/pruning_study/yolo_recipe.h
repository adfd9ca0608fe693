// The section "objects" of a recipe: network and training of a detector of one
// kind of object.
#ifndef MUNJA_PRUNING_STUDY_YOLO_RECIPE_H_
#define MUNJA_PRUNING_STUDY_YOLO_RECIPE_H_

#include <string>

#include "base/status.h"
#include "pruning_study/yolo_layers.h"
#include "train/distillation.h"
#include "train/schedule.h"

namespace munja::train {

struct YoloRecipe {
  // "network": {"width": 0.5, "filters": [...]}: channels relative to the
  // published ones, then, after pruning, the filters of each convolution.
  YoloLayers network;
  // "training": what schedule.h lists, and:
  Schedule schedule;
  OptimizerSettings optimizer;
  Pace pace;
  int side = 160;      // Pixels of the square pictures; a multiple of 32.
  int pictures = 16;   // Pictures of a step.
  int held_out = 200;  // To evaluate on.
  bool mixed_precision = true;
  Distillation distillation;
};

// Parses a recipe's text; `path` is for messages. kMalformed names the member.
Result<YoloRecipe> ParseYoloRecipe(const std::string& text,
                                   const std::string& path);

// The text with these filters and the learning rate times `factor`.
Result<std::string> RecipeOfPruned(const std::string& text,
                                   const std::string& path,
                                   const YoloLayers& network, float factor);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_RECIPE_H_
