// The cost of a loop that does next to nothing: an operator of a network is
// often not longer than some microseconds.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace munja {
namespace {

void Loops(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  const auto count = static_cast<size_t>(state.range(1));
  uint64_t sums[64][8] = {};
  for (auto _ : state) {
    pool.ParallelFor(count, 1, [&](size_t begin, size_t, int worker) {
      for (int i = 0; i < 100; ++i)
        benchmark::DoNotOptimize(sums[worker][0] += begin);
    });
  }
}
BENCHMARK(Loops)
    ->ArgNames({"threads", "ranges"})
    ->Args({1, 16})
    ->Args({2, 2})
    ->Args({2, 16})
    ->Args({2, 256})
    ->UseRealTime();

}  // namespace
}  // namespace munja
