// Time of one memory plan, and its arena against the most bytes alive at once.
#include <algorithm>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "runtime/memory_plan.h"

namespace munja::runtime {
namespace {

// A chain with a few long skips, as a feature pyramid has them.
std::vector<BufferRequest> Network(int nodes) {
  std::mt19937 random(1);
  std::vector<BufferRequest> requests;
  for (int n = 0; n < nodes; ++n) {
    const int life = random() % 8 == 0 ? 20 + static_cast<int>(random() % 60)
                                       : 1 + static_cast<int>(random() % 3);
    requests.push_back({1000 + random() % 4000000, n, n + life});
  }
  return requests;
}

void BM_PlanMemory(benchmark::State& state) {
  const auto requests = Network(static_cast<int>(state.range(0)));
  size_t arena = 0, most = 0;
  for (auto _ : state) {
    auto plan = PlanMemory(requests, size_t{1} << 40);
    arena = plan->arena_bytes;
  }
  for (const BufferRequest& at : requests) {
    size_t live = 0;
    for (const BufferRequest& r : requests)
      if (r.first <= at.first && at.first <= r.last) live += r.bytes;
    most = std::max(most, live);
  }
  state.counters["arena/bound"] =
      static_cast<double>(arena) / static_cast<double>(most);
}
BENCHMARK(BM_PlanMemory)->Arg(100)->Arg(300)->Arg(1000)->Arg(3000);

}  // namespace
}  // namespace munja::runtime
