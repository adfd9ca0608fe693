#include "kernels/conv/transpose_conv.h"

#include <algorithm>
#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/transpose_conv.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "base/control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Splits `count` groups of four floats: the first two of each go to one row,
// the others to another.
void SplitFours(const float* fours, size_t count, float* line0, float* line1) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint64_t> d;
  const hn::Repartition<float, decltype(d)> df;
  const size_t pairs = hn::Lanes(d);
  for (; i + pairs <= count; i += pairs) {
    const auto low = hn::BitCast(d, hn::LoadU(df, fours + 4 * i));
    const auto high = hn::BitCast(d, hn::LoadU(df, fours + 4 * i + 2 * pairs));
    hn::StoreU(hn::BitCast(df, hn::ConcatEven(d, high, low)), df,
               line0 + 2 * i);
    hn::StoreU(hn::BitCast(df, hn::ConcatOdd(d, high, low)), df, line1 + 2 * i);
  }
#endif
  for (; i < count; ++i) {
    std::memcpy(line0 + 2 * i, fours + 4 * i, 2 * sizeof(float));
    std::memcpy(line1 + 2 * i, fours + 4 * i + 2, 2 * sizeof(float));
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(SplitFours);

namespace {

size_t LineFloats(const Conv2dShape& s) {
  return static_cast<size_t>(s.out_w) * s.out_c;
}
// Elements that one input pixel contributes to one output row.
size_t PixelFloats(const Conv2dShape& s) {
  return static_cast<size_t>(s.kernel_w) * s.out_c;
}

// Neighbors do not overlap and nothing is cut off: the product of an input
// line with a row of the kernel is an output line.
bool IsDirect(const Conv2dShape& s) {
  return s.kernel_w == s.stride_w && s.pad_left == 0 &&
         int64_t{s.in_w} * s.kernel_w == s.out_w;
}

// Rows of so few numbers that they fill no vector: all are made at once.
bool IsSmall(const Conv2dShape& s) {
  constexpr int64_t kFew = 16;
  const int64_t row = int64_t{s.kernel_w} * s.out_c;
  return row < kFew && row * s.kernel_h <= 2 * kFew;
}

// Neither rows nor columns overlap, nothing is cut off, and the kernel is
// small: the product of an input line with all of it is kernel_h output lines.
bool IsOneProduct(const Conv2dShape& s) {
  return IsSmall(s) && IsDirect(s) && s.kernel_h == s.stride_h &&
         s.pad_top == 0 && int64_t{s.in_h} * s.kernel_h == s.out_h;
}

// out[x] = epilogue(in[x] * matrix) for all pixels of an input line. A residual
// is the output itself.
void MultiplyLine(const Conv2dShape& s, const RowView& in,
                  const MatrixView& matrix, const Epilogue& epilogue,
                  const MutableRowView& out) {
  MultiplyRows({in.data, matrix.k, in.type}, static_cast<size_t>(s.in_w),
               matrix, epilogue, {out.data, matrix.n, out.type});
}

// Adds the product of an input line where its pixels fall.
void ScatterLine(const Conv2dShape& s, const float* product, float* out) {
  const size_t out_c = static_cast<size_t>(s.out_c);
  for (int32_t x = 0; x < s.in_w; ++x) {
    const int64_t column = int64_t{x} * s.stride_w - s.pad_left;
    const int64_t first = std::clamp<int64_t>(-column, 0, s.kernel_w);
    const int64_t last =
        std::clamp<int64_t>(s.out_w - column, first, s.kernel_w);
    const float* from = product + x * PixelFloats(s) + first * out_c;
    float* to = out + (column + first) * static_cast<int64_t>(out_c);
    const size_t count = static_cast<size_t>(last - first) * out_c;
    for (size_t i = 0; i < count; ++i) to[i] += from[i];
  }
}

// Output line n: the input lines that reach it, in the order of the kernel's
// rows.
void MakeLine(const Conv2dShape& s, const RowView& in,
              const PackedTransposeConv& weights, const Activation& activation,
              const MutableRowView& out, float* product, size_t n) {
  const size_t line_floats = LineFloats(s);
  const MutableRowView to = RowsFrom(out, n);
  float* const line = static_cast<float*>(to.data);  // Unless it is halves.
  const size_t image = n / s.out_h;
  const int64_t y = static_cast<int64_t>(n % s.out_h) + s.pad_top;
  const bool direct = IsDirect(s);
  int32_t last_i = -1;  // The last kernel row that reaches the line.
  const auto input_line = [&](int32_t i) -> RowView {
    const int64_t from = y - i;
    if (from < 0 || from % s.stride_h != 0 || from / s.stride_h >= s.in_h)
      return {};
    return RowsFrom(in,
                    image * s.in_h + static_cast<size_t>(from / s.stride_h));
  };
  for (int32_t i = 0; i < s.kernel_h; ++i)
    if (input_line(i).data != nullptr) last_i = i;
  bool started = false;
  if (!direct || last_i < 0) {
    for (int32_t x = 0; x < s.out_w; ++x)
      std::memcpy(line + static_cast<size_t>(x) * s.out_c, weights.bias(),
                  static_cast<size_t>(s.out_c) * sizeof(float));
    started = true;
  }
  for (int32_t i = 0; i <= last_i; ++i) {
    const RowView from = input_line(i);
    if (from.data == nullptr) continue;
    if (direct) {
      Epilogue epilogue;
      if (started)
        epilogue.residual = line;
      else
        epilogue.bias = weights.bias();
      if (i == last_i) epilogue.activation = activation;
      MultiplyLine(s, from, weights.row(i), epilogue, to);
      started = true;
    } else {
      MultiplyLine(s, from, weights.row(i), {}, {product, 0});
      ScatterLine(s, product, line);
    }
  }
  if ((!direct || last_i < 0) && activation.kind != ActivationKind::kNone)
    Activate(activation, line, line_floats, line);
}

// The output lines of input line n, by way of `product`, in which the numbers
// of a pixel lie together so that the activation fills its vectors.
void MakeLinesOf(const Conv2dShape& s, const RowView& in,
                 const PackedTransposeConv& weights,
                 const Activation& activation, float* out, float* product,
                 size_t n) {
  const size_t width = static_cast<size_t>(s.in_w);
  const size_t kernel_h = static_cast<size_t>(s.kernel_h);
  const size_t row = PixelFloats(s), pixel = kernel_h * row;
  MultiplyLine(s, RowsFrom(in, n), weights.all()->view(),
               {weights.bias(), {}, {}}, {product, 0});
  if (activation.kind != ActivationKind::kNone)
    Activate(activation, product, width * pixel, product);
  float* const lines = out + n * kernel_h * LineFloats(s);
  if (row == 2 && kernel_h == 2) {
    HWY_DYNAMIC_DISPATCH(SplitFours)
    (product, width, lines, lines + LineFloats(s));
    return;
  }
  for (size_t i = 0; i < kernel_h; ++i) {
    const float* from = product + i * row;
    float* to = lines + i * LineFloats(s);
    for (size_t x = 0; x < width; ++x)
      std::memcpy(to + row * x, from + x * pixel, row * sizeof(float));
  }
}

size_t WorkerFloats(const Conv2dShape& s) {
  size_t floats = static_cast<size_t>(s.in_w) * PixelFloats(s);
  if (IsOneProduct(s))
    floats *= static_cast<size_t>(s.kernel_h);
  else if (IsDirect(s))
    floats = 0;
  return RoundUp(floats, kBufferAlignment / sizeof(float));
}

}  // namespace

Result<PackedTransposeConv> PackedTransposeConv::Pack(const float* weights,
                                                      const float* bias,
                                                      const Conv2dShape& s,
                                                      Product product) {
  PackedTransposeConv packed;
  const size_t in_c = static_cast<size_t>(s.in_c);
  const size_t out_c = static_cast<size_t>(s.out_c);
  const size_t kernel_w = static_cast<size_t>(s.kernel_w);
  const size_t kernel_h = static_cast<size_t>(s.kernel_h);
  size_t n = 0, floats = 0;
  if (!CheckedMultiply(kernel_w, out_c, &n) ||
      !CheckedMultiply(n, in_c, &floats) ||
      !CheckedMultiply(floats, sizeof(float), &floats)) {
    return OutOfMemory("transposed convolution weights do not fit memory");
  }
  size_t bias_bytes = 0;
  if (!CheckedMultiply(n * sizeof(float), kernel_h, &bias_bytes))
    return OutOfMemory("transposed convolution weights do not fit memory");
  MUNJA_ASSIGN_OR_RETURN(packed.bias_, Buffer::AllocateZeroed(bias_bytes));
  if (bias != nullptr) {
    for (size_t j = 0; j < kernel_h * kernel_w; ++j)
      std::memcpy(packed.bias_.as<float>() + j * out_c, bias,
                  out_c * sizeof(float));
  }
  // [kernel_w][out_c][in_c] of one kernel row.
  MUNJA_ASSIGN_OR_RETURN(Buffer ordered, Buffer::Allocate(floats));
  for (size_t i = 0; i < kernel_h; ++i) {
    float* to = ordered.as<float>();
    for (size_t j = 0; j < kernel_w; ++j) {
      for (size_t c = 0; c < out_c; ++c, to += in_c) {
        const float* from =
            weights + ((c * kernel_h + i) * kernel_w + j) * in_c;
        std::memcpy(to, from, in_c * sizeof(float));
      }
    }
    MUNJA_ASSIGN_OR_RETURN(
        PackedMatrix row,
        PackedMatrix::Pack(ordered.as<float>(), in_c, n, 1, in_c, product));
    packed.rows_.push_back(std::move(row));
  }
  if (IsSmall(s)) {
    const size_t taps = kernel_h * kernel_w;
    MUNJA_ASSIGN_OR_RETURN(ordered, Buffer::Allocate(floats * kernel_h));
    for (size_t j = 0; j < taps; ++j)
      for (size_t c = 0; c < out_c; ++c)
        std::memcpy(ordered.as<float>() + (j * out_c + c) * in_c,
                    weights + (c * taps + j) * in_c, in_c * sizeof(float));
    MUNJA_ASSIGN_OR_RETURN(PackedMatrix all,
                           PackedMatrix::Pack(ordered.as<float>(), in_c,
                                              taps * out_c, 1, in_c, product));
    packed.all_ = std::make_unique<PackedMatrix>(std::move(all));
  }
  return packed;
}

size_t PackedTransposeConv::bytes() const {
  size_t sum = bias_.size() + (all_ == nullptr ? 0 : all_->bytes());
  for (const PackedMatrix& row : rows_) sum += row.bytes();
  return sum;
}

Result<size_t> TransposeConvScratchBytes(const Conv2dShape& s, int threads) {
  size_t bytes = 0;
  if (!CheckedMultiply(static_cast<size_t>(s.in_w) + 1,
                       PixelFloats(s) * static_cast<size_t>(s.kernel_h),
                       &bytes) ||
      !CheckedMultiply(WorkerFloats(s),
                       sizeof(float) * static_cast<size_t>(threads), &bytes)) {
    return OutOfMemory("a line of a transposed convolution does not fit");
  }
  return bytes;
}

bool TakesHalfMap(const Conv2dShape& s, const PackedTransposeConv& weights) {
  return weights.row(0).is_half() && s.in_c % kFloat16Run == 0;
}

bool MakesHalfMap(const Conv2dShape& s, const PackedTransposeConv& weights) {
  return weights.row(0).is_half() && IsDirect(s) && !IsOneProduct(s) &&
         s.kernel_h == s.stride_h && s.pad_top == 0 &&
         int64_t{s.in_h} * s.kernel_h == s.out_h;
}

void TransposeConv(const Conv2dShape& s, const float* in,
                   const PackedTransposeConv& weights,
                   const Activation& activation, float* out, void* scratch,
                   ThreadPool& pool) {
  TransposeConv(s, RowView{in, 0}, weights, activation, MutableRowView{out, 0},
                scratch, pool);
}

void TransposeConv(const Conv2dShape& s, const RowView& in,
                   const PackedTransposeConv& weights,
                   const Activation& activation, const MutableRowView& out,
                   void* scratch, ThreadPool& pool) {
  const RowView lines_in{in.data, static_cast<size_t>(s.in_w) * s.in_c,
                         in.type};
  const MutableRowView lines_out{out.data, LineFloats(s), out.type};
  const bool one_product = IsOneProduct(s);
  const size_t lines =
      static_cast<size_t>(s.batch) * (one_product ? s.in_h : s.out_h);
  // Pixels to a task, as lines.
  const size_t pixels =
      RowsPerTask(static_cast<size_t>(s.in_c), PixelFloats(s));
  const size_t grain = std::max<size_t>(1, pixels / s.in_w);
  pool.ParallelFor(lines, grain, [&](size_t begin, size_t end, int worker) {
    float* product = static_cast<float*>(scratch) +
                     WorkerFloats(s) * static_cast<size_t>(worker);
    for (size_t n = begin; n < end; ++n) {
      if (one_product)
        MakeLinesOf(s, lines_in, weights, activation,
                    static_cast<float*>(out.data), product, n);
      else
        MakeLine(s, lines_in, weights, activation, lines_out, product, n);
    }
  });
}

namespace reference {

void TransposeConv(const Conv2dShape& s, const float* in, const float* weights,
                   const float* bias, const Activation& activation,
                   float* out) {
  size_t at = 0;
  for (int32_t n = 0; n < s.batch; ++n) {
    for (int32_t oy = 0; oy < s.out_h; ++oy) {
      for (int32_t ox = 0; ox < s.out_w && !IsStopped(); ++ox) {
        for (int32_t co = 0; co < s.out_c; ++co, ++at) {
          double sum = bias == nullptr ? 0.0 : bias[co];
          // Which input pixel reaches here through weight (i, j)?
          for (int32_t i = 0; i < s.kernel_h; ++i) {
            const int64_t y = int64_t{oy} + s.pad_top - i;
            if (y < 0 || y % s.stride_h != 0 || y / s.stride_h >= s.in_h)
              continue;
            for (int32_t j = 0; j < s.kernel_w; ++j) {
              const int64_t x = int64_t{ox} + s.pad_left - j;
              if (x < 0 || x % s.stride_w != 0 || x / s.stride_w >= s.in_w)
                continue;
              const float* pixel =
                  in + ((int64_t{n} * s.in_h + y / s.stride_h) * s.in_w +
                        x / s.stride_w) *
                           s.in_c;
              const float* w =
                  weights +
                  ((int64_t{co} * s.kernel_h + i) * s.kernel_w + j) * s.in_c;
              for (int32_t c = 0; c < s.in_c; ++c)
                sum += static_cast<double>(pixel[c]) * w[c];
            }
          }
          out[at] = Activate(activation, static_cast<float>(sum));
        }
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
