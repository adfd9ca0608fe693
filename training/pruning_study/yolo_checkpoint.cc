#include "pruning_study/yolo_checkpoint.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pruning_study/object_pictures.h"
#include "pruning_study/objects_kind.h"
#include "pruning_study/parcels.h"
#include "pruning_study/yolo_trainer.h"
#include "train/pixels.h"
#include "train/pruning_steps.h"
#include "train/trained_module.h"
#include "train/trained_networks.h"

namespace munja::train {
namespace {

using compress::BoxedSample;
using compress::PrunedLayer;

Result<std::vector<BoxedSample>> DrawnSamples(const PruneJob& job, int side) {
  std::vector<BoxedSample> samples;
  for (int i = 0; i < job.pictures; ++i) {
    // Behind those that evaluations look at.
    const uint64_t index =
        (uint64_t{1} << 32) + job.seed * 1000 + static_cast<uint64_t>(i);
    MUNJA_ASSIGN_OR_RETURN(const ParcelSample drawn,
                           MakeParcels(side, kHeldOutParcels, index));
    BoxedSample sample;
    for (const ObjectBox& box : drawn.boxes)
      sample.boxes.push_back({box.left / side, box.top / side, box.right / side,
                              box.bottom / side});
    sample.sample = {TensorOf(drawn.picture)};
    samples.push_back(std::move(sample));
  }
  return samples;
}

// Like ExpectSameOutput, for each of its maps.
Status ExpectEqualMaps(std::shared_ptr<const graph::Graph> graph, YoloNet& net,
                       const torch::Tensor& picture) {
  const auto logits = net->forward(picture);
  for (size_t l = 0; l < logits.size(); ++l) {
    auto single = std::make_shared<graph::Graph>(*graph);
    single->signatures.clear();
    single->main().outputs = {graph->main().outputs[l]};
    MUNJA_RETURN_IF_ERROR(ExpectSameOutput(
        single, picture, torch::sigmoid(logits[l]).permute({0, 2, 3, 1})));
  }
  return Status();
}

Result<std::shared_ptr<graph::Graph>> ToGraph(const Checkpoint& checkpoint) {
  MUNJA_ASSIGN_OR_RETURN(TrainedYolo trained, YoloOf(checkpoint));
  auto& [recipe, net] = trained;
  MUNJA_ASSIGN_OR_RETURN(graph::Graph exported, ExportYolo(net, recipe.side));
  auto graph = std::make_shared<graph::Graph>(std::move(exported));
  MUNJA_RETURN_IF_ERROR(ExpectEqualMaps(
      graph, net, torch::rand({1, 3, recipe.side, recipe.side}) * 2.0 - 1.0));
  return graph;
}

Result<graph::Graph> ExportedYolo(const Checkpoint& checkpoint) {
  MUNJA_ASSIGN_OR_RETURN(const TrainedYolo trained, YoloOf(checkpoint));
  return ExportYolo(trained.net, trained.recipe.side);
}

Result<PrunedCheckpoint> Prune(const PruneJob& job,
                               const Checkpoint& checkpoint,
                               const std::string& recipe_path) {
  MUNJA_ASSIGN_OR_RETURN(const TrainedYolo trained, YoloOf(checkpoint));
  const auto& [recipe, net] = trained;
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph,
                         ExportYolo(net, recipe.side));
  MUNJA_ASSIGN_OR_RETURN(
      compress::PruneOptions options,
      PruneOptionsOf(job, checkpoint.kind, graph, ExportedYolo));
  for (size_t i = 0; i < net->blocks.size(); ++i)
    if (!net->blocks[i].is_empty())
      options.factors[YoloLayerName(i)] = FactorsOf(net->blocks[i]);
  std::vector<BoxedSample> samples;
  if (LooksAtPictures(job)) {
    MUNJA_ASSIGN_OR_RETURN(samples, job.calibrate.empty()
                                        ? DrawnSamples(job, recipe.side)
                                        : LabeledSamples(job, recipe.side));
  }
  MUNJA_ASSIGN_OR_RETURN(const compress::Pruned pruned,
                         PruneWithin(job.budget, graph, samples, options));
  YoloLayers small = recipe.network;
  std::map<std::string, int> kept;
  for (const PrunedLayer& layer : pruned.report.layers)
    kept[layer.name] = static_cast<int>(layer.kept.size());
  std::vector<int> filters;
  for (size_t i = 0; i < small.layers.size(); ++i)
    if (small.layers[i].kind == YoloLayer::Kind::kConv)
      filters.push_back(kept[YoloLayerName(i)]);
  MUNJA_RETURN_IF_ERROR(small.SetFilters(filters));
  YoloNet to(small);
  MUNJA_RETURN_IF_ERROR(CutYolo(net, pruned.report.layers, to));
  MUNJA_ASSIGN_OR_RETURN(
      std::string text,
      RecipeOfPruned(checkpoint.recipe, checkpoint.recipe_path, small,
                     job.learning_rate_factor));
  MUNJA_RETURN_IF_ERROR(AddTeacher(job, "objects", recipe_path, &text));
  PrunedCheckpoint to_write;
  to_write.report = pruned.report;
  to_write.checkpoint =
      Restarted(checkpoint, *to, std::move(text), recipe_path);
  return to_write;
}

}  // namespace

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

CheckpointKind ObjectsKind() { return {"objects", ToGraph, Prune}; }

}  // namespace munja::train
