#include "train/pruning_steps.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bundle/fields.h"
#include "image/resize.h"
#include "train/detector_evaluation.h"
#include "train/nets/torch_weights.h"
#include "train/pixels.h"
#include "train/trained_module.h"
#include "train/training_loop.h"

namespace munja::train {
namespace {

using compress::BoxedSample;

constexpr int kSideMultiple = 32;

// The exported network of `job.whole`.
Result<graph::Graph> WholeGraph(const PruneJob& job, const std::string& kind,
                                ExportNetwork export_network) {
  MUNJA_ASSIGN_OR_RETURN(const Checkpoint whole, ReadCheckpoint(job.whole));
  if (whole.kind != kind)
    return Malformed("it is the checkpoint of a " + whole.kind);
  return export_network(whole);
}

}  // namespace

compress::CalibrationTensor TensorOf(const image::Image& picture) {
  compress::CalibrationTensor tensor;
  tensor.shape = {1, picture.height(), picture.width(), 3};
  AppendPixels(picture, &tensor.values);
  return tensor;
}

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

bool LooksAtPictures(const PruneJob& job) {
  return job.criterion == compress::Criterion::kClusters ||
         job.budget.share > 0;
}

Result<compress::PruneOptions> PruneOptionsOf(const PruneJob& job,
                                              const std::string& kind,
                                              const graph::Graph& graph,
                                              ExportNetwork export_network) {
  compress::PruneOptions options;
  options.level = job.level;
  if (!job.whole.empty()) {
    auto whole = WholeGraph(job, kind, export_network);
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

Status AddTeacher(const PruneJob& job, const std::string& section,
                  const std::string& recipe_path, std::string* recipe) {
  if (job.distillation <= 0) return Status();
  namespace fs = std::filesystem;
  MUNJA_ASSIGN_OR_RETURN(nlohmann::json json, bundle::ParseJson(*recipe));
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

}  // namespace munja::train
