// Convolutions and matrix products of real networks, on one thread, for every
// SIMD target, and the peak that they are to be compared with. Run it in the
// root of the repository: the layers are read from bench/shapes.
#include "kernels/conv/conv_2d.h"

#include <benchmark/benchmark.h>

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/conv/transpose_conv.h"
#include "kernels/conv/winograd.h"
#include "kernels/depthwise/depthwise_conv_2d.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/conv_2d_bench.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `steps` times 10 independent multiply-adds of a vector: enough to hide the
// latency. Gives the floating-point operations done.
double MultiplyAdds(size_t steps, float* result) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const V a = hn::Set(d, 0.999f), b = hn::Set(d, 0.001f);
  V v0 = a, v1 = a, v2 = a, v3 = a, v4 = a, v5 = a, v6 = a, v7 = a, v8 = a,
    v9 = a;
  for (size_t i = 0; i < steps; ++i) {
    v0 = hn::MulAdd(v0, a, b);
    v1 = hn::MulAdd(v1, a, b);
    v2 = hn::MulAdd(v2, a, b);
    v3 = hn::MulAdd(v3, a, b);
    v4 = hn::MulAdd(v4, a, b);
    v5 = hn::MulAdd(v5, a, b);
    v6 = hn::MulAdd(v6, a, b);
    v7 = hn::MulAdd(v7, a, b);
    v8 = hn::MulAdd(v8, a, b);
    v9 = hn::MulAdd(v9, a, b);
  }
  const V sum = hn::Add(hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)),
                                hn::Add(hn::Add(v4, v5), hn::Add(v6, v7))),
                        hn::Add(v8, v9));
  *result = hn::GetLane(sum);
  return 20.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(steps);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

HWY_EXPORT(MultiplyAdds);

struct Layer {
  int count = 0;
  std::string kind, activation;
  int32_t in_h, in_w, in_c, out_c, kernel_h, kernel_w, stride_h, stride_w;

  std::string name() const {
    std::ostringstream out;
    out << kind << "/" << in_h << "x" << in_w << "x" << in_c << "-" << out_c
        << "_k" << kernel_h << "x" << kernel_w << "_s" << stride_h << "x"
        << stride_w << "_" << activation;
    return out.str();
  }
};

std::vector<Layer> ReadLayers(const std::string& path) {
  std::vector<Layer> layers;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    Layer l;
    if (in >> l.count >> l.kind >> l.in_h >> l.in_w >> l.in_c >> l.out_c >>
        l.kernel_h >> l.kernel_w >> l.stride_h >> l.stride_w >> l.activation)
      layers.push_back(l);
  }
  return layers;
}

// A layer with memory of its own, ready to run. Packed for the target in use.
struct Runner {
  std::function<void()> run;
  double multiply_accumulates = 0;
};

struct Memory {
  std::vector<float> in, weights, bias, out;
  Buffer scratch;
  ThreadPool pool{1};
};

Runner MakeRunner(const Layer& l) {
  auto m = std::make_shared<Memory>();
  const auto size = [](int64_t a, int64_t b, int64_t c) {
    return static_cast<size_t>(a * b * c);
  };
  m->in.assign(size(l.in_h, l.in_w, l.in_c), 0.5f);
  m->bias.assign(static_cast<size_t>(l.out_c), 0.1f);
  Activation activation;
  if (l.activation == "relu") activation.kind = ActivationKind::kRelu;
  if (l.activation == "gelu") activation.kind = ActivationKind::kGelu;
  const Epilogue epilogue{m->bias.data(), nullptr, activation};
  Runner runner;
  if (l.kind == "transpose") {
    Conv2dShape s;
    s.in_h = l.in_h;
    s.in_w = l.in_w;
    s.in_c = l.in_c;
    s.out_c = l.out_c;
    s.kernel_h = l.kernel_h;
    s.kernel_w = l.kernel_w;
    s.stride_h = l.stride_h;
    s.stride_w = l.stride_w;
    s.out_h = (l.in_h - 1) * l.stride_h + l.kernel_h;
    s.out_w = (l.in_w - 1) * l.stride_w + l.kernel_w;
    m->weights.assign(size(l.out_c, l.in_c, l.kernel_h * l.kernel_w), 0.01f);
    m->out.resize(size(s.out_h, s.out_w, s.out_c));
    auto packed = std::make_shared<PackedTransposeConv>(
        PackedTransposeConv::Pack(m->weights.data(), m->bias.data(), s)
            .value());
    m->scratch = Buffer::Allocate(*TransposeConvScratchBytes(s, 1)).value();
    runner.multiply_accumulates =
        static_cast<double>(m->in.size()) * l.kernel_h * l.kernel_w * l.out_c;
    runner.run = [m, s, packed, activation] {
      TransposeConv(s, m->in.data(), *packed, activation, m->out.data(),
                    m->scratch.data(), m->pool);
    };
    return runner;
  }
  Conv2dShape s;
  s.in_h = l.in_h;
  s.in_w = l.in_w;
  s.in_c = l.in_c;
  s.out_c = l.out_c;
  s.kernel_h = l.kernel_h;
  s.kernel_w = l.kernel_w;
  s.stride_h = l.stride_h;
  s.stride_w = l.stride_w;
  s.out_h = (l.in_h + l.stride_h - 1) / l.stride_h;
  s.out_w = (l.in_w + l.stride_w - 1) / l.stride_w;
  s.pad_top = std::max(0, (s.out_h - 1) * l.stride_h + l.kernel_h - l.in_h) / 2;
  s.pad_left =
      std::max(0, (s.out_w - 1) * l.stride_w + l.kernel_w - l.in_w) / 2;
  m->out.resize(size(s.out_h, s.out_w, s.out_c));
  const double taps = static_cast<double>(l.kernel_h) * l.kernel_w;
  if (l.kind == "depthwise") {
    m->weights.assign(size(l.kernel_h, l.kernel_w, l.out_c), 0.01f);
    auto packed = std::make_shared<PackedDepthwise>(
        PackedDepthwise::Pack(m->weights.data(),
                              size(l.kernel_h, l.kernel_w, 1),
                              static_cast<size_t>(l.out_c))
            .value());
    runner.multiply_accumulates = static_cast<double>(m->out.size()) * taps;
    runner.run = [m, s, packed, epilogue] {
      DepthwiseConv2d(s, m->in.data(), *packed, epilogue, m->out.data(),
                      m->pool);
    };
  } else if (l.kind == "winograd") {
    m->weights.assign(size(l.out_c, l.in_c, l.kernel_h * l.kernel_w), 0.01f);
    auto packed = std::make_shared<PackedWinograd>(
        PackedWinograd::Pack(m->weights.data(), s).value());
    m->scratch = Buffer::Allocate(*WinogradScratchBytes(s, 1)).value();
    runner.multiply_accumulates =
        static_cast<double>(m->out.size()) * taps * l.in_c;
    runner.run = [m, s, packed, epilogue] {
      WinogradConv2d(s, m->in.data(), *packed, epilogue, m->out.data(),
                     m->scratch.data(), m->pool);
    };
  } else {  // A matrix product is a 1x1 convolution of a row of pixels.
    m->weights.assign(size(l.out_c, l.in_c, l.kernel_h * l.kernel_w), 0.01f);
    auto packed = std::make_shared<PackedConv2d>(
        PackedConv2d::Pack(m->weights.data(), s).value());
    m->scratch = Buffer::Allocate(*Conv2dScratchBytes(s, 1)).value();
    runner.multiply_accumulates =
        static_cast<double>(m->out.size()) * taps * l.in_c;
    runner.run = [m, s, packed, epilogue] {
      Conv2d(s, m->in.data(), *packed, epilogue, m->out.data(),
             m->scratch.data(), m->pool);
    };
  }
  return runner;
}

void SetRate(benchmark::State& state, double multiply_accumulates) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(multiply_accumulates * 2e-9,
                         benchmark::Counter::kIsIterationInvariantRate);
}

void RunLayer(benchmark::State& state, int64_t target, const Layer& layer) {
  hwy::SetSupportedTargetsForTest(target);
  const Runner runner = MakeRunner(layer);
  for ([[maybe_unused]] auto _ : state) runner.run();
  SetRate(state, runner.multiply_accumulates);
  hwy::SetSupportedTargetsForTest(0);
}

// All layers of a network, one after the other, as often as they occur.
void RunNetwork(benchmark::State& state, int64_t target,
                const std::vector<Layer>& layers) {
  hwy::SetSupportedTargetsForTest(target);
  std::vector<Runner> runners;
  double work = 0;
  for (const Layer& layer : layers) {
    for (int i = 0; i < layer.count; ++i) {
      runners.push_back(MakeRunner(layer));
      work += runners.back().multiply_accumulates;
    }
  }
  for ([[maybe_unused]] auto _ : state)
    for (const Runner& runner : runners) runner.run();
  SetRate(state, work);
  hwy::SetSupportedTargetsForTest(0);
}

void RunPeak(benchmark::State& state, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  float result = 0;
  double work = 0;
  for ([[maybe_unused]] auto _ : state) {
    work = HWY_DYNAMIC_DISPATCH(MultiplyAdds)(100000, &result);
    benchmark::DoNotOptimize(result);
  }
  SetRate(state, work / 2);
  hwy::SetSupportedTargetsForTest(0);
}

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string suffix = std::string("/") + hwy::TargetName(target);
    benchmark::RegisterBenchmark(("peak" + suffix).c_str(), RunPeak, target);
    for (const auto& [network, file] : {std::pair{"det", "ppocrv6_tiny_det"},
                                        {"rec", "ppocrv6_tiny_rec"},
                                        {"3x3", "conv_3x3"}}) {
      const auto layers =
          ReadLayers("bench/shapes/" + std::string(file) + ".txt");
      if (layers.empty()) continue;
      benchmark::RegisterBenchmark(
          (std::string("all_") + network + suffix).c_str(), RunNetwork, target,
          layers)
          ->Unit(benchmark::kMillisecond);
      for (const Layer& layer : layers) {
        benchmark::RegisterBenchmark(
            (std::string(network) + "/" + layer.name() + suffix).c_str(),
            RunLayer, target, layer)
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace munja::kernels
#endif  // HWY_ONCE
