#include "kernels/depthwise/depthwise_conv_2d.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise/depthwise_conv_2d.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "base/control.h"
#include "hwy/highway.h"
#include "kernels/cpu/cache.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One output line: which rows and columns of the kernel meet the image.
struct Line {
  const Conv2dShape* shape;
  const float* in;       // Row 0, column 0 of the image.
  const float* weights;  // As PackedDepthwise.
  size_t weight_stride;
  int64_t y;               // Input row under kernel row 0, may be outside.
  int32_t first_i, end_i;  // Kernel rows inside the image.
  const float* bias;       // Null: none.
  const float* residual;   // Residual row. Null: none.
  float* out;              // Output row.
  ClampBounds clamp;

  const float* InputRow(int32_t i) const {
    return in +
           (y + int64_t{i} * shape->dilation_h) * shape->in_w * shape->in_c;
  }
};

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Loads and stores of whole vectors, or of `count` lanes.
template <bool kTail>
struct Lanes {
  size_t count;
  HWY_INLINE V Load(const float* p) const {
    if constexpr (kTail) return LoadTail(D(), p, count);
    return hn::LoadU(D(), p);
  }
  HWY_INLINE void Store(V v, float* p) const {
    if constexpr (kTail)
      StoreTail(v, D(), p, count);
    else
      hn::StoreU(v, D(), p);
  }
};

// A run of output pixels, from channel 0 of the first. Worked out once for all
// channels, as is a window.
struct Pixels {
  size_t channels;
  const float* bias;      // Null: none.
  const float* residual;  // Null: none.
  float* out;
  ClampBounds clamp;
};

HWY_INLINE Pixels PixelsAt(const Line& line, int32_t x) {
  const int64_t at = int64_t{x} * line.shape->in_c;
  return {static_cast<size_t>(line.shape->in_c), line.bias,
          line.residual == nullptr ? nullptr : line.residual + at,
          line.out + at, line.clamp};
}

// The input window of such a run where all kernel columns lie in the image.
struct Window {
  Pixels pixels;
  const float* in;       // The first kernel row that meets the image.
  const float* weights;  // Weights of that row.
  size_t row_floats, weight_stride;
  int32_t rows;
};

HWY_INLINE Window WindowAt(const Line& line, int32_t x, int32_t kernel_w,
                           int32_t stride_w) {
  const Conv2dShape& s = *line.shape;
  const int64_t column = int64_t{x} * stride_w - s.pad_left;
  const int32_t rows = line.end_i - line.first_i;
  // Without rows there is nothing to read.
  const float* const row = rows > 0 ? line.InputRow(line.first_i) : line.in;
  return {PixelsAt(line, x),
          row + column * s.in_c,
          line.weights + line.first_i * kernel_w * line.weight_stride,
          static_cast<size_t>(s.dilation_h) * s.in_w * s.in_c,
          line.weight_stride,
          rows};
}

template <bool kTail>
HWY_INLINE void Finish(const Pixels& p, const Lanes<kTail>& lanes, V sum,
                       size_t at) {
  if (p.residual != nullptr) sum = hn::Add(sum, lanes.Load(p.residual + at));
  if (p.clamp.is_active) {
    sum = AtMost(hn::Set(D(), p.clamp.high),
                 AtLeast(hn::Set(D(), p.clamp.low), sum));
  }
  lanes.Store(sum, p.out + at);
}

// kPixels output pixels, for the channels from c on, all of whose kernel
// columns lie in the image. An input vector is loaded once and used by every
// pixel whose window it is in.
template <int kWidth, int kStride, int kPixels, bool kTail>
HWY_INLINE void Inner(const Window& w, size_t c, const Lanes<kTail>& lanes) {
  const D d;
  V sum[kPixels];
  const V start =
      w.pixels.bias == nullptr ? hn::Zero(d) : lanes.Load(w.pixels.bias + c);
  HWY_UNROLL(8)
  for (int p = 0; p < kPixels; ++p) sum[p] = start;
  for (int32_t i = 0; i < w.rows; ++i) {
    const float* const in = w.in + i * w.row_floats + c;
    const float* const weights = w.weights + i * kWidth * w.weight_stride + c;
    V weight[kWidth];
    HWY_UNROLL(8)
    for (int j = 0; j < kWidth; ++j)
      weight[j] = hn::LoadU(d, weights + j * w.weight_stride);
    HWY_UNROLL(24)
    for (int n = 0; n < (kPixels - 1) * kStride + kWidth; ++n) {
      const V v = lanes.Load(in + n * w.pixels.channels);
      HWY_UNROLL(8)
      for (int p = 0; p < kPixels; ++p) {
        const int j = n - p * kStride;
        if (j >= 0 && j < kWidth) sum[p] = hn::MulAdd(v, weight[j], sum[p]);
      }
    }
  }
  HWY_UNROLL(8)
  for (int p = 0; p < kPixels; ++p)
    Finish(w.pixels, lanes, sum[p], p * w.pixels.channels + c);
}

template <int kWidth, int kStride, int kPixels>
void InnerPixels(const Line& line, int32_t x) {
  const size_t lanes = hn::Lanes(D());
  const Window w = WindowAt(line, x, kWidth, kStride);
  size_t c = 0;
  for (; c + lanes <= w.pixels.channels; c += lanes)
    Inner<kWidth, kStride, kPixels>(w, c, Lanes<false>{lanes});
  if (c < w.pixels.channels)
    Inner<kWidth, kStride, kPixels>(w, c, Lanes<true>{w.pixels.channels - c});
}

template <int kWidth, int kStride>
void InnerRun(const Line& line, int32_t x, int32_t end) {
  for (; x + 8 <= end; x += 8) InnerPixels<kWidth, kStride, 8>(line, x);
  if (x + 4 <= end) {
    InnerPixels<kWidth, kStride, 4>(line, x);
    x += 4;
  }
  if (x + 2 <= end) {
    InnerPixels<kWidth, kStride, 2>(line, x);
    x += 2;
  }
  if (x < end) InnerPixels<kWidth, kStride, 1>(line, x);
}

// Any kernel, any dilation, and pixels whose window sticks out. kVectors side
// by side hide how long a multiply-add takes.
template <size_t kVectors, bool kTail>
HWY_INLINE void AnyPixel(const Line& line, const Pixels& pixels, int32_t x,
                         size_t c, const Lanes<kTail>& lanes) {
  const D d;
  const size_t width = hn::Lanes(d);
  const Conv2dShape& s = *line.shape;
  V sum[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    sum[v] = line.bias == nullptr ? hn::Zero(d)
                                  : lanes.Load(line.bias + c + v * width);
  }
  const int64_t column = int64_t{x} * s.stride_w - s.pad_left;
  for (int32_t i = line.first_i; i < line.end_i; ++i) {
    const float* row = line.InputRow(i);
    for (int32_t j = 0; j < s.kernel_w; ++j) {
      const int64_t at = column + int64_t{j} * s.dilation_w;
      if (at < 0 || at >= s.in_w) continue;
      const size_t tap = static_cast<size_t>(i) * s.kernel_w + j;
      const float* const pixel = row + at * s.in_c + c;
      const float* const weights = line.weights + tap * line.weight_stride + c;
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        sum[v] = hn::MulAdd(lanes.Load(pixel + v * width),
                            hn::LoadU(d, weights + v * width), sum[v]);
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    Finish(pixels, lanes, sum[v], c + v * width);
  }
}

void AnyRun(const Line& line, int32_t x, int32_t end) {
  const size_t lanes = hn::Lanes(D());
  for (; x < end; ++x) {
    const Pixels pixels = PixelsAt(line, x);
    size_t c = 0;
    for (; c + 4 * lanes <= pixels.channels; c += 4 * lanes)
      AnyPixel<4>(line, pixels, x, c, Lanes<false>{lanes});
    for (; c + lanes <= pixels.channels; c += lanes)
      AnyPixel<1>(line, pixels, x, c, Lanes<false>{lanes});
    if (c < pixels.channels)
      AnyPixel<1>(line, pixels, x, c, Lanes<true>{pixels.channels - c});
  }
}

// Two lines, one below the other, of a kernel of stride 1 whose rows all lie in
// the image: an input vector serves both, and each input row but the outer ones
// is read once instead of twice. The sums are made in the order of single
// lines.
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr bool kTakesTwoLines = true;  // 32 registers.
#else
constexpr bool kTakesTwoLines = false;
#endif

template <int kWidth, int kPixels, bool kTail>
HWY_INLINE void InnerOfTwo(const Window& w, const Pixels& below, size_t c,
                           const Lanes<kTail>& lanes) {
  const D d;
  const V start =
      w.pixels.bias == nullptr ? hn::Zero(d) : lanes.Load(w.pixels.bias + c);
  V sum[kPixels], sum_below[kPixels];
  HWY_UNROLL(8)
  for (int p = 0; p < kPixels; ++p) sum[p] = sum_below[p] = start;
  V weight[kWidth], weight_below[kWidth];
  // Row i of the kernel of the line is row i - 1 of that of the one below.
  const auto add_row = [&](int32_t i, auto is_first, auto is_last) HWY_ATTR {
    const float* const in = w.in + i * w.row_floats + c;
    if constexpr (!is_last()) {
      const float* const weights = w.weights + i * kWidth * w.weight_stride + c;
      HWY_UNROLL(8)
      for (int j = 0; j < kWidth; ++j)
        weight[j] = hn::LoadU(d, weights + j * w.weight_stride);
    }
    HWY_UNROLL(24)
    for (int n = 0; n < kPixels - 1 + kWidth; ++n) {
      const V v = lanes.Load(in + n * w.pixels.channels);
      HWY_UNROLL(8)
      for (int p = 0; p < kPixels; ++p) {
        const int j = n - p;
        if (j < 0 || j >= kWidth) continue;
        if constexpr (!is_last()) sum[p] = hn::MulAdd(v, weight[j], sum[p]);
        if constexpr (!is_first())
          sum_below[p] = hn::MulAdd(v, weight_below[j], sum_below[p]);
      }
    }
    HWY_UNROLL(8)
    for (int j = 0; j < kWidth; ++j) weight_below[j] = weight[j];
  };
  add_row(0, std::true_type(), std::false_type());
  for (int32_t i = 1; i < w.rows; ++i)
    add_row(i, std::false_type(), std::false_type());
  add_row(w.rows, std::false_type(), std::true_type());
  HWY_UNROLL(8)
  for (int p = 0; p < kPixels; ++p) {
    const size_t at = p * w.pixels.channels + c;
    Finish(w.pixels, lanes, sum[p], at);
    Finish(below, lanes, sum_below[p], at);
  }
}

template <int kWidth>
void InnerRunOfTwo(const Line& line, const Line& below, int32_t x,
                   int32_t end) {
  constexpr int kPixels = 8;
  const size_t lanes = hn::Lanes(D());
  for (; x + kPixels <= end; x += kPixels) {
    const Window w = WindowAt(line, x, kWidth, 1);
    const Pixels next = PixelsAt(below, x);
    size_t c = 0;
    for (; c + lanes <= w.pixels.channels; c += lanes)
      InnerOfTwo<kWidth, kPixels>(w, next, c, Lanes<false>{lanes});
    if (c < w.pixels.channels)
      InnerOfTwo<kWidth, kPixels>(w, next, c,
                                  Lanes<true>{w.pixels.channels - c});
  }
  InnerRun<kWidth, 1>(line, x, end);
  InnerRun<kWidth, 1>(below, x, end);
}

using RunOfTwo = void (*)(const Line&, const Line&, int32_t, int32_t);

// Null where lines are made one by one.
RunOfTwo InnerRunOfTwoOf(const Conv2dShape& s) {
  if (!kTakesTwoLines || s.dilation_w != 1 || s.dilation_h != 1 ||
      s.stride_w != 1 || s.stride_h != 1 || s.kernel_h < 2)
    return nullptr;
  if (s.kernel_w == 3) return InnerRunOfTwo<3>;
  if (s.kernel_w == 5) return InnerRunOfTwo<5>;
  return nullptr;
}

using Run = void (*)(const Line&, int32_t, int32_t);

Run InnerRunOf(const Conv2dShape& s) {
  if (s.dilation_w != 1) return AnyRun;
  if (s.kernel_w == 3 && s.stride_w == 1) return InnerRun<3, 1>;
  if (s.kernel_w == 3 && s.stride_w == 2) return InnerRun<3, 2>;
  if (s.kernel_w == 5 && s.stride_w == 1) return InnerRun<5, 1>;
  if (s.kernel_w == 5 && s.stride_w == 2) return InnerRun<5, 2>;
  return AnyRun;
}

// Pixels of a line to make before those below them: the input rows that meet
// there stay in half of a first-level cache until the last line that needs them
// has come.
int32_t StripPixels(const Conv2dShape& s) {
  constexpr int64_t kFloats = kFirstLevelCache / 2 / sizeof(float);
  const int64_t pixel =
      int64_t{s.kernel_h + 1} * s.dilation_h * s.stride_w * s.in_c;
  return static_cast<int32_t>(
      std::max<int64_t>(8, kFloats / std::max<int64_t>(pixel, 1) / 8 * 8));
}

// Output lines [begin, end) of all images; multiplier 1.
void Depthwise(const Conv2dShape& s, const float* in, const float* weights,
               size_t weight_stride, const Epilogue& epilogue, float* out,
               size_t begin, size_t end) {
  const Run inner = InnerRunOf(s);
  const int64_t reach = int64_t{s.kernel_w - 1} * s.dilation_w;
  // Pixels [first, last) have no kernel column outside.
  const int64_t first = std::min<int64_t>(
      s.out_w, (int64_t{s.pad_left} + s.stride_w - 1) / s.stride_w);
  const int64_t room = int64_t{s.in_w} - 1 - reach + s.pad_left;
  const int64_t last =
      std::clamp<int64_t>(room < 0 ? 0 : room / s.stride_w + 1, first, s.out_w);
  const size_t line_floats = static_cast<size_t>(s.out_w) * s.in_c;
  Line line;
  line.shape = &s;
  line.weights = weights;
  line.weight_stride = weight_stride;
  line.bias = epilogue.bias;
  line.clamp = ClampOf(epilogue.activation.kind);
  const auto move_to = [&](size_t n) {
    const size_t image = n / s.out_h;
    line.in = in + image * s.in_h * s.in_w * s.in_c;
    line.y = static_cast<int64_t>(n % s.out_h) * s.stride_h - s.pad_top;
    const int64_t dilation = s.dilation_h;
    line.first_i = static_cast<int32_t>(std::clamp<int64_t>(
        line.y >= 0 ? 0 : (-line.y + dilation - 1) / dilation, 0, s.kernel_h));
    const int64_t below = s.in_h - 1 - line.y;
    line.end_i = static_cast<int32_t>(std::clamp<int64_t>(
        below < 0 ? 0 : below / dilation + 1, line.first_i, s.kernel_h));
    line.out = out + n * line_floats;
    line.residual = epilogue.residual.data == nullptr
                        ? nullptr
                        : epilogue.residual.floats() + n * line_floats;
  };
  const auto is_whole = [&](const Line& l) {
    return l.first_i == 0 && l.end_i == s.kernel_h;
  };
  const auto left = static_cast<int32_t>(first);
  const auto right = static_cast<int32_t>(last);
  const auto finish = [&](const Line& l) {
    AnyRun(l, 0, left);
    AnyRun(l, right, s.out_w);
    if (!l.clamp.is_whole_activation)
      Activate(epilogue.activation, l.out, line_floats, l.out);
  };
  const RunOfTwo inner_of_two = InnerRunOfTwoOf(s);
  const int32_t strip = end - begin > 1 ? StripPixels(s) : right - left;
  for (int32_t x = left; x < right; x += strip) {
    const int32_t strip_end = std::min(x + strip, right);
    for (size_t n = begin; n < end; ++n) {
      move_to(n);
      if (inner_of_two != nullptr && is_whole(line) && n + 1 < end &&
          (n + 1) % s.out_h != 0) {
        const Line above = line;
        move_to(n + 1);
        if (is_whole(line)) {
          inner_of_two(above, line, x, strip_end);
          ++n;
          continue;
        }
        line = above;
      }
      inner(line, x, strip_end);
    }
  }
  for (size_t n = begin; n < end; ++n) {
    move_to(n);
    finish(line);
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Depthwise);

namespace {

// One output line for any multiplier.
void MultiplierLine(const Conv2dShape& s, const float* in,
                    const PackedDepthwise& weights, const Epilogue& epilogue,
                    float* out, size_t n) {
  const size_t channels = static_cast<size_t>(s.out_c);
  const size_t multiplier = static_cast<size_t>(s.out_c / s.in_c);
  const size_t line_floats = static_cast<size_t>(s.out_w) * channels;
  const float* image = in + n / s.out_h * s.in_h * s.in_w * s.in_c;
  const int64_t y = static_cast<int64_t>(n % s.out_h) * s.stride_h - s.pad_top;
  float* line = out + n * line_floats;
  // Sums are made in a block of memory of their own: the line may lie over
  // the residual.
  constexpr size_t kBlock = 64;
  float sum[kBlock];
  for (int32_t x = 0; x < s.out_w; ++x) {
    const int64_t column = int64_t{x} * s.stride_w - s.pad_left;
    for (size_t c0 = 0; c0 < channels; c0 += kBlock) {
      const size_t block = std::min(kBlock, channels - c0);
      for (size_t c = 0; c < block; ++c)
        sum[c] = epilogue.bias == nullptr ? 0.0f : epilogue.bias[c0 + c];
      for (int32_t i = 0; i < s.kernel_h; ++i) {
        const int64_t iy = y + int64_t{i} * s.dilation_h;
        if (iy < 0 || iy >= s.in_h) continue;
        for (int32_t j = 0; j < s.kernel_w; ++j) {
          const int64_t ix = column + int64_t{j} * s.dilation_w;
          if (ix < 0 || ix >= s.in_w) continue;
          const float* pixel = image + (iy * s.in_w + ix) * s.in_c;
          const float* w =
              weights.weights() +
              (static_cast<size_t>(i) * s.kernel_w + j) * weights.stride() + c0;
          for (size_t c = 0; c < block; ++c)
            sum[c] += pixel[(c0 + c) / multiplier] * w[c];
        }
      }
      const size_t at = static_cast<size_t>(x) * channels + c0;
      for (size_t c = 0; c < block; ++c) {
        if (epilogue.residual.data != nullptr)
          sum[c] += epilogue.residual.floats()[n * line_floats + at + c];
        line[at + c] = sum[c];
      }
    }
  }
  if (epilogue.activation.kind != ActivationKind::kNone)
    Activate(epilogue.activation, line, line_floats, line);
}

}  // namespace

Result<PackedDepthwise> PackedDepthwise::Pack(const float* weights, size_t taps,
                                              size_t channels) {
  // The widest vectors of any target are 16 floats.
  const size_t stride = RoundUp(channels, 16);
  size_t bytes = 0;
  if (!CheckedMultiply(taps, stride, &bytes) ||
      !CheckedMultiply(bytes, sizeof(float), &bytes)) {
    return OutOfMemory("depthwise weights of " + std::to_string(taps) + " x " +
                       std::to_string(channels) + " do not fit memory");
  }
  MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::AllocateZeroed(bytes));
  for (size_t tap = 0; tap < taps; ++tap) {
    std::memcpy(buffer.as<float>() + tap * stride, weights + tap * channels,
                channels * sizeof(float));
  }
  return PackedDepthwise(std::move(buffer), stride);
}

void DepthwiseConv2d(const Conv2dShape& s, const float* in,
                     const PackedDepthwise& weights, const Epilogue& epilogue,
                     float* out, ThreadPool& pool) {
  const size_t lines = static_cast<size_t>(s.batch) * s.out_h;
  const size_t line_work = static_cast<size_t>(s.out_w) * s.out_c *
                           static_cast<size_t>(s.kernel_h) * s.kernel_w;
  // Lines that follow each other share input rows: as many as leave every
  // thread some tasks.
  const auto threads = static_cast<size_t>(pool.threads());
  const size_t grain = threads == 1 ? lines
                                    : std::max<size_t>(lines / (8 * threads),
                                                       kMediumTask / line_work);
  pool.ParallelFor(lines, std::max<size_t>(1, grain),
                   [&](size_t begin, size_t end, int) {
                     if (s.out_c == s.in_c) {
                       HWY_DYNAMIC_DISPATCH(Depthwise)
                       (s, in, weights.weights(), weights.stride(), epilogue,
                        out, begin, end);
                     } else {
                       for (size_t n = begin; n < end; ++n)
                         MultiplierLine(s, in, weights, epilogue, out, n);
                     }
                   });
}

namespace reference {

void DepthwiseConv2d(const Conv2dShape& s, const float* in,
                     const float* weights, const Epilogue& epilogue,
                     float* out) {
  const int32_t multiplier = s.out_c / s.in_c;
  size_t at = 0;
  for (int32_t n = 0; n < s.batch; ++n) {
    for (int32_t y = 0; y < s.out_h; ++y) {
      for (int32_t x = 0; x < s.out_w && !IsStopped(); ++x) {
        for (int32_t c = 0; c < s.out_c; ++c, ++at) {
          double sum = epilogue.bias == nullptr ? 0.0 : epilogue.bias[c];
          for (int32_t i = 0; i < s.kernel_h; ++i) {
            const int64_t iy =
                int64_t{y} * s.stride_h - s.pad_top + int64_t{i} * s.dilation_h;
            if (iy < 0 || iy >= s.in_h) continue;
            for (int32_t j = 0; j < s.kernel_w; ++j) {
              const int64_t ix = int64_t{x} * s.stride_w - s.pad_left +
                                 int64_t{j} * s.dilation_w;
              if (ix < 0 || ix >= s.in_w) continue;
              const int64_t pixel = (int64_t{n} * s.in_h + iy) * s.in_w + ix;
              const int64_t tap = int64_t{i} * s.kernel_w + j;
              sum += static_cast<double>(in[pixel * s.in_c + c / multiplier]) *
                     weights[tap * s.out_c + c];
            }
          }
          if (epilogue.residual.data != nullptr)
            sum += epilogue.residual.floats()[at];
          out[at] = Activate(epilogue.activation, static_cast<float>(sum));
        }
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
