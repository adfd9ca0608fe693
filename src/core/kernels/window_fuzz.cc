// Compares kernels that slide a window over an image with their reference
// implementations.
#include "base/buffer.h"
#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/conv/transpose_conv.h"
#include "kernels/conv/winograd.h"
#include "kernels/depthwise/depthwise_conv_2d.h"
#include "kernels/differential_fuzz.h"
#include "kernels/spatial/pool.h"

namespace munja::kernels {
namespace {

// Keeps an input within milliseconds.
constexpr double kMostMultiplyAccumulates = 3e5;

// One axis of a window: sizes, and how many places it has.
struct Axis {
  int32_t in = 1, out = 0, kernel = 1, stride = 1, dilation = 1, pad = 0;
};

// out is 0 when the window fits nowhere.
Axis AnyAxis(CaseBytes& bytes, bool may_dilate) {
  Axis axis;
  axis.in = bytes.Between(1, 14);
  axis.kernel = bytes.Pick({1, 3, 2, 3, 1, 4, 5, 7});
  axis.stride = bytes.Pick({1, 1, 2, 3});
  axis.dilation = may_dilate ? bytes.Pick({1, 1, 1, 2}) : 1;
  axis.pad = bytes.Between(0, axis.kernel - 1);
  const int32_t reach = (axis.kernel - 1) * axis.dilation + 1;
  const int32_t room = axis.in + axis.pad + bytes.Between(0, axis.kernel - 1);
  axis.out = room < reach ? 0 : (room - reach) / axis.stride + 1;
  return axis;
}

template <class Shape>
void SetAxes(const Axis& y, const Axis& x, Shape* shape) {
  shape->in_h = y.in;
  shape->in_w = x.in;
  shape->out_h = y.out;
  shape->out_w = x.out;
  shape->kernel_h = y.kernel;
  shape->kernel_w = x.kernel;
  shape->stride_h = y.stride;
  shape->stride_w = x.stride;
  shape->pad_top = y.pad;
  shape->pad_left = x.pad;
}

size_t Count(int32_t a, int32_t b, int32_t c, int32_t d) {
  return static_cast<size_t>(a) * static_cast<size_t>(b) *
         static_cast<size_t>(c) * static_cast<size_t>(d);
}

std::string Name(const char* kernel, const Conv2dShape& s) {
  return std::string(kernel) + " " + std::to_string(s.in_h) + "x" +
         std::to_string(s.in_w) + "x" + std::to_string(s.in_c) + " -> " +
         std::to_string(s.out_h) + "x" + std::to_string(s.out_w) + "x" +
         std::to_string(s.out_c) + " kernel " + std::to_string(s.kernel_h) +
         "x" + std::to_string(s.kernel_w) + " stride " +
         std::to_string(s.stride_h) + "x" + std::to_string(s.stride_w) +
         " pad " + std::to_string(s.pad_top) + "x" +
         std::to_string(s.pad_left) + " groups " + std::to_string(s.groups);
}

// Each of k + 2 additions errs by at most half an ulp of a partial sum, which
// the sum of absolute values bounds. That of the whole image counts: fast
// algorithms add and subtract numbers of neighboring windows, which costs up
// to 8 times the plain error for tiles of 4x4. Activations have a slope of at
// most 1.13 and add a few ulp of their own.
float Tolerance(size_t k, float largest_bound) {
  return kEpsilon * (8 * static_cast<float>(k + 2) * largest_bound +
                     16 * (1 + largest_bound));
}

// Infinities aside, which no case has.
void CompareWinograd(const Conv2dShape& s, const std::vector<float>& in,
                     const std::vector<float>& weights,
                     const Epilogue& epilogue, const std::vector<float>& want,
                     float tolerance) {
  const auto packed = PackedWinograd::Pack(weights.data(), s);
  if (!packed.ok()) std::abort();
  std::vector<float> first;
  for (const int threads : {1, 3}) {
    const auto scratch_bytes = WinogradScratchBytes(s, threads);
    if (!scratch_bytes.ok()) std::abort();
    auto scratch = Buffer::Allocate(*scratch_bytes);
    if (!scratch.ok()) std::abort();
    ThreadPool pool(threads);
    std::vector<float> got(want.size(), kUntouched);
    WinogradConv2d(s, in.data(), *packed, epilogue, got.data(), scratch->data(),
                   pool);
    ExpectNear(Name("WinogradConv2d", s), got, want,
               [&](size_t) { return tolerance; });
    if (threads == 1) first = got;
    ExpectSame(Name("WinogradConv2d on more threads", s), got, first);
  }
}

void Conv2dCase(CaseBytes& bytes) {
  Conv2dShape s;
  const Axis y = AnyAxis(bytes, true), x = AnyAxis(bytes, true);
  SetAxes(y, x, &s);
  s.dilation_h = y.dilation;
  s.dilation_w = x.dilation;
  s.batch = bytes.Pick({1, 1, 2});
  s.groups = bytes.Pick({1, 1, 1, 2, 3});
  const int32_t group_in = bytes.Between(1, 70);
  s.in_c = s.groups * group_in;
  s.out_c = s.groups * bytes.Between(1, 70);
  const size_t k = Count(s.kernel_h, s.kernel_w, group_in, 1);
  const size_t outputs = Count(s.batch, s.out_h, s.out_w, s.out_c);
  if (outputs == 0 || static_cast<double>(outputs) * static_cast<double>(k) >
                          kMostMultiplyAccumulates)
    return;
  const auto in = bytes.Numbers(Count(s.batch, s.in_h, s.in_w, s.in_c));
  const auto weights = bytes.Numbers(k * static_cast<size_t>(s.out_c));
  const auto bias = bytes.Numbers(static_cast<size_t>(s.out_c));
  const auto residual = bytes.Numbers(outputs);
  const bool has_bias = bytes.Flag(), has_residual = bytes.Flag();
  const Epilogue epilogue{has_bias ? bias.data() : nullptr,
                          has_residual ? residual.data() : nullptr,
                          bytes.AnyActivation()};
  std::vector<float> want(outputs), bound(outputs);
  reference::Conv2d(s, in.data(), weights.data(), epilogue, want.data());
  reference::Conv2d(s, Absolute(in).data(), Absolute(weights).data(),
                    {Absolute(bias).data(), Absolute(residual).data(), {}},
                    bound.data());
  const float tolerance = Tolerance(k, Largest(bound));
  OnEveryTarget([&] {
    std::vector<float> first;
    for (const int threads : {1, 3}) {
      const auto packed = PackedConv2d::Pack(weights.data(), s);
      const auto scratch_bytes = Conv2dScratchBytes(s, threads);
      if (!packed.ok() || !scratch_bytes.ok()) std::abort();
      auto scratch = Buffer::Allocate(*scratch_bytes);
      if (!scratch.ok()) std::abort();
      ThreadPool pool(threads);
      std::vector<float> got(outputs);
      Conv2d(s, in.data(), *packed, epilogue, got.data(), scratch->data(),
             pool);
      ExpectNear(Name("Conv2d", s), got, want,
                 [&](size_t) { return tolerance; });
      if (threads == 1) first = got;
      ExpectSame(Name("Conv2d on more threads", s), got, first);
    }
    if (TakesWinograd(s))
      CompareWinograd(s, in, weights, epilogue, want, tolerance);
  });
}

void DepthwiseCase(CaseBytes& bytes) {
  Conv2dShape s;
  const Axis y = AnyAxis(bytes, true), x = AnyAxis(bytes, true);
  SetAxes(y, x, &s);
  s.dilation_h = y.dilation;
  s.dilation_w = x.dilation;
  s.batch = bytes.Pick({1, 1, 2});
  s.in_c = bytes.Between(1, 70);
  s.out_c = s.in_c * bytes.Pick({1, 1, 1, 2, 3});
  s.groups = s.in_c;
  const size_t taps = Count(s.kernel_h, s.kernel_w, 1, 1);
  const size_t outputs = Count(s.batch, s.out_h, s.out_w, s.out_c);
  if (outputs == 0) return;
  const auto in = bytes.Numbers(Count(s.batch, s.in_h, s.in_w, s.in_c));
  const auto weights = bytes.Numbers(taps * static_cast<size_t>(s.out_c));
  const auto bias = bytes.Numbers(static_cast<size_t>(s.out_c));
  const auto residual = bytes.Numbers(outputs);
  const bool has_bias = bytes.Flag(), has_residual = bytes.Flag();
  const Epilogue epilogue{has_bias ? bias.data() : nullptr,
                          has_residual ? residual.data() : nullptr,
                          bytes.AnyActivation()};
  std::vector<float> want(outputs), bound(outputs);
  reference::DepthwiseConv2d(s, in.data(), weights.data(), epilogue,
                             want.data());
  reference::DepthwiseConv2d(
      s, Absolute(in).data(), Absolute(weights).data(),
      {Absolute(bias).data(), Absolute(residual).data(), {}}, bound.data());
  const float tolerance = Tolerance(taps, Largest(bound));
  OnEveryTarget([&] {
    std::vector<float> first;
    for (const int threads : {1, 3}) {
      const auto packed = PackedDepthwise::Pack(weights.data(), taps,
                                                static_cast<size_t>(s.out_c));
      if (!packed.ok()) std::abort();
      ThreadPool pool(threads);
      std::vector<float> got(outputs);
      DepthwiseConv2d(s, in.data(), *packed, epilogue, got.data(), pool);
      ExpectNear(Name("DepthwiseConv2d", s), got, want,
                 [&](size_t) { return tolerance; });
      if (threads == 1) first = got;
      ExpectSame(Name("DepthwiseConv2d on more threads", s), got, first);
    }
  });
}

void TransposeConvCase(CaseBytes& bytes) {
  Conv2dShape s;
  Axis axes[2];
  for (Axis& axis : axes) {
    axis.in = bytes.Between(1, 9);
    axis.kernel = bytes.Pick({2, 3, 2, 1, 4, 5});
    axis.stride = bytes.Pick({2, 1, 2, 3});
    const int32_t crop = bytes.Between(0, axis.kernel);
    axis.pad = bytes.Between(0, crop);
    axis.out = (axis.in - 1) * axis.stride + axis.kernel - crop;
  }
  SetAxes(axes[0], axes[1], &s);
  s.batch = bytes.Pick({1, 1, 2});
  s.in_c = bytes.Between(1, 70);
  s.out_c = bytes.Between(1, 40);
  const size_t k = Count(s.kernel_h, s.kernel_w, s.in_c, 1);
  if (s.out_h < 1 || s.out_w < 1) return;
  const size_t outputs = Count(s.batch, s.out_h, s.out_w, s.out_c);
  if (static_cast<double>(outputs) * static_cast<double>(k) >
      kMostMultiplyAccumulates)
    return;
  const auto in = bytes.Numbers(Count(s.batch, s.in_h, s.in_w, s.in_c));
  const auto weights = bytes.Numbers(k * static_cast<size_t>(s.out_c));
  const auto bias = bytes.Numbers(static_cast<size_t>(s.out_c));
  const float* used_bias = bytes.Flag() ? bias.data() : nullptr;
  const Activation activation = bytes.AnyActivation();
  std::vector<float> want(outputs), bound(outputs);
  reference::TransposeConv(s, in.data(), weights.data(), used_bias, activation,
                           want.data());
  reference::TransposeConv(s, Absolute(in).data(), Absolute(weights).data(),
                           Absolute(bias).data(), {}, bound.data());
  const float tolerance = Tolerance(k, Largest(bound));
  OnEveryTarget([&] {
    std::vector<float> first;
    for (const int threads : {1, 3}) {
      const auto packed =
          PackedTransposeConv::Pack(weights.data(), used_bias, s);
      const auto scratch_bytes = TransposeConvScratchBytes(s, threads);
      if (!packed.ok() || !scratch_bytes.ok()) std::abort();
      auto scratch = Buffer::Allocate(*scratch_bytes);
      if (!scratch.ok()) std::abort();
      ThreadPool pool(threads);
      std::vector<float> got(outputs);
      TransposeConv(s, in.data(), *packed, activation, got.data(),
                    scratch->data(), pool);
      ExpectNear("TransposeConv", got, want, [&](size_t) { return tolerance; });
      if (threads == 1) first = got;
      ExpectSame("TransposeConv on more threads", got, first);
    }
  });
}

void PoolCase(CaseBytes& bytes) {
  PoolShape s;
  const Axis y = AnyAxis(bytes, false), x = AnyAxis(bytes, false);
  SetAxes(y, x, &s);
  s.channels = bytes.Between(1, 70);
  // Every window meets the image.
  const auto meets = [](const Axis& axis) {
    return axis.out > 0 && (axis.out - 1) * axis.stride - axis.pad < axis.in;
  };
  if (!meets(y) || !meets(x)) return;
  const auto in = bytes.Numbers(Count(1, s.in_h, s.in_w, s.channels));
  const size_t outputs = Count(1, s.out_h, s.out_w, s.channels);
  const PoolKind kind =
      bytes.Pick({PoolKind::kMaximum, PoolKind::kAverage, PoolKind::kL2});
  const Activation activation = bytes.AnyActivation();
  const int32_t middle = bytes.Between(0, s.out_h);
  std::vector<float> want(outputs);
  reference::Pool(kind, s, activation, in.data(), 0, s.out_h, want.data());
  // Sums of as many terms as the window has, a division, a root.
  const float tolerance =
      Tolerance(Count(s.kernel_h, s.kernel_w, 1, 1), Largest(in));
  OnEveryTarget([&] {
    std::vector<float> got(outputs, kUntouched);
    Pool(kind, s, activation, in.data(), 0, middle, got.data());
    Pool(kind, s, activation, in.data(), middle, s.out_h, got.data());
    ExpectNear("Pool", got, want, [&](size_t) { return tolerance; });
  });
}

}  // namespace
}  // namespace munja::kernels

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace munja::kernels;
  CaseBytes bytes(data, size);
  const int32_t family = bytes.Byte() % 4;
  if (family == 0) Conv2dCase(bytes);
  if (family == 1) DepthwiseCase(bytes);
  if (family == 2) TransposeConvCase(bytes);
  if (family == 3) PoolCase(bytes);
  return 0;
}
