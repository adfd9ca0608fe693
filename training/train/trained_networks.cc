#include "train/trained_networks.h"

#include <string>
#include <utility>

#include "train/trained_module.h"

namespace munja::train {
namespace {

Status ExpectKind(const Checkpoint& checkpoint, const std::string& kind) {
  if (checkpoint.kind == kind) return Status();
  return Malformed("it is the checkpoint of a " + checkpoint.kind +
                   ", wants a " + kind);
}

}  // namespace

Result<TrainedDetector> DetectorOf(const Checkpoint& checkpoint) {
  MUNJA_RETURN_IF_ERROR(ExpectKind(checkpoint, "detector"));
  TrainedDetector trained;
  MUNJA_ASSIGN_OR_RETURN(
      trained.recipe,
      ParseDetectorRecipe(checkpoint.recipe, checkpoint.recipe_path));
  trained.net = DetectorNet(trained.recipe.network);
  MUNJA_RETURN_IF_ERROR(
      LoadWeights(*trained.net, checkpoint, kAveragedWeights));
  trained.net->eval();
  return trained;
}

Result<TrainedYolo> YoloOf(const Checkpoint& checkpoint) {
  MUNJA_RETURN_IF_ERROR(ExpectKind(checkpoint, "objects"));
  TrainedYolo trained;
  MUNJA_ASSIGN_OR_RETURN(
      trained.recipe,
      ParseYoloRecipe(checkpoint.recipe, checkpoint.recipe_path));
  trained.net = YoloNet(trained.recipe.network);
  MUNJA_RETURN_IF_ERROR(
      LoadWeights(*trained.net, checkpoint, kAveragedWeights));
  trained.net->eval();
  return trained;
}

}  // namespace munja::train
