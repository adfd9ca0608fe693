#include <benchmark/benchmark.h>

#include <vector>

#include "geometry/contours.h"
#include "geometry/min_area_rect.h"
#include "geometry/offset.h"
#include "geometry/polygon_mean.h"

namespace munja::geometry {
namespace {

constexpr int kSide = 960;

// A probability map with 100 slightly tilted lines of 150 x 16 pixels.
std::vector<uint8_t> HundredBoxes() {
  std::vector<uint8_t> map(kSide * kSide);
  for (int box = 0; box < 100; ++box) {
    const int left = 10 + box % 5 * 190, top = 10 + box / 5 * 47;
    for (int x = 0; x < 150; ++x)
      for (int y = 0; y < 16; ++y)
        map[(top + y + x / 20) * kSide + left + x] = 1;
  }
  return map;
}

void Contours100(benchmark::State& state) {
  const std::vector<uint8_t> map = HundredBoxes();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        FindContours(map.data(), kSide, kSide, kSide, 3000));
}
BENCHMARK(Contours100)->Unit(benchmark::kMicrosecond);

void ContoursEmpty(benchmark::State& state) {
  const std::vector<uint8_t> map(kSide * kSide);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        FindContours(map.data(), kSide, kSide, kSide, 3000));
}
BENCHMARK(ContoursEmpty)->Unit(benchmark::kMicrosecond);

const Polygon kLine = {
    {100.5f, 100.2f}, {250.1f, 107.7f}, {249.3f, 124.0f}, {99.8f, 116.5f}};

void Mean(benchmark::State& state) {
  const std::vector<float> map(kSide * kSide, 0.5f);
  for (auto _ : state)
    benchmark::DoNotOptimize(PolygonMean(map.data(), kSide, kSide, kLine));
}
BENCHMARK(Mean)->Unit(benchmark::kMicrosecond);

void Grow(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Offset(kLine, 11.0));
}
BENCHMARK(Grow)->Unit(benchmark::kMicrosecond);

void Rectangle(benchmark::State& state) {
  const Polygon grown = Offset(kLine, 11.0)[0];
  for (auto _ : state) benchmark::DoNotOptimize(MinAreaRect(grown));
}
BENCHMARK(Rectangle)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace munja::geometry
