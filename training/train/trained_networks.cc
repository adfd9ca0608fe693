#include "train/trained_networks.h"

#include <string>
#include <utility>

#include "runtime/session.h"
#include "train/trained_module.h"

namespace munja::train {
namespace {

// The largest allowed difference of probabilities.
constexpr double kTolerance = 1e-4;

}  // namespace

Status ExpectKind(const Checkpoint& checkpoint, const std::string& kind) {
  if (checkpoint.kind == kind) return Status();
  return Malformed("it is the checkpoint of a " + checkpoint.kind +
                   ", wants a " + kind);
}

Status ExpectSameOutput(std::shared_ptr<const graph::Graph> graph,
                        const torch::Tensor& picture,
                        const torch::Tensor& expected) {
  MUNJA_ASSIGN_OR_RETURN(const auto session,
                         runtime::CreateSession(std::move(graph), {}));
  const torch::Tensor nhwc = picture.permute({0, 2, 3, 1}).contiguous();
  TensorView view;
  for (const int64_t d : nhwc.sizes())
    view.shape.Append(static_cast<int32_t>(d));
  view.data = nhwc.data_ptr<float>();
  view.bytes = static_cast<size_t>(nhwc.numel()) * sizeof(float);
  MUNJA_ASSIGN_OR_RETURN(const auto outputs, session->Run({&view, 1}));
  if (outputs[0].shape.elements() != expected.numel())
    return Internal("the exported model gives " + outputs[0].shape.ToString());
  const torch::Tensor got =
      torch::from_blob(outputs[0].data, {expected.numel()}, torch::kFloat32);
  const double difference =
      (got - expected.reshape({-1})).abs().max().item<double>();
  if (difference < kTolerance) return Status();
  return Internal("the exported model differs from the trained one by " +
                  std::to_string(difference));
}

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

}  // namespace munja::train
