#include "train/compute_device.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

#include <algorithm>
#include <thread>

namespace munja::train {
namespace {

void SetMixedPrecision(bool on, torch::DeviceType type) {
#if TORCH_VERSION_MAJOR > 2 || \
    (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(type, at::kBFloat16);
  at::autocast::set_autocast_enabled(type, on);
#else
  if (type == torch::kCUDA) {
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(on);
  } else {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  }
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

bool HasFastBfloat16(torch::Device device, int threads) {
  if (device.is_cuda()) return true;
#if defined(__x86_64__) || defined(__i386__)
  // Without them libtorch converts to and fro, which is far slower.
  return device.is_cpu() && threads == 1 &&
         __builtin_cpu_supports("avx512bf16") != 0;
#else
  static_cast<void>(threads);
  return false;
#endif
}

MixedPrecision::MixedPrecision(bool on, torch::Device device, int threads)
    : on_(on && HasFastBfloat16(device, threads)), type_(device.type()) {
  if (on_) SetMixedPrecision(true, type_);
}

MixedPrecision::~MixedPrecision() {
  if (!on_) return;
  at::autocast::clear_cache();
  SetMixedPrecision(false, type_);
}

}  // namespace munja::train
