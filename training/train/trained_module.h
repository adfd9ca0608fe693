// TrainedModule: a network, its optimizer and its averaged weights.
#ifndef MUNJA_TRAIN_TRAINED_MODULE_H_
#define MUNJA_TRAIN_TRAINED_MODULE_H_

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "train/checkpoint.h"
#include "train/schedule.h"

namespace munja::train {

// Sets parameters and buffers from the tensors PREFIX + name ("average/" is
// what is evaluated and exported). kMalformed names the first that is missing
// or has another shape.
Status LoadWeights(torch::nn::Module& module, const Checkpoint& checkpoint,
                   const std::string& prefix);

// The parameters lie in one array, their gradients, moments and averages in
// others, so that a step is a handful of passes whatever the layers.
class TrainedModule {
 public:
  // Moves the module to the device. It must outlive this.
  TrainedModule(torch::nn::Module& module, torch::Device device);

  // The module's weights were set from outside: the average starts there.
  void ResetAverage();

  // One step of AdamW with the gradients summed since the last; clears them.
  // Gives their norm before clipping. A norm that is not finite changes
  // nothing else. `step` counts from 0.
  double Step(const OptimizerSettings& settings, double learning_rate,
              uint64_t step);

  // Exchanges the weights and their averages.
  void SwapAverage();

  // All tensors, and back. The weights must not be swapped.
  void Save(Checkpoint* checkpoint) const;
  Status Load(const Checkpoint& checkpoint);

  torch::Device device() const { return device_; }
  int64_t parameters() const { return values_.numel(); }

 private:
  struct Part {
    std::string name;
    std::vector<int64_t> shape;
    int64_t begin = 0, count = 0;
  };
  // Normalization statistics.
  struct Statistic {
    std::string name;
    torch::Tensor value, average;
  };
  torch::Tensor View(const torch::Tensor& flat, const Part& part) const;

  torch::Device device_;
  std::vector<Part> parts_;
  std::vector<Statistic> statistics_;
  int64_t decayed_ = 0;  // The first so many values are under weight decay.
  torch::Tensor values_, gradients_, moment1_, moment2_, average_;
};

// While it lives no gradients are tracked and the averaged weights are in
// place, in eval mode.
class AverageInPlace {
 public:
  AverageInPlace(torch::nn::Module& module, TrainedModule& trained);
  ~AverageInPlace();
  AverageInPlace(const AverageInPlace&) = delete;
  AverageInPlace& operator=(const AverageInPlace&) = delete;

 private:
  torch::NoGradGuard no_gradients_;
  torch::nn::Module& module_;
  TrainedModule& trained_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TRAINED_MODULE_H_
