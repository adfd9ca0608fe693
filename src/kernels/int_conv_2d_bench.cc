// Quantized convolutions beside the same in float, on layers of MobileNet and
// ResNet, one thread. The input is centered and the output requantized in the
// time that is measured.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "hwy/targets.h"
#include "kernels/centered.h"
#include "kernels/conv_2d.h"
#include "kernels/depthwise_conv_2d.h"
#include "kernels/int_conv_2d.h"
#include "kernels/int_depthwise.h"

namespace munja::kernels {
namespace {

struct Layer {
  const char* name;
  int32_t size, in_c, out_c, kernel, stride;
  bool is_depthwise;
};
constexpr Layer kLayers[] = {
    {"first_3x3", 224, 3, 32, 3, 2, false},
    {"pointwise_64", 56, 64, 128, 1, 1, false},
    {"pointwise_512", 14, 512, 512, 1, 1, false},
    {"resnet_3x3_64", 56, 64, 64, 3, 1, false},
    {"resnet_3x3_256", 14, 256, 256, 3, 1, false},
    {"depthwise_64", 112, 64, 64, 3, 2, true},
    {"depthwise_512", 14, 512, 512, 3, 1, true},
    {"fully_connected", 1, 1024, 1000, 1, 1, false},
};

Conv2dShape ShapeOf(const Layer& l) {
  Conv2dShape s;
  s.in_h = s.in_w = l.size;
  s.in_c = l.in_c;
  s.out_h = s.out_w = (l.size + l.stride - 1) / l.stride;
  s.out_c = l.out_c;
  s.kernel_h = s.kernel_w = l.kernel;
  s.stride_h = s.stride_w = l.stride;
  s.pad_top = s.pad_left = (l.kernel - 1) / 2;
  return s;
}

size_t Inputs(const Conv2dShape& s) {
  return static_cast<size_t>(s.in_h) * s.in_w * s.in_c;
}
size_t Outputs(const Conv2dShape& s) {
  return static_cast<size_t>(s.out_h) * s.out_w * s.out_c;
}
size_t Depth(const Layer& l) {
  return static_cast<size_t>(l.kernel) * l.kernel *
         (l.is_depthwise ? 1 : l.in_c);
}

void SetRate(benchmark::State& state, const Layer& l, const Conv2dShape& s) {
  state.counters["GMAC/s"] =
      benchmark::Counter(static_cast<double>(Outputs(s) * Depth(l)) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate);
}

void RunFloat(benchmark::State& state, int64_t target, const Layer& l) {
  hwy::SetSupportedTargetsForTest(target);
  const Conv2dShape s = ShapeOf(l);
  const std::vector<float> in(Inputs(s), 0.5f), bias(Outputs(s), 0.1f),
      weights(Depth(l) * static_cast<size_t>(l.out_c), 0.01f);
  std::vector<float> out(Outputs(s));
  ThreadPool pool(1);
  Epilogue epilogue;
  epilogue.bias = bias.data();
  epilogue.activation.kind = ActivationKind::kRelu6;
  if (l.is_depthwise) {
    const PackedDepthwise packed =
        PackedDepthwise::Pack(weights.data(), Depth(l),
                              static_cast<size_t>(l.out_c))
            .value();
    for ([[maybe_unused]] auto _ : state)
      DepthwiseConv2d(s, in.data(), packed, epilogue, out.data(), pool);
  } else {
    const PackedConv2d packed = PackedConv2d::Pack(weights.data(), s).value();
    Buffer scratch = Buffer::Allocate(*Conv2dScratchBytes(s, 1)).value();
    for ([[maybe_unused]] auto _ : state)
      Conv2d(s, in.data(), packed, epilogue, out.data(), scratch.data(), pool);
  }
  SetRate(state, l, s);
  hwy::SetSupportedTargetsForTest(0);
}

void RunInt8(benchmark::State& state, int64_t target, const Layer& l) {
  hwy::SetSupportedTargetsForTest(target);
  const Conv2dShape s = ShapeOf(l);
  const auto channels = static_cast<size_t>(l.out_c);
  const std::vector<int8_t> in(Inputs(s), 7);
  const std::vector<int16_t> weights(Depth(l) * channels, 3);
  std::vector<int16_t> centered(Inputs(s));
  const std::vector<int32_t> mantissas(channels, 1 << 30),
      exponents(channels, -5), bias(channels, 99);
  std::vector<int8_t> out(Outputs(s));
  OutputStage stage;
  stage.mantissas = mantissas.data();
  stage.exponents = exponents.data();
  stage.bias = bias.data();
  stage.low = -128;
  stage.high = 127;
  stage.out = out.data();
  ThreadPool pool(1);
  if (l.is_depthwise) {
    for ([[maybe_unused]] auto _ : state) {
      Center(in.data(), in.size(), 3, centered.data());
      IntDepthwise(s, centered.data(), weights.data(), nullptr, stage, pool);
    }
  } else {
    Buffer packed =
        Buffer::Allocate(IntConv2dWeightElements(s) * sizeof(int16_t)).value();
    PackIntConv2d(weights.data(), s, packed.as<int16_t>());
    Buffer scratch = Buffer::Allocate(IntConv2dScratchBytes(s, 1)).value();
    for ([[maybe_unused]] auto _ : state) {
      Center(in.data(), in.size(), 3, centered.data());
      IntConv2d(s, centered.data(), IntConv2dWeightsAt(s, packed.as<int16_t>()),
                nullptr, DenseStrides(s), stage, scratch.data(), pool);
    }
  }
  SetRate(state, l, s);
  hwy::SetSupportedTargetsForTest(0);
}

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    for (const Layer& layer : kLayers) {
      const std::string name =
          std::string(layer.name) + "/" + hwy::TargetName(target);
      benchmark::RegisterBenchmark((name + "/float").c_str(), RunFloat, target,
                                   layer)
          ->Unit(benchmark::kMicrosecond);
      benchmark::RegisterBenchmark((name + "/int8").c_str(), RunInt8, target,
                                   layer)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace munja::kernels
