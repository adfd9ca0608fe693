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
#include "image/resize.h"
#include "synth/parcels.h"
#include "train/checkpoint.h"
#include "train/detector_evaluation.h"
#include "train/detector_recipe.h"
#include "train/nets/detector_net.h"
#include "train/nets/export.h"
#include "train/nets/torch_weights.h"
#include "train/nets/yolo_net.h"
#include "train/object_pictures.h"
#include "train/trained_module.h"
#include "train/trained_networks.h"
#include "train/training_loop.h"
#include "train/yolo_recipe.h"
#include "train/yolo_trainer.h"

namespace munja::train {
namespace {

using Json = nlohmann::json;
using compress::BoxedSample;
using compress::PrunedLayer;

constexpr int kSideMultiple = 32;

compress::CalibrationTensor TensorOf(const image::Image& picture) {
  compress::CalibrationTensor tensor;
  tensor.shape = {1, picture.height(), picture.width(), 3};
  AppendPixels(picture, &tensor.values);
  return tensor;
}

// The first labeled pictures with boxes, `side` pixels wide and high or, 0, the
// nearest multiples of what they are.
Result<std::vector<BoxedSample>> LabeledSamples(const PruneJob& job, int side) {
  MUNJA_ASSIGN_OR_RETURN(const PageSet set, LabeledPages(job.calibrate));
  std::vector<BoxedSample> samples;
  const auto fit = [&](int length) {
    const int units = (length + kSideMultiple / 2) / kSideMultiple;
    return side > 0 ? side : std::max(1, units) * kSideMultiple;
  };
  for (const LabeledPage& page : set.pages) {
    if (static_cast<int>(samples.size()) == job.pictures) break;
    BoxedSample sample;
    const double width = page.picture.width(), height = page.picture.height();
    for (const document::LabeledLine& line : page.label.lines) {
      if (line.polygon.empty()) continue;
      compress::Box box = {1, 1, 0, 0};
      for (const geometry::PointD& p : line.polygon) {
        box.left = std::min(box.left, p.x / width);
        box.right = std::max(box.right, p.x / width);
        box.top = std::min(box.top, p.y / height);
        box.bottom = std::max(box.bottom, p.y / height);
      }
      sample.boxes.push_back(box);
    }
    if (sample.boxes.empty()) continue;
    MUNJA_ASSIGN_OR_RETURN(image::Image resized,
                           image::Image::Create(fit(page.picture.width()),
                                                fit(page.picture.height())));
    MUNJA_RETURN_IF_ERROR(image::Resize(page.picture.view(), resized));
    sample.sample = {TensorOf(resized)};
    samples.push_back(std::move(sample));
  }
  return samples;
}

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

// The exported network of `job.whole`.
Result<graph::Graph> WholeGraph(const PruneJob& job, const std::string& kind) {
  MUNJA_ASSIGN_OR_RETURN(const Checkpoint whole, ReadCheckpoint(job.whole));
  if (whole.kind != kind)
    return Malformed("it is the checkpoint of a " + whole.kind);
  if (kind == "objects") {
    MUNJA_ASSIGN_OR_RETURN(const TrainedYolo trained, YoloOf(whole));
    return ExportYolo(trained.net, trained.recipe.side);
  }
  MUNJA_ASSIGN_OR_RETURN(const TrainedDetector trained, DetectorOf(whole));
  return ExportDetector(trained.net);
}

bool LooksAtPictures(const PruneJob& job) {
  return job.criterion == compress::Criterion::kClusters ||
         job.budget.share > 0;
}

// All but levels of a budget, for which the factors have to be known.
Result<compress::PruneOptions> OptionsOf(const PruneJob& job,
                                         const std::string& kind,
                                         const graph::Graph& graph) {
  compress::PruneOptions options;
  options.level = job.level;
  if (!job.whole.empty()) {
    auto whole = WholeGraph(job, kind);
    if (!whole.ok()) return std::move(whole).TakeStatus().With(job.whole);
    options.level = 0;
    MUNJA_ASSIGN_OR_RETURN(
        options.levels, compress::LevelsCountedFrom(*whole, graph, job.level));
  }
  options.criterion = job.criterion;
  options.centers = job.centers;
  options.seed = job.seed;
  return options;
}

// By the levels of the options, or by those that meet the budget.
Result<compress::Pruned> PruneWithin(const compress::Budget& budget,
                                     const graph::Graph& graph,
                                     const std::vector<BoxedSample>& samples,
                                     compress::PruneOptions options) {
  if (budget.share > 0) {
    MUNJA_ASSIGN_OR_RETURN(
        options.levels,
        compress::LevelsOfBudget(graph, samples, options, budget));
  }
  return compress::Prune(graph, samples, options);
}

std::vector<double> FactorsOf(const ConvBlock& block) {
  const std::vector<float> values = Values(block->factors());
  return {values.begin(), values.end()};
}

// A checkpoint at the start of its training, with the module's weights.
Checkpoint Restarted(const Checkpoint& from, torch::nn::Module& module,
                     std::string recipe, const std::string& recipe_path) {
  Checkpoint checkpoint;
  checkpoint.kind = from.kind;
  checkpoint.recipe = std::move(recipe);
  checkpoint.recipe_path = recipe_path;
  checkpoint.progress = from.progress;
  checkpoint.progress["training"] = TrainingProgress().ToJson();
  TrainedModule trained(module, torch::kCPU);
  trained.Save(&checkpoint);
  return checkpoint;
}

struct Cut {
  Checkpoint checkpoint;
  compress::PruneReport report;
};

// Says in a recipe of `section` whom the smaller network learns from.
Status AddTeacher(const PruneJob& job, const std::string& section,
                  const std::string& recipe_path, std::string* recipe) {
  if (job.distillation <= 0) return Status();
  namespace fs = std::filesystem;
  MUNJA_ASSIGN_OR_RETURN(Json json, bundle::ParseJson(*recipe));
  const fs::path teacher = job.whole.empty() ? job.checkpoint : job.whole;
  json[section]["training"]["distillation"] = {
      {"teacher",
       fs::absolute(teacher)
           .lexically_proximate(fs::absolute(recipe_path).parent_path())
           .string()},
      {"weight", job.distillation}};
  *recipe = json.dump(2) + "\n";
  return Status();
}

Result<Cut> CutObjects(const PruneJob& job, const Checkpoint& checkpoint,
                       const std::string& recipe_path) {
  MUNJA_ASSIGN_OR_RETURN(const TrainedYolo trained, YoloOf(checkpoint));
  const auto& [recipe, net] = trained;
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph,
                         ExportYolo(net, recipe.side));
  MUNJA_ASSIGN_OR_RETURN(compress::PruneOptions options,
                         OptionsOf(job, checkpoint.kind, graph));
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
  Cut cut;
  cut.report = pruned.report;
  cut.checkpoint = Restarted(checkpoint, *to, std::move(text), recipe_path);
  return cut;
}

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

Result<Cut> CutDetector(const PruneJob& job, const Checkpoint& checkpoint,
                        const std::string& recipe_path) {
  MUNJA_ASSIGN_OR_RETURN(const TrainedDetector trained, DetectorOf(checkpoint));
  const auto& [recipe, net] = trained;
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph, ExportDetector(net));
  MUNJA_ASSIGN_OR_RETURN(compress::PruneOptions options,
                         OptionsOf(job, checkpoint.kind, graph));
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
  Cut cut;
  cut.report = pruned.report;
  cut.checkpoint = Restarted(checkpoint, *to, std::move(text), recipe_path);
  return cut;
}

}  // namespace

Result<compress::PruneReport> PruneCheckpoint(const PruneJob& job) {
  if (IsRegularFile(job.out))
    return InvalidArgument(job.out + " exists already: name another file");
  MUNJA_ASSIGN_OR_RETURN(const Checkpoint checkpoint,
                         ReadCheckpoint(job.checkpoint));
  const std::string recipe_path =
      job.recipe.empty() ? job.out + ".json" : job.recipe;
  torch::NoGradGuard no_gradients;
  Cut cut;
  if (checkpoint.kind == "objects") {
    MUNJA_ASSIGN_OR_RETURN(
        cut, CutObjects(job, checkpoint, recipe_path).With(job.checkpoint));
  } else if (checkpoint.kind == "detector") {
    MUNJA_ASSIGN_OR_RETURN(
        cut, CutDetector(job, checkpoint, recipe_path).With(job.checkpoint));
  } else {
    return Unsupported(job.checkpoint + " is the checkpoint of a " +
                       checkpoint.kind + "; those of detectors can be pruned");
  }
  MUNJA_RETURN_IF_ERROR(WriteFile(recipe_path, cut.checkpoint.recipe));
  MUNJA_RETURN_IF_ERROR(WriteCheckpoint(job.out, cut.checkpoint));
  return std::move(cut.report);
}

}  // namespace munja::train
