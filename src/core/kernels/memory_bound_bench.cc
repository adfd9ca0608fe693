// The operators whose speed is that of memory, on maps of a text detector at
// 640 x 640 and of a recognizer's output.
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/elementwise/activation.h"
#include "kernels/elementwise/binary.h"
#include "kernels/move/strided_copy.h"
#include "kernels/reduce/arg_max.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/softmax.h"
#include "kernels/spatial/pool.h"

namespace munja::kernels {
namespace {

constexpr size_t kMap = size_t{160} * 160 * 64;
constexpr size_t kClasses = 6906, kSteps = 40;

void Bytes(benchmark::State& state, size_t floats) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(floats * sizeof(float)));
}

void BM_AddMaps(benchmark::State& state) {
  std::vector<float> a(kMap, 1.0f), b(kMap, 2.0f), c(kMap);
  BinaryBlock block{.a = a.data(), .b = b.data(), .out = c.data()};
  block.cols = kMap;
  for ([[maybe_unused]] auto _ : state) {
    Binary(BinaryKind::kAdd, {}, block);
    benchmark::ClobberMemory();
  }
  Bytes(state, 3 * kMap);
}
BENCHMARK(BM_AddMaps);

void BM_ScaleChannels(benchmark::State& state) {
  std::vector<float> a(kMap, 1.0f), b(64, 2.0f), c(kMap);
  BinaryBlock block{.a = a.data(), .b = b.data(), .out = c.data()};
  block.rows = kMap / 64;
  block.cols = block.a_row_stride = 64;
  for ([[maybe_unused]] auto _ : state) {
    Binary(BinaryKind::kMul, {}, block);
    benchmark::ClobberMemory();
  }
  Bytes(state, 2 * kMap);
}
BENCHMARK(BM_ScaleChannels);

void BM_Activate(benchmark::State& state) {
  std::vector<float> a(kMap, 0.7f), c(kMap);
  const Activation activation{static_cast<ActivationKind>(state.range(0))};
  for ([[maybe_unused]] auto _ : state) {
    Activate(activation, a.data(), kMap, c.data());
    benchmark::ClobberMemory();
  }
  Bytes(state, 2 * kMap);
}
BENCHMARK(BM_Activate)
    ->ArgName("kind")
    ->Arg(static_cast<int>(ActivationKind::kRelu))
    ->Arg(static_cast<int>(ActivationKind::kHardSwish))
    ->Arg(static_cast<int>(ActivationKind::kSigmoid))
    ->Arg(static_cast<int>(ActivationKind::kGelu));

void BM_MaxPool2x2(benchmark::State& state) {
  std::vector<float> in(kMap, 1.0f), out(kMap / 4);
  PoolShape s;
  s.in_h = s.in_w = 160;
  s.out_h = s.out_w = 80;
  s.channels = 64;
  s.kernel_h = s.kernel_w = s.stride_h = s.stride_w = 2;
  for ([[maybe_unused]] auto _ : state) {
    Pool(PoolKind::kMaximum, s, {}, in.data(), 0, 80, out.data());
    benchmark::ClobberMemory();
  }
  Bytes(state, kMap + kMap / 4);
}
BENCHMARK(BM_MaxPool2x2);

void BM_GlobalMean(benchmark::State& state) {
  std::vector<float> in(kMap, 1.0f), out(64);
  for ([[maybe_unused]] auto _ : state) {
    ReduceRows(ReduceKind::kSum, in.data(), kMap / 64, 64, 64, out.data());
    benchmark::ClobberMemory();
  }
  Bytes(state, kMap);
}
BENCHMARK(BM_GlobalMean);

void BM_ChannelsFirst(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  std::vector<uint8_t> in(kMap * size, 1), out(kMap * size);
  StridedCopy copy;
  copy.Append(64, 1, 160 * 160);
  copy.Append(160 * 160, 64, 1);
  ThreadPool pool(1);
  for ([[maybe_unused]] auto _ : state) {
    CopyStrided(copy, size, in.data(), out.data(), pool);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(2 * kMap * size));
}
BENCHMARK(BM_ChannelsFirst)->ArgName("bytes")->Arg(1)->Arg(2)->Arg(4);

void BM_Softmax(benchmark::State& state) {
  std::vector<float> in(kSteps * kClasses), out(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 97) * 0.2f;
  for ([[maybe_unused]] auto _ : state) {
    for (size_t r = 0; r < kSteps; ++r)
      Softmax(&in[r * kClasses], kClasses, 1.0f, &out[r * kClasses]);
    benchmark::ClobberMemory();
  }
  Bytes(state, 2 * in.size());
}
BENCHMARK(BM_Softmax);

void BM_ArgMax(benchmark::State& state) {
  std::vector<float> in(kSteps * kClasses);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i * 7919 % 9973);
  for ([[maybe_unused]] auto _ : state) {
    for (size_t r = 0; r < kSteps; ++r)
      benchmark::DoNotOptimize(ArgMax(&in[r * kClasses], kClasses));
  }
  Bytes(state, in.size());
}
BENCHMARK(BM_ArgMax);

}  // namespace
}  // namespace munja::kernels
