#include "train/prune_checkpoint.h"

#include <torch/torch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/fields.h"
#include "train/checkpoint.h"
#include "train/detector_recipe.h"
#include "train/nets/detector_net.h"
#include "train/nets/export.h"
#include "train/nets/torch_weights.h"
#include "train/pruning_steps.h"
#include "train/trained_networks.h"

namespace munja::train {
namespace {

using Json = nlohmann::json;
using compress::BoxedSample;
using compress::PrunedLayer;

// The convolutions by the names that ExportDetector() gives them.
std::vector<std::pair<std::string, ConvBlock>> BlocksOf(
    const DetectorNet& net) {
  std::vector<std::pair<std::string, ConvBlock>> blocks = {{"stem", net->stem}};
  for (size_t s = 0; s < net->stages.size(); ++s)
    for (size_t i = 0; i < net->stages[s].size(); ++i)
      blocks.emplace_back(
          "stage" + std::to_string(s + 1) + "_" + std::to_string(i),
          net->stages[s][i]);
  if (!net->context.is_empty()) blocks.emplace_back("context", net->context);
  for (size_t i = 0; i < net->laterals.size(); ++i)
    blocks.emplace_back("lateral" + std::to_string(i + 1), net->laterals[i]);
  blocks.emplace_back("smooth", net->probability->smooth);
  return blocks;
}

Status NoLayer(const std::string& name) {
  return Internal("the exported network has no layer '" + name + "'");
}

// With as many channels as its layers keep.
Result<DetectorConfig> ConfigOfPruned(
    DetectorConfig config,
    const std::map<std::string, const PrunedLayer*>& layers) {
  std::map<std::string, int*> numbers = {{"stem", &config.channels[0]},
                                         {"lateral1", &config.pyramid_channels},
                                         {"smooth", &config.head_channels}};
  for (size_t s = 1; s < config.channels.size(); ++s)
    numbers["stage" + std::to_string(s) + "_0"] = &config.channels[s];
  for (const auto& [name, number] : numbers) {
    const auto layer = layers.find(name);
    if (layer == layers.end()) return NoLayer(name);
    *number = static_cast<int>(layer->second->kept.size());
  }
  return config;
}

void CutPixels(const torch::nn::Conv2d& from, const std::vector<int>& inputs,
               torch::nn::Conv2d& to) {
  torch::NoGradGuard no_gradients;
  to->weight.copy_(from->weight.index_select(1, IndexOf(inputs)));
  to->bias.copy_(from->bias);
}

// The head that is not exported: the largest filters.
Status CutThreshold(const DetectorNet& from, const std::vector<int>& inputs,
                    DetectorNet& to) {
  const FoldedConv folded = from->threshold->smooth->Fold();
  const std::vector<float> sums = Values(folded.weight.abs().sum({1, 2, 3}));
  const std::vector<int> kept = compress::ChooseBest(
      {sums.begin(), sums.end()}, to->config().head_channels);
  MUNJA_RETURN_IF_ERROR(
      to->threshold->smooth->SetCut(*from->threshold->smooth, kept, inputs));
  CutPixels(from->threshold->pixels, kept, to->threshold->pixels);
  return Status();
}

Result<graph::Graph> ExportedDetector(const Checkpoint& checkpoint) {
  MUNJA_ASSIGN_OR_RETURN(const TrainedDetector trained, DetectorOf(checkpoint));
  return ExportDetector(trained.net);
}

Result<PrunedCheckpoint> PruneDetector(const PruneJob& job,
                                       const Checkpoint& checkpoint,
                                       const std::string& recipe_path) {
  MUNJA_ASSIGN_OR_RETURN(const TrainedDetector trained, DetectorOf(checkpoint));
  const auto& [recipe, net] = trained;
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph, ExportDetector(net));
  MUNJA_ASSIGN_OR_RETURN(
      compress::PruneOptions options,
      PruneOptionsOf(job, checkpoint.kind, graph, ExportedDetector));
  for (const auto& [name, block] : BlocksOf(net))
    options.factors[name] = FactorsOf(block);
  std::vector<BoxedSample> samples;
  if (LooksAtPictures(job)) {
    if (job.calibrate.empty())
      return InvalidArgument(
          "the criterion 'clusters' and a budget need labeled pictures to "
          "calibrate on");
    MUNJA_ASSIGN_OR_RETURN(samples, LabeledSamples(job, 0));
  }
  MUNJA_ASSIGN_OR_RETURN(const compress::Pruned pruned,
                         PruneWithin(job.budget, graph, samples, options));
  std::map<std::string, const PrunedLayer*> layers;
  for (const PrunedLayer& layer : pruned.report.layers)
    layers[layer.name] = &layer;
  MUNJA_ASSIGN_OR_RETURN(const DetectorConfig small,
                         ConfigOfPruned(recipe.network, layers));
  DetectorNet to(small);
  const auto old_blocks = BlocksOf(net);
  const auto blocks = BlocksOf(to);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const PrunedLayer* layer = layers[blocks[i].first];
    if (layer == nullptr) return NoLayer(blocks[i].first);
    ConvBlock block = blocks[i].second;
    MUNJA_RETURN_IF_ERROR(
        block->SetCut(*old_blocks[i].second, layer->kept, layer->kept_inputs)
            .With(layer->name));
  }
  const PrunedLayer& smooth = *layers["smooth"];
  CutPixels(net->probability->pixels, smooth.kept, to->probability->pixels);
  MUNJA_RETURN_IF_ERROR(CutThreshold(net, smooth.kept_inputs, to));
  MUNJA_ASSIGN_OR_RETURN(Json json, bundle::ParseJson(checkpoint.recipe));
  json["detector"]["network"] = small.ToJson();
  json["detector"]["training"]["learning_rate"] =
      recipe.schedule.learning_rate * job.learning_rate_factor;
  std::string text = json.dump(2) + "\n";
  MUNJA_RETURN_IF_ERROR(AddTeacher(job, "detector", recipe_path, &text));
  PrunedCheckpoint to_write;
  to_write.report = pruned.report;
  to_write.checkpoint =
      Restarted(checkpoint, *to, std::move(text), recipe_path);
  return to_write;
}

}  // namespace

Result<compress::PruneReport> PruneCheckpoint(
    const PruneJob& job, std::span<const CheckpointKind> more_kinds) {
  if (IsRegularFile(job.out))
    return InvalidArgument(job.out + " exists already: name another file");
  MUNJA_ASSIGN_OR_RETURN(const Checkpoint checkpoint,
                         ReadCheckpoint(job.checkpoint));
  const std::string recipe_path =
      job.recipe.empty() ? job.out + ".json" : job.recipe;
  auto* prune = checkpoint.kind == "detector" ? PruneDetector : nullptr;
  for (const CheckpointKind& kind : more_kinds)
    if (kind.name == checkpoint.kind) prune = kind.prune;
  if (prune == nullptr)
    return Unsupported(job.checkpoint + " is the checkpoint of a " +
                       checkpoint.kind + "; those of detectors can be pruned");
  torch::NoGradGuard no_gradients;
  MUNJA_ASSIGN_OR_RETURN(
      PrunedCheckpoint pruned,
      prune(job, checkpoint, recipe_path).With(job.checkpoint));
  MUNJA_RETURN_IF_ERROR(WriteFile(recipe_path, pruned.checkpoint.recipe));
  MUNJA_RETURN_IF_ERROR(WriteCheckpoint(job.out, pruned.checkpoint));
  return std::move(pruned.report);
}

}  // namespace munja::train
