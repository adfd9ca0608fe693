// Quantized convolutions compared with float ones, on the layers of real
// networks, one thread. The two take turns, so that a machine that slows down
// does so for both; times are the least of many. Run it in the root of the
// repository: the layers are read from bench/shapes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "hwy/targets.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/conv/transpose_conv.h"
#include "kernels/cpu/byte_dot.h"
#include "kernels/depthwise/depthwise_conv_2d.h"
#include "kernels/depthwise/line_depthwise.h"
#include "kernels/int_conv/int_conv_2d.h"
#include "kernels/int_conv/int_transpose_conv.h"

namespace munja::kernels {
namespace {

struct Layer {
  int count = 0;
  std::string kind, activation;
  int32_t in_h, in_w, in_c, out_c, kernel_h, kernel_w, stride_h, stride_w;
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

std::string NameOf(const Layer& l) {
  std::ostringstream out;
  out << l.kind << "/" << l.in_h << "x" << l.in_w << "x" << l.in_c << "-"
      << l.out_c << "_k" << l.kernel_h << "x" << l.kernel_w << "_s"
      << l.stride_h << "x" << l.stride_w;
  return out.str();
}

// Padding SAME; of a transposed convolution VALID.
Conv2dShape ShapeOf(const Layer& l) {
  Conv2dShape s;
  s.in_h = l.in_h;
  s.in_w = l.in_w;
  s.in_c = l.in_c;
  s.out_c = l.out_c;
  s.kernel_h = l.kernel_h;
  s.kernel_w = l.kernel_w;
  s.stride_h = l.stride_h;
  s.stride_w = l.stride_w;
  if (l.kind == "transpose") {
    s.out_h = (l.in_h - 1) * l.stride_h + l.kernel_h;
    s.out_w = (l.in_w - 1) * l.stride_w + l.kernel_w;
    return s;
  }
  s.out_h = (l.in_h + l.stride_h - 1) / l.stride_h;
  s.out_w = (l.in_w + l.stride_w - 1) / l.stride_w;
  s.pad_top = std::max(0, (s.out_h - 1) * l.stride_h + l.kernel_h - l.in_h) / 2;
  s.pad_left =
      std::max(0, (s.out_w - 1) * l.stride_w + l.kernel_w - l.in_w) / 2;
  return s;
}

size_t Inputs(const Conv2dShape& s) {
  return static_cast<size_t>(s.in_h) * s.in_w * s.in_c;
}
size_t Outputs(const Conv2dShape& s) {
  return static_cast<size_t>(s.out_h) * s.out_w * s.out_c;
}
size_t Weights(const Layer& l) {
  return static_cast<size_t>(l.kernel_h) * l.kernel_w * l.out_c *
         (l.kind == "depthwise" ? 1 : l.in_c);
}

// Either way GELU is left out: quantized networks look it up in a table.
std::function<void()> FloatRun(const Layer& l) {
  struct Memory {
    std::vector<float> in, weights, bias, out;
    Buffer scratch;
    ThreadPool pool{1};
  };
  const Conv2dShape s = ShapeOf(l);
  auto m = std::make_shared<Memory>();
  m->in.assign(Inputs(s), 0.5f);
  m->weights.assign(Weights(l), 0.01f);
  m->bias.assign(static_cast<size_t>(l.out_c), 0.1f);
  m->out.resize(Outputs(s));
  Epilogue epilogue;
  epilogue.bias = m->bias.data();
  if (l.activation == "relu") epilogue.activation.kind = ActivationKind::kRelu;
  if (l.kind == "transpose") {
    Conv2dShape t;
    t.in_h = s.in_h;
    t.in_w = s.in_w;
    t.in_c = s.in_c;
    t.out_h = s.out_h;
    t.out_w = s.out_w;
    t.out_c = s.out_c;
    t.kernel_h = s.kernel_h;
    t.kernel_w = s.kernel_w;
    t.stride_h = s.stride_h;
    t.stride_w = s.stride_w;
    auto packed = std::make_shared<PackedTransposeConv>(
        PackedTransposeConv::Pack(m->weights.data(), m->bias.data(), t)
            .value());
    m->scratch = Buffer::Allocate(*TransposeConvScratchBytes(t, 1)).value();
    return [m, t, packed, activation = epilogue.activation] {
      TransposeConv(t, m->in.data(), *packed, activation, m->out.data(),
                    m->scratch.data(), m->pool);
    };
  }
  if (l.kind == "depthwise") {
    auto packed = std::make_shared<PackedDepthwise>(
        PackedDepthwise::Pack(m->weights.data(),
                              static_cast<size_t>(l.kernel_h) * l.kernel_w,
                              static_cast<size_t>(l.out_c))
            .value());
    return [m, s, packed, epilogue] {
      DepthwiseConv2d(s, m->in.data(), *packed, epilogue, m->out.data(),
                      m->pool);
    };
  }
  auto packed = std::make_shared<PackedConv2d>(
      PackedConv2d::Pack(m->weights.data(), s).value());
  m->scratch = Buffer::Allocate(*Conv2dScratchBytes(s, 1)).value();
  return [m, s, packed, epilogue] {
    Conv2d(s, m->in.data(), *packed, epilogue, m->out.data(), m->scratch.data(),
           m->pool);
  };
}

std::function<void()> Int8Run(const Layer& l) {
  struct Memory {
    std::vector<int8_t> in, out;
    std::vector<int16_t> weights;
    std::vector<int32_t> mantissas, exponents, bias;
    Buffer packed, scratch;
    ThreadPool pool{1};
    IntInput input;
    IntEpilogue epilogue;
  };
  const Conv2dShape s = ShapeOf(l);
  const auto channels = static_cast<size_t>(l.out_c);
  auto m = std::make_shared<Memory>();
  // Results as different as those of a network: what is rounded by guess in
  // the kernels is not always, and not never, in doubt.
  std::mt19937 random(1);
  m->in.resize(Inputs(s));
  for (int8_t& x : m->in) x = static_cast<int8_t>(random());
  m->out.resize(Outputs(s));
  m->weights.resize(Weights(l));
  for (int16_t& x : m->weights) x = static_cast<int8_t>(random());
  m->mantissas.assign(channels, 1518500250);
  m->exponents.assign(channels, -11);
  m->bias.assign(channels, 99);
  m->input = {m->in.data(), ElementType::kInt8, 3};
  m->epilogue.mantissas = m->mantissas.data();
  m->epilogue.exponents = m->exponents.data();
  m->epilogue.bias = m->bias.data();
  m->epilogue.low = -128;
  m->epilogue.high = 127;
  m->epilogue.out = m->out.data();
  const IntFormat format = ByteFormat();
  const auto allocate = [&](size_t packed, size_t scratch) {
    m->packed = Buffer::Allocate(packed).value();
    m->scratch = Buffer::Allocate(scratch).value();
  };
  if (l.kind == "transpose") {
    allocate(IntTransposeConvWeightBytes(s, format),
             IntTransposeConvScratchBytes(s, format, 1));
    PackIntTransposeConv(m->weights.data(), s, format, m->packed.data());
    return [m, s, format] {
      IntTransposeConv(s, m->input, format, m->packed.data(), nullptr,
                       m->epilogue, m->scratch.data(), m->pool);
    };
  }
  if (l.kind == "depthwise") {
    allocate(LineDepthwiseWeightBytes(s, format),
             LineDepthwiseScratchBytes(s, format, 1));
    PackLineDepthwise(m->weights.data(), s, format, m->packed.data());
    return [m, s, format] {
      LineDepthwise(s, m->input, format, m->packed.data(), nullptr, m->epilogue,
                    m->scratch.data(), m->pool);
    };
  }
  allocate(IntConv2dWeightBytes(s, format),
           IntConv2dScratchBytes(s, format, 1));
  PackIntConv2d(m->weights.data(), s, format, m->packed.data());
  return [m, s, format] {
    IntConv2d(s, m->input, IntConv2dWeightsAt(s, format, m->packed.data()),
              nullptr, DenseStrides(s), m->epilogue, m->scratch.data(),
              m->pool);
  };
}

double Seconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void RunLayers(benchmark::State& state, int64_t target, bool has_dot,
               const std::vector<Layer>& layers) {
  hwy::SetSupportedTargetsForTest(target);
  AllowByteDot(has_dot);
  struct Pair {
    std::function<void()> real, int8;
    int count;
    double real_s = 1e9, int8_s = 1e9;
  };
  std::vector<Pair> pairs;
  double work = 0;
  for (const Layer& l : layers) {
    pairs.push_back({FloatRun(l), Int8Run(l), l.count});
    const Conv2dShape s = ShapeOf(l);
    const double pixels = l.kind == "transpose"
                              ? static_cast<double>(s.in_h) * s.in_w
                              : static_cast<double>(s.out_h) * s.out_w;
    work += l.count * pixels * static_cast<double>(Weights(l));
  }
  for ([[maybe_unused]] auto _ : state) {
    for (Pair& p : pairs) {
      p.real_s = std::min(p.real_s, Seconds(p.real));
      p.int8_s = std::min(p.int8_s, Seconds(p.int8));
    }
  }
  double real = 0, int8 = 0;
  for (const Pair& p : pairs) {
    real += p.count * p.real_s;
    int8 += p.count * p.int8_s;
  }
  state.counters["float_us"] = real * 1e6;
  state.counters["int8_us"] = int8 * 1e6;
  state.counters["times"] = real / int8;
  state.counters["int8_GMAC/s"] = work / int8 * 1e-9;
  AllowByteDot(true);
  hwy::SetSupportedTargetsForTest(0);
}

void Register(const std::string& name, int64_t target, bool has_dot,
              const std::vector<Layer>& layers) {
  std::string suffix = std::string("/") + hwy::TargetName(target);
  if (has_dot) suffix += "_dot";
  benchmark::RegisterBenchmark((name + suffix).c_str(), RunLayers, target,
                               has_dot, layers)
      ->Unit(benchmark::kMicrosecond);
}

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    const bool has_dot = HasByteDot();
    hwy::SetSupportedTargetsForTest(0);
    for (const std::string network : {"det", "rec"}) {
      const auto layers =
          ReadLayers("bench/shapes/ppocrv6_tiny_" + network + ".txt");
      if (layers.empty()) continue;
      for (const bool uses_dot : {true, false}) {
        if (uses_dot && !has_dot) continue;
        Register("all_" + network, target, uses_dot, layers);
        for (const Layer& layer : layers)
          Register(network + "/" + NameOf(layer), target, uses_dot, {layer});
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace munja::kernels
