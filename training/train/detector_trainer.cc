#include "train/detector_trainer.h"

#include <torch/torch.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "synth/recipe.h"
#include "tflite/read.h"
#include "train/compute_device.h"
#include "train/db_loss.h"
#include "train/detector_evaluation.h"
#include "train/detector_recipe.h"
#include "train/distillation_loss.h"
#include "train/nets/detector_net.h"
#include "train/nets/export.h"
#include "train/train_task.h"
#include "train/trained_module.h"
#include "train/trained_networks.h"
#include "train/training_loop.h"

namespace munja::train {
namespace {

torch::Tensor Map(const std::vector<float>& values, const PageBatch& batch,
                  torch::Device device) {
  return torch::from_blob(const_cast<float*>(values.data()),
                          {batch.count, batch.side, batch.side},
                          torch::kFloat32)
      .to(device);
}

torch::Tensor Pictures(const PageBatch& batch, torch::Device device) {
  return torch::from_blob(const_cast<float*>(batch.pixels.data()),
                          {batch.count, batch.side, batch.side, 3},
                          torch::kFloat32)
      .permute({0, 3, 1, 2})
      .to(device);
}

class DetectorTask : public TrainingTask {
 public:
  DetectorTask(const TrainOptions& options, const DetectorRecipe& recipe,
               std::string recipe_text)
      : options_(options),
        recipe_(recipe),
        recipe_text_(std::move(recipe_text)),
        net_(recipe.network),
        trained_(*net_, BestDevice()) {
    net_->train();
  }

  Status Prepare(const DetectorData& data, const TrainingStart& start) {
    uint64_t position = 0;
    if (start.resumes) {
      MUNJA_RETURN_IF_ERROR(
          trained_.Load(start.checkpoint).With(options_.checkpoint));
      position = start.checkpoint.progress.value("batch", uint64_t{0});
    }
    feeder_ = std::make_unique<PageFeeder>(
        data.training, recipe_.feed, options_.seed,
        FeedThreads(options_, trained_.device()), position);
    if (!start.resumes && !options_.from.empty())
      MUNJA_RETURN_IF_ERROR(WarmStart().With(options_.from));
    MUNJA_RETURN_IF_ERROR(LoadTeacher());
    if (recipe_.held_out > 0) {
      MUNJA_ASSIGN_OR_RETURN(const PageFeeder::Maker maker,
                             data.open_held_out());
      MUNJA_ASSIGN_OR_RETURN(PageSet set,
                             HeldOutPages(maker, recipe_.held_out));
      sets_.push_back(std::move(set));
    }
    for (const std::string& path : options_.label_sets) {
      MUNJA_ASSIGN_OR_RETURN(PageSet set, LabeledPages(path));
      sets_.push_back(std::move(set));
    }
    return Status();
  }

  Result<StepReport> Step(double learning_rate, uint64_t step) override {
    MUNJA_ASSIGN_OR_RETURN(const PageBatch batch, feeder_->Next());
    const torch::Device device = trained_.device();
    const torch::Tensor pictures = Pictures(batch, device);
    const DetectorMaps maps = Logits(net_, pictures);
    const DbLoss loss =
        ComputeDbLoss(maps, {Map(batch.text, batch, device),
                             Map(batch.text_mask, batch, device),
                             Map(batch.threshold, batch, device),
                             Map(batch.threshold_mask, batch, device)});
    torch::Tensor total = loss.total;
    if (!teacher_.is_empty()) {
      torch::Tensor wanted;
      {
        const torch::NoGradGuard no_gradients;
        wanted = Logits(teacher_, pictures).probability;
      }
      total = total + recipe_.distillation.weight *
                          TextDistillationLoss(maps.probability, wanted);
    }
    total.backward();
    StepReport report;
    report.loss = total.item<double>();
    report.gradient_norm =
        trained_.Step(recipe_.optimizer, learning_rate, step);
    report.images = static_cast<uint64_t>(batch.count);
    return report;
  }

  Result<std::vector<SetFigures>> Evaluate() override {
    const AverageInPlace average(*net_, trained_);
    std::vector<SetFigures> all;
    for (const PageSet& set : sets_) {
      MUNJA_ASSIGN_OR_RETURN(const document::Figures f,
                             EvaluatePages(net_, trained_.device(), set));
      all.push_back({set.name,
                     {{"pages", static_cast<double>(f.images)},
                      {"hmean", f.det_hmean},
                      {"precision", f.det_precision},
                      {"recall", f.det_recall}}});
    }
    return all;
  }

  Result<Checkpoint> Save() override {
    Checkpoint checkpoint;
    checkpoint.kind = "detector";
    checkpoint.recipe = recipe_text_;
    checkpoint.recipe_path = options_.recipe;
    checkpoint.progress = {{"seed", options_.seed},
                           {"batch", feeder_->position()}};
    trained_.Save(&checkpoint);
    return checkpoint;
  }

  int64_t parameters() const { return trained_.parameters(); }
  torch::Device device() const { return trained_.device(); }

 private:
  DetectorMaps Logits(DetectorNet& net, const torch::Tensor& pictures) {
    const MixedPrecision mixed(recipe_.mixed_precision, trained_.device(),
                               ComputeThreads(options_));
    return net->forward(pictures);
  }

  // Where the recipe names one.
  Status LoadTeacher() {
    if (!recipe_.distillation.is_on()) return Status();
    const std::string path =
        BesideRecipe(options_.recipe, recipe_.distillation.teacher);
    MUNJA_ASSIGN_OR_RETURN(const Checkpoint checkpoint, ReadCheckpoint(path));
    auto teacher = DetectorOf(checkpoint);
    if (!teacher.ok()) return std::move(teacher).TakeStatus().With(path);
    teacher_ = teacher->net;
    teacher_->to(trained_.device());
    return Status();
  }

  Status WarmStart() {
    MUNJA_ASSIGN_OR_RETURN(const std::shared_ptr<graph::Graph> graph,
                           tflite::ReadFile(options_.from));
    MUNJA_RETURN_IF_ERROR(InitializeFrom(net_, *graph));
    torch::NoGradGuard no_gradients;
    net_->eval();
    {
      const NormalizationRebase rebase(*net_);
      for (int i = 0; i < kRebaseBatches; ++i) {
        MUNJA_ASSIGN_OR_RETURN(const PageBatch batch, feeder_->Next());
        net_->forward(Pictures(batch, trained_.device()));
      }
    }
    net_->train();
    trained_.ResetAverage();
    return Status();
  }

  const TrainOptions& options_;
  const DetectorRecipe& recipe_;
  std::string recipe_text_;
  DetectorNet net_;
  DetectorNet teacher_{nullptr};
  TrainedModule trained_;
  std::unique_ptr<PageFeeder> feeder_;
  std::vector<PageSet> sets_;
};

}  // namespace

Status TrainDetector(const TrainOptions& options, const DetectorData& data) {
  MUNJA_ASSIGN_OR_RETURN(const std::string recipe_text, RecipeText(options));
  MUNJA_ASSIGN_OR_RETURN(const DetectorRecipe recipe,
                         ParseDetectorRecipe(recipe_text, options.recipe));
  return TrainTask(
      options, "detector", recipe, "",
      [&] { return DetectorTask(options, recipe, recipe_text); },
      [&](DetectorTask& task, const TrainingStart& start) {
        return task.Prepare(data, start);
      });
}

}  // namespace munja::train
