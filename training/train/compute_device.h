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

// Whether `threads` on `device` compute faster in bfloat16 than in float32:
// CUDA devices do, and one thread of a processor with instructions for it
// (AVX512_BF16). Several threads wait for each other in libtorch's bfloat16
// kernels without sleeping: beside other programs that takes several times the
// processor time of float32.
bool HasFastBfloat16(torch::Device device, int threads);

// While it lives, this thread's convolutions and products on `device` use
// bfloat16; nothing changes where that would not be faster.
class MixedPrecision {
 public:
  MixedPrecision(bool on, torch::Device device, int threads);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  bool on_;
  torch::DeviceType type_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_COMPUTE_DEVICE_H_
