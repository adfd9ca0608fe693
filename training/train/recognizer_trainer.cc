#include "train/recognizer_trainer.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/thread_pool.h"
#include "synth/recipe.h"
#include "tflite/read.h"
#include "train/compute_device.h"
#include "train/ctc_loss.h"
#include "train/distillation_loss.h"
#include "train/line_teacher.h"
#include "train/model_dictionary.h"
#include "train/nets/export.h"
#include "train/nets/recognizer_net.h"
#include "train/recognizer_evaluation.h"
#include "train/recognizer_recipe.h"
#include "train/train_task.h"
#include "train/trained_module.h"
#include "train/training_loop.h"

namespace munja::train {
namespace {

static_assert(kStepColumns == kColumnsPerStep);

// Sums over characters and blanks, so that lines of any length count evenly.
float LossWeight(const LineBatch& batch) {
  size_t characters = 0;
  for (const auto& label : batch.labels) characters += label.size() + 1;
  return 1.0f / static_cast<float>(characters);
}

// The probabilities that a teacher wants, and their weight in the loss.
struct Wanted {
  torch::Tensor probabilities;  // Undefined: there is none.
  float weight = 0;             // Relative to that of the labels.
};

// Runs the backward pass, too; gives the loss.
double BackwardOnProcessor(const RecognizerNet& net,
                           const torch::Tensor& logits, const LineBatch& batch,
                           const CharacterClasses& character_classes,
                           const Wanted& wanted, ThreadPool& pool) {
  torch::Tensor gradient;
  {
    torch::NoGradGuard no_gradients;
    gradient = net->Probabilities(logits.detach()).to(torch::kCPU).contiguous();
  }
  const auto steps = static_cast<size_t>(gradient.size(1));
  const auto columns = static_cast<size_t>(gradient.size(2));
  const float weight = LossWeight(batch);
  float* data = gradient.data_ptr<float>();
  std::vector<double> losses(static_cast<size_t>(batch.count));
  pool.ParallelFor(losses.size(), 4, [&](size_t begin, size_t end, int) {
    CtcScratch scratch;
    for (size_t i = begin; i < end; ++i) {
      losses[i] = CtcLoss(data + i * steps * columns, steps, columns,
                          batch.labels[i], weight, &scratch,
                          character_classes.Partners(batch.freedoms[i]),
                          character_classes.letters());
    }
  });
  double sum = 0;
  for (double loss : losses) sum += loss;
  sum *= weight;
  if (wanted.probabilities.defined()) {
    const torch::Tensor own =
        logits.detach().to(torch::kFloat32).requires_grad_();
    const torch::Tensor loss = LineDistillationLoss(own, wanted.probabilities) *
                               (wanted.weight * weight);
    loss.backward();
    gradient.add_(own.grad().to(torch::kCPU));
    sum += loss.item<double>();
  }
  logits.backward(gradient.to(logits.device(), logits.scalar_type()));
  return sum;
}

bool LeavesOpen(const LineBatch& batch) {
  return std::any_of(batch.freedoms.begin(), batch.freedoms.end(),
                     [](const LabelFreedom& freedom) {
                       return freedom.any_case || freedom.any_spaces;
                     });
}

double BackwardOnDevice(const torch::Tensor& logits, const LineBatch& batch,
                        const Wanted& wanted) {
  std::vector<int64_t> targets, lengths;
  for (const auto& label : batch.labels) {
    targets.insert(targets.end(), label.begin(), label.end());
    lengths.push_back(static_cast<int64_t>(label.size()));
  }
  const std::vector<int64_t> steps(static_cast<size_t>(batch.count),
                                   logits.size(1));
  const torch::Tensor scores =
      torch::log_softmax(logits.to(torch::kFloat32), 2).transpose(0, 1);
  torch::Tensor loss =
      torch::ctc_loss(scores,
                      torch::tensor(targets, torch::kLong).to(logits.device()),
                      torch::IntArrayRef(steps), torch::IntArrayRef(lengths),
                      /*blank=*/0, at::Reduction::Sum,
                      /*zero_infinity=*/true) *
      LossWeight(batch);
  if (wanted.probabilities.defined())
    loss = loss + LineDistillationLoss(logits, wanted.probabilities) *
                      (wanted.weight * LossWeight(batch));
  loss.backward();
  return loss.item<double>();
}

class RecognizerTask : public TrainingTask {
 public:
  RecognizerTask(const TrainOptions& options, const RecognizerRecipe& recipe,
                 const CharacterClasses& classes, std::string recipe_text)
      : options_(options),
        recipe_(recipe),
        classes_(classes),
        recipe_text_(std::move(recipe_text)),
        net_(recipe.network, classes.columns()),
        trained_(*net_, BestDevice()),
        pool_(ComputeThreads(options)) {
    net_->train();
  }

  Status Prepare(const RecognizerData& data, const TrainingStart& start) {
    FeedPosition position;
    if (start.resumes) {
      if (start.checkpoint.alphabet != classes_.alphabet()) {
        return InvalidArgument(options_.checkpoint +
                               " was trained with another alphabet");
      }
      MUNJA_RETURN_IF_ERROR(
          trained_.Load(start.checkpoint).With(options_.checkpoint));
      const nlohmann::json feed =
          start.checkpoint.progress.value("feed", nlohmann::json::object());
      position.chunk = feed.value("chunk", uint64_t{0});
      position.batch = feed.value("batch", uint64_t{0});
    }
    feeder_ = std::make_unique<LineFeeder>(
        data.training, &classes_, recipe_.feed, options_.seed,
        FeedThreads(options_, trained_.device()), position);
    if (!start.resumes && !options_.from.empty())
      MUNJA_RETURN_IF_ERROR(WarmStart().With(options_.from));
    MUNJA_RETURN_IF_ERROR(LoadTeacher());
    if (recipe_.held_out > 0) {
      MUNJA_ASSIGN_OR_RETURN(const LineFeeder::Maker maker,
                             data.open_held_out());
      MUNJA_ASSIGN_OR_RETURN(LineSet set, HeldOutLines(maker, recipe_.held_out,
                                                       recipe_.feed.height));
      sets_.push_back(std::move(set));
    }
    for (const std::string& path : options_.label_sets) {
      MUNJA_ASSIGN_OR_RETURN(LineSet set,
                             LabeledLines(path, recipe_.feed.height));
      sets_.push_back(std::move(set));
    }
    return Status();
  }

  Result<StepReport> Step(double learning_rate, uint64_t step) override {
    MUNJA_ASSIGN_OR_RETURN(const LineBatch batch, feeder_->Next());
    // A resumed run draws the same numbers (dropout) as one that went on.
    torch::manual_seed(options_.seed * 0x9E3779B97F4A7C15u + step);
    const bool on_card = trained_.device().is_cuda();
    torch::Tensor logits;
    {
      const MixedPrecision mixed(recipe_.mixed_precision, trained_.device(),
                                 ComputeThreads(options_));
      logits = net_->forward(ToTensor(batch, trained_.device()));
    }
    StepReport report;
    MUNJA_ASSIGN_OR_RETURN(const Wanted wanted, AskTeacher(batch));
    // libtorch's loss knows no classes that count as one, and no letters.
    report.loss =
        on_card && !LeavesOpen(batch) && !classes_.letters()
            ? BackwardOnDevice(logits, batch, wanted)
            : BackwardOnProcessor(net_, logits, batch, classes_, wanted, pool_);
    report.gradient_norm =
        trained_.Step(recipe_.optimizer, learning_rate, step);
    report.images = static_cast<uint64_t>(batch.count);
    return report;
  }

  Result<std::vector<SetFigures>> Evaluate() override {
    const AverageInPlace average(*net_, trained_);
    std::vector<SetFigures> all;
    for (const LineSet& set : sets_) {
      const document::Figures f =
          EvaluateLines(net_, trained_.device(), classes_, set);
      all.push_back({set.name,
                     {{"lines", static_cast<double>(f.images)},
                      {"accuracy", f.accuracy},
                      {"accuracy_relaxed", f.accuracy_relaxed},
                      {"cer", f.cer}}});
    }
    return all;
  }

  Result<Checkpoint> Save() override {
    Checkpoint checkpoint;
    checkpoint.kind = "recognizer";
    checkpoint.recipe = recipe_text_;
    checkpoint.recipe_path = options_.recipe;
    checkpoint.alphabet = classes_.alphabet();
    const FeedPosition position = feeder_->position();
    checkpoint.progress = {
        {"seed", options_.seed},
        {"feed", {{"chunk", position.chunk}, {"batch", position.batch}}}};
    trained_.Save(&checkpoint);
    return checkpoint;
  }

  int64_t parameters() const { return trained_.parameters(); }
  torch::Device device() const { return trained_.device(); }

 private:
  Status LoadTeacher() {
    if (!recipe_.distillation.is_on()) return Status();
    if (classes_.letters() != nullptr)
      return Unsupported(
          "recognizer.training.distillation: a teacher has a class for each "
          "syllable, and a network with hangul_letters does not");
    MUNJA_ASSIGN_OR_RETURN(
        teacher_,
        LineTeacher::Load(
            BesideRecipe(options_.recipe, recipe_.distillation.teacher),
            classes_.alphabet(), ComputeThreads(options_)));
    return Status();
  }

  Result<Wanted> AskTeacher(const LineBatch& batch) {
    Wanted wanted;
    if (!teacher_) return wanted;
    MUNJA_ASSIGN_OR_RETURN(const std::span<const float> given,
                           teacher_->Read(batch));
    wanted.weight = recipe_.distillation.weight;
    wanted.probabilities =
        torch::from_blob(
            const_cast<float*>(given.data()),
            {batch.count, batch.width / kStepColumns, classes_.classes()},
            torch::kFloat32)
            .to(trained_.device());
    return wanted;
  }

  Status WarmStart() {
    MUNJA_ASSIGN_OR_RETURN(const std::shared_ptr<graph::Graph> graph,
                           tflite::ReadFile(options_.from));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<std::string> alphabet,
                           AlphabetOfModel(*graph, options_.from));
    MUNJA_RETURN_IF_ERROR(
        InitializeFrom(net_, *graph, alphabet, classes_.alphabet()));
    torch::NoGradGuard no_gradients;
    net_->eval();
    {
      const NormalizationRebase rebase(*net_);
      for (int i = 0; i < kRebaseBatches; ++i) {
        MUNJA_ASSIGN_OR_RETURN(const LineBatch batch, feeder_->Next());
        net_->forward(ToTensor(batch, trained_.device()));
      }
    }
    net_->train();
    trained_.ResetAverage();
    return Status();
  }

  const TrainOptions& options_;
  const RecognizerRecipe& recipe_;
  const CharacterClasses& classes_;
  std::string recipe_text_;
  RecognizerNet net_;
  TrainedModule trained_;
  std::optional<LineTeacher> teacher_;
  ThreadPool pool_;
  std::unique_ptr<LineFeeder> feeder_;
  std::vector<LineSet> sets_;
};

}  // namespace

Status TrainRecognizer(const TrainOptions& options,
                       const RecognizerData& data) {
  MUNJA_ASSIGN_OR_RETURN(const std::string recipe_text, RecipeText(options));
  MUNJA_ASSIGN_OR_RETURN(const RecognizerRecipe recipe,
                         ParseRecognizerRecipe(recipe_text, options.recipe));
  MUNJA_ASSIGN_OR_RETURN(
      const CharacterClasses classes,
      CharacterClasses::Create(data.alphabet, recipe.network.hangul_letters));
  return TrainTask(
      options, "recognizer", recipe,
      ", " + std::to_string(classes.classes()) + " classes",
      [&] { return RecognizerTask(options, recipe, classes, recipe_text); },
      [&](RecognizerTask& task, const TrainingStart& start) {
        return task.Prepare(data, start);
      });
}

}  // namespace munja::train
