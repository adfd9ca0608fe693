// Forward and backward of the networks, pictures a second.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "train/nets/detector_net.h"
#include "train/nets/recognizer_net.h"

namespace munja::train {
namespace {

constexpr int kThreads = 2;

void TrainRecognizer(benchmark::State& state) {
  torch::set_num_threads(kThreads);
  RecognizerNet net(RecognizerConfig(), static_cast<int>(state.range(0)));
  net->train();
  const int64_t count = 64;
  const torch::Tensor pictures = torch::randn({count, 3, 32, 192});
  for (auto _ : state) {
    net->zero_grad();
    const torch::Tensor logits = net->forward(pictures);
    torch::log_softmax(logits, 2).select(2, 0).mean().backward();
  }
  state.counters["pictures/s"] = benchmark::Counter(
      static_cast<double>(count) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(TrainRecognizer)
    ->Arg(300)
    ->Arg(2800)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void TrainDetector(benchmark::State& state) {
  torch::set_num_threads(kThreads);
  DetectorNet net((DetectorConfig()));
  net->train();
  const int64_t count = 4, side = state.range(0);
  const torch::Tensor pages = torch::randn({count, 3, side, side});
  for (auto _ : state) {
    net->zero_grad();
    const DetectorMaps maps = net->forward(pages);
    (maps.probability.mean() + maps.threshold.mean()).backward();
  }
  state.counters["pages/s"] = benchmark::Counter(
      static_cast<double>(count) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(TrainDetector)
    ->Arg(320)
    ->Arg(640)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace munja::train
