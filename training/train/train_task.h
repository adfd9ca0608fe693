// The course of every training, from the options to RunTraining().
#ifndef MUNJA_TRAIN_TRAIN_TASK_H_
#define MUNJA_TRAIN_TRAIN_TASK_H_

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/status.h"
#include "train/compute_device.h"
#include "train/training_loop.h"

namespace munja::train {

inline Result<std::string> RecipeText(const TrainOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(options.recipe));
  return std::string(bytes.begin(), bytes.end());
}

// Trains make(), which is called when libtorch has its threads and its seed.
// `facts` follow the number of parameters in the first line of the log.
template <class Recipe, class Make, class Prepare>
Status TrainTask(const TrainOptions& options, const std::string& kind,
                 const Recipe& recipe, const std::string& facts,
                 const Make& make, const Prepare& prepare) {
  MUNJA_ASSIGN_OR_RETURN(const TrainingStart start,
                         StartTraining(options, kind));
  MUNJA_ASSIGN_OR_RETURN(TrainingLog log,
                         TrainingLog::Open(options.log, options.echo));
  at::set_num_threads(ComputeThreads(options));
  torch::manual_seed(options.seed);
  auto task = make();
  SayStart(log, start,
           std::to_string(task.parameters()) + " parameters" + facts,
           task.device().is_cuda());
  MUNJA_RETURN_IF_ERROR(prepare(task, start));
  return RunTraining(options, recipe.schedule, recipe.pace, start.progress,
                     task, log);
}

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TRAIN_TASK_H_
