// The neck of a text detector at 640 x 640 on one thread: the convolution over
// four levels, joined and as they are, and the lateral connection of its finest
// level, step by step and in one.
#include "kernels/conv/upsampled_conv.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "kernels/conv/conv_2d.h"
#include "kernels/conv/lateral_conv.h"
#include "kernels/elementwise/binary.h"

namespace munja::kernels {
namespace {

constexpr int32_t kSide = 160, kLevelChannels = 16, kOut = 16;
constexpr int32_t kFactors[] = {8, 4, 2, 1};

struct Neck {
  Neck() {
    shape = {1, kSide, kSide, kOut};
    for (const int32_t factor : kFactors) {
      const size_t side = static_cast<size_t>(kSide / factor);
      levels.emplace_back(side * side * kLevelChannels, 0.5f);
    }
    weights.assign(size_t{kOut} * 9 * 4 * kLevelChannels, 0.01f);
    bias.assign(kOut, 0.1f);
    out.resize(size_t{kSide} * kSide * kOut);
  }
  Conv2dShape ConvOf(int32_t channels) const {
    Conv2dShape s;
    s.in_h = s.in_w = s.out_h = s.out_w = kSide;
    s.in_c = channels;
    s.out_c = kOut;
    s.kernel_h = s.kernel_w = 3;
    s.pad_top = s.pad_left = 1;
    return s;
  }
  UpsampledConvShape shape;
  std::vector<std::vector<float>> levels;
  std::vector<float> weights, bias, out;
  ThreadPool pool{1};
};

// The joined map is there: resizing and joining are not counted.
void BM_ConvOfJoinedLevels(benchmark::State& state) {
  Neck neck;
  const Conv2dShape s = neck.ConvOf(4 * kLevelChannels);
  const std::vector<float> joined(size_t{kSide} * kSide * s.in_c, 0.5f);
  const auto packed = PackedConv2d::Pack(neck.weights.data(), s).value();
  Buffer scratch = Buffer::Allocate(*Conv2dScratchBytes(s, 1)).value();
  for ([[maybe_unused]] auto _ : state) {
    Conv2d(s, joined.data(), packed,
           {neck.bias.data(), nullptr, {ActivationKind::kRelu}},
           neck.out.data(), scratch.data(), neck.pool);
  }
}
BENCHMARK(BM_ConvOfJoinedLevels)->Unit(benchmark::kMicrosecond);

void BM_ConvOfLevels(benchmark::State& state) {
  Neck neck;
  std::vector<UpsampledMap> maps;
  std::vector<PackedUpsampledConv> packed;
  for (int i = 0; i < 3; ++i) {
    maps.push_back(
        {neck.levels[i].data(), kLevelChannels, kFactors[i], kFactors[i]});
    packed.push_back(PackedUpsampledConv::Pack(neck.weights.data(),
                                               4 * kLevelChannels,
                                               kLevelChannels, kOut)
                         .value());
  }
  const PackedUpsampledConv* const pointers[] = {&packed[0], &packed[1],
                                                 &packed[2]};
  const Conv2dShape s = neck.ConvOf(kLevelChannels);
  const auto fine = PackedConv2d::Pack(neck.weights.data(), s).value();
  const size_t bytes = std::max(*UpsampledConvScratchBytes(neck.shape, maps, 1),
                                *Conv2dScratchBytes(s, 1));
  Buffer scratch = Buffer::Allocate(bytes).value();
  for ([[maybe_unused]] auto _ : state) {
    UpsampledConv(neck.shape, maps, pointers, neck.bias.data(), {},
                  neck.out.data(), scratch.data(), neck.pool);
    if (state.range(0) == 0) continue;
    Conv2d(s, neck.levels[3].data(), fine,
           {nullptr, neck.out.data(), {ActivationKind::kRelu}}, neck.out.data(),
           scratch.data(), neck.pool);
  }
}
// Without and with the finest level.
BENCHMARK(BM_ConvOfLevels)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

struct Lateral {
  Lateral() {
    for (int32_t i = 0; i < kSide; ++i) half.push_back(i / 2);
    level = {coarse.data(), kSide / 2, kSide / 2, half.data(), half.data()};
  }
  LateralConvShape shape{1, kSide, kSide, 32, 64};
  std::vector<float> in = std::vector<float>(size_t{kSide} * kSide * 32, 0.5f);
  std::vector<float> weights = std::vector<float>(64 * 32, 0.01f);
  std::vector<float> bias = std::vector<float>(64, 0.1f);
  std::vector<float> coarse =
      std::vector<float>(size_t{kSide} * kSide / 4 * 64, 0.5f);
  std::vector<float> out = std::vector<float>(size_t{kSide} * kSide * 64);
  std::vector<int32_t> half;
  CoarseLevel level;
  ThreadPool pool{1};
};

void BM_LateralStepByStep(benchmark::State& state) {
  Lateral l;
  std::vector<float> large(l.out.size());
  const auto packed =
      PackedMatrix::Pack(l.weights.data(), 32, 64, 1, 32).value();
  for ([[maybe_unused]] auto _ : state) {
    for (size_t y = 0; y < kSide; ++y) {
      float* row = large.data() + y * kSide * 64;
      if (y % 2 == 1) {
        std::memcpy(row, row - kSide * 64, kSide * 64 * sizeof(float));
        continue;
      }
      for (size_t x = 0; x < kSide; ++x)
        std::memcpy(row + x * 64,
                    l.coarse.data() + (y / 2 * kSide / 2 + x / 2) * 64,
                    64 * sizeof(float));
    }
    Gemm(l.in.data(), 32, size_t{kSide} * kSide, packed.view(),
         {l.bias.data(), nullptr, {}}, l.out.data(), 64, l.pool);
    BinaryBlock block{
        .a = l.out.data(), .b = large.data(), .out = l.out.data()};
    block.cols = l.out.size();
    Binary(BinaryKind::kAdd, {}, block);
  }
}
BENCHMARK(BM_LateralStepByStep)->Unit(benchmark::kMicrosecond);

void BM_Lateral(benchmark::State& state) {
  Lateral l;
  const auto packed =
      PackedMatrix::Pack(l.weights.data(), 32, 64, 1, 32).value();
  Buffer scratch =
      Buffer::Allocate(LateralConvScratchBytes(l.shape, 1)).value();
  for ([[maybe_unused]] auto _ : state) {
    LateralConv(l.shape, 0, l.in.data(), {packed.view(), l.bias.data()},
                l.level, {}, l.out.data(), scratch.data(), l.pool);
  }
}
BENCHMARK(BM_Lateral)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace munja::kernels
