// Images on their way to a network: decode, scale, straighten, normalize.
// Decoding is measured on the files of MUNJA_BENCH_PICTURES (a folder), when
// it is set.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "hwy/targets.h"
#include "image/decode.h"
#include "image/normalize.h"
#include "image/resize.h"
#include "image/transform.h"

namespace munja::image {
namespace {

Image Picture(int width, int height) {
  Image image = std::move(Image::Create(width, height)).value();
  for (int y = 0; y < height; ++y)
    for (size_t i = 0; i < image.stride(); ++i)
      image.row(y)[i] =
          static_cast<uint8_t>(i * 7 + static_cast<size_t>(y * y));
  return image;
}

void PerPixel(benchmark::State& state, int64_t pixels) {
  state.counters["Mpixel/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * pixels) / 1e6,
                         benchmark::Counter::kIsRate);
}

void RunDecode(benchmark::State& state, const std::string& path) {
  const std::vector<uint8_t> bytes = std::move(ReadFile(path)).value();
  int64_t pixels = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Result<Image> image = Decode(bytes);
    if (!image.ok()) return state.SkipWithError("not decoded");
    pixels = int64_t{image->width()} * image->height();
  }
  PerPixel(state, pixels);
}

using Scale = Status (*)(const ImageView&, Image&, ThreadPool*);

void RunScale(benchmark::State& state, int64_t target, Scale scale) {
  hwy::SetSupportedTargetsForTest(target);
  const Image in = Picture(static_cast<int>(state.range(0)),
                           static_cast<int>(state.range(1)));
  Image out = std::move(Image::Create(static_cast<int>(state.range(2)),
                                      static_cast<int>(state.range(3))))
                  .value();
  for ([[maybe_unused]] auto _ : state)
    if (!scale(in.view(), out, nullptr).ok()) state.SkipWithError("failed");
  PerPixel(state, int64_t{out.width()} * out.height());
  hwy::SetSupportedTargetsForTest(0);
}

// A slanted line of text of 320 x 48 pixels out of a photo.
void RunWarp(benchmark::State& state, int64_t target, Interpolation kind) {
  hwy::SetSupportedTargetsForTest(target);
  const Image in = Picture(1280, 720);
  const Homography map =
      std::move(QuadToRectangle(
                    {{{100, 100}, {430, 140}, {425, 190}, {96, 152}}}, 320, 48))
          .value();
  Image out = std::move(Image::Create(320, 48)).value();
  for ([[maybe_unused]] auto _ : state)
    if (!WarpPerspective(in.view(), map, out, kind).ok())
      state.SkipWithError("failed");
  PerPixel(state, 320 * 48);
  hwy::SetSupportedTargetsForTest(0);
}

void RunNormalize(benchmark::State& state, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  const Image in = Picture(960, 736);
  const float mean[3] = {123.7f, 116.3f, 103.5f};
  const float scale[3] = {0.017f, 0.0175f, 0.0174f};
  std::vector<float> out(960 * 736 * 3);
  for ([[maybe_unused]] auto _ : state) {
    NormalizeToFloat(in.view(), mean, scale, true, out.data(), 960 * 3);
    benchmark::ClobberMemory();
  }
  PerPixel(state, 960 * 736);
  hwy::SetSupportedTargetsForTest(0);
}

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = hwy::TargetName(target);
    const auto add = [&](const char* what, auto... args) {
      return benchmark::RegisterBenchmark((what + name).c_str(), args...)
          ->Unit(benchmark::kMicrosecond);
    };
    add("Resize/", RunScale, target, &Resize)
        ->Args({1920, 2560, 736, 960})
        ->Args({1412, 784, 960, 544})
        ->Args({300, 40, 360, 48});
    add("ResizeArea/", RunScale, target, &ResizeArea)
        ->Args({1920, 2560, 736, 960});
    add("Warp/bicubic/", RunWarp, target, Interpolation::kBicubic);
    add("Warp/bilinear/", RunWarp, target, Interpolation::kBilinear);
    add("Normalize/960x736/", RunNormalize, target);
  }
  if (const char* const folder = std::getenv("MUNJA_BENCH_PICTURES")) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      benchmark::RegisterBenchmark(
          ("Decode/" + entry.path().filename().string()).c_str(), RunDecode,
          entry.path().string())
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace munja::image
