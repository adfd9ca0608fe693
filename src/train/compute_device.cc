#include "train/compute_device.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <thread>

namespace munja::train {
namespace {

void SetMixedPrecision(bool on) {
#if TORCH_VERSION_MAJOR > 2 || \
    (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCUDA, on);
#else
  at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
  at::autocast::set_enabled(on);
#endif
}

}  // namespace

torch::Device BestDevice() {
  return torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0)
                                     : torch::Device(torch::kCPU);
}

int ComputeThreads(const TrainOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int FeedThreads(const TrainOptions& options, torch::Device device) {
  if (options.feed_threads > 0) return options.feed_threads;
  const int threads = ComputeThreads(options);
  return device.is_cuda() ? std::max(1, threads - 1) : (threads + 1) / 2;
}

MixedPrecision::MixedPrecision(bool on) : on_(on) {
  if (on_) SetMixedPrecision(true);
}

MixedPrecision::~MixedPrecision() {
  if (!on_) return;
  at::autocast::clear_cache();
  SetMixedPrecision(false);
}

}  // namespace munja::train
