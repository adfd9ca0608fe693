// The loop around the steps of a training: schedule, reports, evaluations,
// checkpoints, the end.
#ifndef MUNJA_TRAIN_TRAINING_LOOP_H_
#define MUNJA_TRAIN_TRAINING_LOOP_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "train/checkpoint.h"
#include "train/schedule.h"
#include "train/train_options.h"
#include "train/training_log.h"

namespace munja::train {

struct TrainingProgress {
  uint64_t step = 0;
  double seconds = 0;  // Seconds of all runs.
  uint64_t images = 0;

  nlohmann::json ToJson() const;
  // kMalformed when a member is missing.
  static Result<TrainingProgress> FromJson(const nlohmann::json& json);
};

struct StepReport {
  double loss = 0;
  double gradient_norm = 0;
  uint64_t images = 0;
};

// The figures of one evaluation on one set.
struct SetFigures {
  std::string set;
  std::vector<std::pair<std::string, double>> figures;
};

// One network being trained.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;
  virtual Result<StepReport> Step(double learning_rate, uint64_t step) = 0;
  virtual Result<std::vector<SetFigures>> Evaluate() = 0;
  // All but the progress of the loop.
  virtual Result<Checkpoint> Save() = 0;
};

// Where a run starts: the checkpoint to resume from, or nothing.
struct TrainingStart {
  bool resumes = false;
  Checkpoint checkpoint;
  TrainingProgress progress;
};

// kInvalidArgument when the checkpoint exists and is not to be resumed;
// kMalformed when it is of another kind than `kind`.
Result<TrainingStart> StartTraining(const TrainOptions& options,
                                    const std::string& kind);

// "starting: NETWORK, processor" for people, or where the run goes on.
void SayStart(const TrainingLog& log, const TrainingStart& start,
              const std::string& network, bool on_card);

// Runs until the schedule's end, the run's limits, or options.stop. A step's
// loss that is not finite ten times in a row is kInternal: the training has
// left its rails, and the last checkpoint is kept.
Status RunTraining(const TrainOptions& options, const Schedule& schedule,
                   const Pace& pace, TrainingProgress progress,
                   TrainingTask& task, TrainingLog& log);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TRAINING_LOOP_H_
