// Learning from a larger network that is trained already (Hinton, Vinyals,
// Dean: Distilling the knowledge in a neural network, 2015). Free of libtorch.
#ifndef MUNJA_TRAIN_DISTILLATION_H_
#define MUNJA_TRAIN_DISTILLATION_H_

#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"

namespace munja::train {

// "training": {"distillation": {"teacher": "whole.checkpoint", "weight": 1}}.
struct Distillation {
  // The teacher of a recognizer is a .tflite model (line_teacher.h), any other
  // is a checkpoint. Relative paths are beside the recipe.
  std::string teacher;
  float weight = 1;  // Weight of its loss; that of the labels has 1.

  // `json` is the member; null where it is absent. kMalformed names the member
  // of `path` that is wrong.
  Status Read(const nlohmann::json* json, const std::string& path);
  bool is_on() const { return !teacher.empty(); }
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_DISTILLATION_H_
