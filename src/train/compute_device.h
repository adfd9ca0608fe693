// Where training computes, and with how many threads.
#ifndef MUNJA_TRAIN_COMPUTE_DEVICE_H_
#define MUNJA_TRAIN_COMPUTE_DEVICE_H_

#include <torch/torch.h>

#include "train/train_options.h"

namespace munja::train {

// The first CUDA device, or the processor.
torch::Device BestDevice();

// Threads that compute, at least 1.
int ComputeThreads(const TrainOptions& options);
// Threads that make pictures: a graphics card is fed by all processors; a
// processor that computes has little left.
int FeedThreads(const TrainOptions& options, torch::Device device);

// While it lives, convolutions and products on a CUDA device use bfloat16.
class MixedPrecision {
 public:
  explicit MixedPrecision(bool on);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  bool on_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_COMPUTE_DEVICE_H_
