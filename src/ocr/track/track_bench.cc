#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "track/change.h"
#include "track/gray_frame.h"
#include "track/motion.h"

namespace munja::track {
namespace {

constexpr int kWidth = 1280, kHeight = 720;

// RGB blocks of random levels, as dense print has, shifted to the left.
std::vector<uint8_t> PrintLike(int shift) {
  std::vector<uint8_t> pixels(size_t{3} * kWidth * kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int i = 0; i < 3 * kWidth; ++i) {
      const uint32_t cell =
          static_cast<uint32_t>((i / 3 + shift) / 5 * 7919 + y / 7 * 104729);
      pixels[static_cast<size_t>(y) * 3 * kWidth + static_cast<size_t>(i)] =
          (cell * 2654435761u) >> 31 != 0 ? 40 : 210;
    }
  return pixels;
}

image::PixelView ViewOf(const std::vector<uint8_t>& pixels,
                        image::PixelFormat format) {
  image::PixelView view;
  view.format = format;
  view.width = kWidth;
  view.height = kHeight;
  view.planes[0] = view.planes[1] = pixels.data();
  view.strides[0] = format == image::PixelFormat::kRgb ? 3 * kWidth : kWidth;
  view.strides[1] = kWidth;
  return view;
}

GrayFrame FrameOf(int shift) {
  const std::vector<uint8_t> pixels = PrintLike(shift);
  GrayFrame frame;
  (void)MakeGrayFrame(ViewOf(pixels, image::PixelFormat::kRgb), 0, &frame);
  return frame;
}

void GrayCopy(benchmark::State& state, image::PixelFormat format) {
  const std::vector<uint8_t> pixels = PrintLike(0);
  GrayFrame frame;
  for (auto _ : state)
    benchmark::DoNotOptimize(MakeGrayFrame(ViewOf(pixels, format), 0, &frame));
}
BENCHMARK_CAPTURE(GrayCopy, rgb, image::PixelFormat::kRgb)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(GrayCopy, nv12, image::PixelFormat::kNv12)
    ->Unit(benchmark::kMicrosecond);

void Changes(benchmark::State& state, const Affine& map) {
  const GrayFrame a = FrameOf(0), b = FrameOf(0);
  for (auto _ : state) benchmark::DoNotOptimize(FindChanges(b, a, map));
}
BENCHMARK_CAPTURE(Changes, still, Affine{})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Changes, moved, Affine{1, 0, 2, 0, 1, 0})
    ->Unit(benchmark::kMicrosecond);

void Motion(benchmark::State& state) {
  const GrayFrame a = FrameOf(0), b = FrameOf(20);
  for (auto _ : state) benchmark::DoNotOptimize(EstimateMotion(a, b));
}
BENCHMARK(Motion)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace munja::track
