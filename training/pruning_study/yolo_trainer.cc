#include "pruning_study/yolo_trainer.h"

#include <torch/torch.h>

#include <string>
#include <utility>
#include <vector>

#include "pruning_study/object_pictures.h"
#include "pruning_study/parcels.h"
#include "pruning_study/yolo_checkpoint.h"
#include "pruning_study/yolo_loss.h"
#include "pruning_study/yolo_net.h"
#include "pruning_study/yolo_recipe.h"
#include "synth/recipe.h"
#include "train/compute_device.h"
#include "train/pixels.h"
#include "train/train_task.h"
#include "train/trained_module.h"
#include "train/training_loop.h"

namespace munja::train {
namespace {

torch::Tensor AsPictures(const std::vector<float>& pixels, int side,
                         torch::Device device) {
  const auto count = static_cast<int64_t>(pixels.size()) / (3 * side * side);
  return torch::from_blob(const_cast<float*>(pixels.data()),
                          {count, side, side, 3}, torch::kFloat32)
      .permute({0, 3, 1, 2})
      .to(device);
}

class ObjectTask : public TrainingTask {
 public:
  ObjectTask(const TrainOptions& options, const YoloRecipe& recipe,
             std::string recipe_text)
      : options_(options),
        recipe_(recipe),
        recipe_text_(std::move(recipe_text)),
        net_(recipe.network),
        trained_(*net_, BestDevice()) {
    net_->train();
  }

  // Loads the teacher, where the recipe names one.
  Status Prepare() {
    if (!recipe_.distillation.is_on()) return Status();
    const std::string path =
        BesideRecipe(options_.recipe, recipe_.distillation.teacher);
    MUNJA_ASSIGN_OR_RETURN(const Checkpoint checkpoint, ReadCheckpoint(path));
    auto teacher = YoloOf(checkpoint);
    if (!teacher.ok()) return std::move(teacher).TakeStatus().With(path);
    if (teacher->recipe.network.classes != recipe_.network.classes)
      return Malformed(path + " tells other kinds of objects");
    teacher_ = teacher->net;
    teacher_->to(trained_.device());
    return Status();
  }

  Status Resume(const Checkpoint& checkpoint) {
    next_ = checkpoint.progress.value("picture", uint64_t{0});
    return trained_.Load(checkpoint).With(options_.checkpoint);
  }

  Result<StepReport> Step(double learning_rate, uint64_t step) override {
    std::vector<float> pixels;
    std::vector<std::vector<ObjectBox>> objects;
    for (int i = 0; i < recipe_.pictures; ++i) {
      MUNJA_ASSIGN_OR_RETURN(ParcelSample sample,
                             MakeParcels(recipe_.side, options_.seed, next_++));
      AppendPixels(sample.picture, &pixels);
      objects.push_back(std::move(sample.boxes));
    }
    const torch::Tensor pictures =
        AsPictures(pixels, recipe_.side, trained_.device());
    const int classes = recipe_.network.classes;
    const auto logits = Logits(net_, pictures);
    torch::Tensor loss = YoloLoss(logits, classes, recipe_.side, objects);
    if (!teacher_.is_empty()) {
      std::array<torch::Tensor, kYoloLevels> wanted;
      {
        const torch::NoGradGuard no_gradients;
        wanted = Logits(teacher_, pictures);
      }
      loss = loss + recipe_.distillation.weight *
                        ObjectDistillationLoss(logits, wanted, classes);
    }
    loss.backward();
    StepReport report;
    report.loss = loss.item<double>();
    report.gradient_norm =
        trained_.Step(recipe_.optimizer, learning_rate, step);
    report.images = objects.size();
    return report;
  }

  Result<std::vector<SetFigures>> Evaluate() override {
    const AverageInPlace average(*net_, trained_);
    std::vector<ObjectResult> results;
    for (int i = 0; i < recipe_.held_out; ++i) {
      MUNJA_ASSIGN_OR_RETURN(
          ParcelSample sample,
          MakeParcels(recipe_.side, kHeldOutParcels, static_cast<uint64_t>(i)));
      std::vector<float> pixels;
      AppendPixels(sample.picture, &pixels);
      const auto logits =
          net_->forward(AsPictures(pixels, recipe_.side, trained_.device()));
      std::array<torch::Tensor, kYoloLevels> held;
      std::array<ObjectMap, kYoloLevels> maps;
      for (size_t l = 0; l < maps.size(); ++l) {
        held[l] = torch::sigmoid(logits[l])
                      .permute({0, 2, 3, 1})
                      .to(torch::kCPU, torch::kFloat32)
                      .contiguous();
        maps[l] = {
            {held[l].data_ptr<float>(), static_cast<size_t>(held[l].numel())},
            static_cast<int>(held[l].size(1)),
            static_cast<int>(held[l].size(2))};
      }
      results.push_back(
          {FindObjects(maps, recipe_.network.classes, recipe_.side),
           std::move(sample.boxes)});
    }
    return std::vector<SetFigures>{
        {"held-out",
         {{"pictures", static_cast<double>(recipe_.held_out)},
          {"average_precision", AveragePrecision(results, kRightOverlap)}}}};
  }

  Result<Checkpoint> Save() override {
    Checkpoint checkpoint;
    checkpoint.kind = "objects";
    checkpoint.recipe = recipe_text_;
    checkpoint.recipe_path = options_.recipe;
    checkpoint.progress = {{"seed", options_.seed}, {"picture", next_}};
    trained_.Save(&checkpoint);
    return checkpoint;
  }

  int64_t parameters() const { return trained_.parameters(); }
  torch::Device device() const { return trained_.device(); }

 private:
  std::array<torch::Tensor, kYoloLevels> Logits(YoloNet& net,
                                                const torch::Tensor& pictures) {
    std::array<torch::Tensor, kYoloLevels> logits;
    {
      const MixedPrecision mixed(recipe_.mixed_precision, trained_.device(),
                                 ComputeThreads(options_));
      logits = net->forward(pictures);
    }
    for (torch::Tensor& map : logits) map = map.to(torch::kFloat32);
    return logits;
  }

  const TrainOptions& options_;
  const YoloRecipe& recipe_;
  std::string recipe_text_;
  YoloNet net_;
  YoloNet teacher_{nullptr};
  TrainedModule trained_;
  uint64_t next_ = 0;  // Picture.
};

}  // namespace

Status TrainObjects(const TrainOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::string recipe_text, RecipeText(options));
  MUNJA_ASSIGN_OR_RETURN(const YoloRecipe recipe,
                         ParseYoloRecipe(recipe_text, options.recipe));
  return TrainTask(
      options, "objects", recipe, "",
      [&] { return ObjectTask(options, recipe, recipe_text); },
      [&](ObjectTask& task, const TrainingStart& start) {
        Status prepared = task.Prepare();
        if (prepared.ok() && start.resumes)
          return task.Resume(start.checkpoint);
        return prepared;
      });
}

}  // namespace munja::train
