// The section "recognizer" of a recipe: network and training.
#ifndef MUNJA_TRAIN_RECOGNIZER_RECIPE_H_
#define MUNJA_TRAIN_RECOGNIZER_RECIPE_H_

#include <string>

#include "base/status.h"
#include "train/distillation.h"
#include "train/line_feeder.h"
#include "train/nets/network_config.h"
#include "train/schedule.h"

namespace munja::train {

struct RecognizerRecipe {
  RecognizerConfig network;
  Schedule schedule;
  OptimizerSettings optimizer;
  Pace pace;
  LineFeedSettings feed;
  int held_out = 400;           // Lines of the held-out set.
  bool mixed_precision = true;  // bfloat16 where it is faster.
  Distillation distillation;
};

// Parses a recipe's text; `path` is for messages. kMalformed names the member.
Result<RecognizerRecipe> ParseRecognizerRecipe(const std::string& text,
                                               const std::string& path);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_RECOGNIZER_RECIPE_H_
