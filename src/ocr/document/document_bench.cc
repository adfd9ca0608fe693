#include <benchmark/benchmark.h>

#include <vector>

#include "document/reading_order.h"

namespace munja::document {
namespace {

// Pages of a name and an amount a row, which is the slow kind: every row might
// begin columns.
void ReadReceipt(benchmark::State& state) {
  std::vector<geometry::Quad> quads;
  for (int i = 0; i < state.range(0); ++i) {
    const float x = i % 2 == 0 ? 0 : 400, y = 30.0f * static_cast<float>(i / 2);
    const float w = i % 2 == 0 ? 200 : 60;
    quads.push_back({{{x, y}, {x + w, y}, {x + w, y + 20}, {x, y + 20}}});
  }
  for (auto _ : state) benchmark::DoNotOptimize(ReadingOrder(quads));
}
BENCHMARK(ReadReceipt)->Arg(100)->Arg(3000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace munja::document
