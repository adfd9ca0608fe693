// A block of squares at a time: their inputs are transformed into 36 matrices
// of a row for each square, each is multiplied by the weights of its point, and
// the products of a panel of output channels are transformed back before those
// of the next one are made. The block is small enough for the matrices to stay
// in the second-level cache.
#include "kernels/conv/winograd.h"

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/winograd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/cache.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"

#ifndef MUNJA_KERNELS_CONV_WINOGRAD_ONCE_
#define MUNJA_KERNELS_CONV_WINOGRAD_ONCE_
namespace munja::kernels {
namespace {

// The polynomials are evaluated at 0, +-kNodeA, +-kNodeB and infinity. With
// kNodeA * kNodeB = 1 the factors below are smaller, and less is lost by
// rounding, than at the usual 1 and 2.
constexpr double kNodeA = 0.70710678118654752440,
                 kNodeB = 1.41421356237309504880;
constexpr size_t kInputSide = 6;  // Side of the square of input pixels.
constexpr size_t kPoints = kInputSide * kInputSide;

// The products of a square with a panel of output channels, and where they go.
struct ResultTile {
  // Products of point 0; other points are `plane` floats apart.
  const float* from;
  size_t plane;
  size_t columns;        // Output channels.
  int32_t rows, pixels;  // How many of the 4x4 pixels are in the image.
  float* out;
  const float* residual;
  size_t row_stride, pixel_stride;  // Strides of `out` and `residual`.
  const float* bias;
  ClampBounds clamp;
};

}  // namespace
}  // namespace munja::kernels
#endif  // MUNJA_KERNELS_CONV_WINOGRAD_ONCE_

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// B^T x, of the six elements that `load(i)` gives to those that `store(i, x)`
// takes.
template <class D, class Load, class Store>
HWY_INLINE void TransformSix(D d, Load&& load, Store&& store) {
  constexpr auto kA2 = static_cast<float>(kNodeA * kNodeA);
  constexpr auto kB2 = static_cast<float>(kNodeB * kNodeB);
  using V = hn::Vec<D>;
  const V a2 = hn::Set(d, kA2), b2 = hn::Set(d, kB2);
  const V both = hn::Set(d, kA2 + kB2);
  const V a = hn::Set(d, static_cast<float>(kNodeA));
  const V b = hn::Set(d, static_cast<float>(kNodeB));
  const V x0 = load(0), x1 = load(1), x2 = load(2), x3 = load(3), x4 = load(4),
          x5 = load(5);
  store(0, hn::NegMulAdd(both, x2, hn::Add(x0, x4)));
  const V even_a = hn::NegMulAdd(b2, x2, x4);
  const V odd_a = hn::NegMulAdd(b2, x1, x3);
  store(1, hn::MulAdd(a, odd_a, even_a));
  store(2, hn::NegMulAdd(a, odd_a, even_a));
  const V even_b = hn::NegMulAdd(a2, x2, x4);
  const V odd_b = hn::NegMulAdd(a2, x1, x3);
  store(3, hn::MulAdd(b, odd_b, even_b));
  store(4, hn::NegMulAdd(b, odd_b, even_b));
  store(5, hn::NegMulAdd(both, x3, hn::Add(x1, x5)));
}

// at[i * 6 + j]: the channels of pixel (i, j) of the square. Point p goes to
// to[p * plane].
void TransformInput(const float* const* at, size_t channels, float* to,
                    size_t plane) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  for (size_t first = 0; first < channels; first += lanes) {
    // The last vector begins earlier where the channels are no whole vectors.
    const size_t c = HWY_MIN(first, channels - lanes);
    V half[kPoints];
    for (size_t j = 0; j < kInputSide; ++j) {
      TransformSix(
          d,
          [&](size_t i)
              HWY_ATTR { return hn::LoadU(d, at[i * kInputSide + j] + c); },
          [&](size_t i, V x) HWY_ATTR { half[i * kInputSide + j] = x; });
    }
    for (size_t i = 0; i < kInputSide; ++i) {
      float* const row = to + i * kInputSide * plane + c;
      TransformSix(
          d, [&](size_t j) HWY_ATTR { return half[i * kInputSide + j]; },
          [&](size_t j, V x) HWY_ATTR { hn::StoreU(x, d, row + j * plane); });
    }
  }
}

// A^T x: four elements of six.
template <class D, class Load, class Store>
HWY_INLINE void TransformFour(D d, Load&& load, Store&& store) {
  using V = hn::Vec<D>;
  const auto set = [d](double x)
                       HWY_ATTR { return hn::Set(d, static_cast<float>(x)); };
  const V x1 = load(1), x2 = load(2), x3 = load(3), x4 = load(4);
  const V sum_a = hn::Add(x1, x2), difference_a = hn::Sub(x1, x2);
  const V sum_b = hn::Add(x3, x4), difference_b = hn::Sub(x3, x4);
  store(0, hn::Add(hn::Add(load(0), sum_a), sum_b));
  store(1, hn::MulAdd(set(kNodeB), difference_b,
                      hn::Mul(set(kNodeA), difference_a)));
  store(2, hn::MulAdd(set(kNodeB * kNodeB), sum_b,
                      hn::Mul(set(kNodeA * kNodeA), sum_a)));
  store(3, hn::MulAdd(set(kNodeB * kNodeB * kNodeB), difference_b,
                      hn::MulAdd(set(kNodeA * kNodeA * kNodeA), difference_a,
                                 load(5))));
}

void TransformResult(const ResultTile& t) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const V low = hn::Set(d, t.clamp.low), high = hn::Set(d, t.clamp.high);
  for (size_t c = 0; c < t.columns; c += lanes) {
    const size_t count = t.columns - c;
    const bool is_whole = count >= lanes;
    V half[kWinogradTile * kInputSide];
    for (size_t j = 0; j < kInputSide; ++j) {
      const float* const from = t.from + j * t.plane + c;
      TransformFour(
          d,
          [&](size_t i) HWY_ATTR {
            return hn::LoadU(d, from + i * kInputSide * t.plane);
          },
          [&](size_t i, V x) HWY_ATTR { half[i * kInputSide + j] = x; });
    }
    V bias = hn::Zero(d);
    if (t.bias != nullptr) {
      bias =
          is_whole ? hn::LoadU(d, t.bias + c) : LoadTail(d, t.bias + c, count);
    }
    for (size_t i = 0; i < static_cast<size_t>(t.rows); ++i) {
      V result[kWinogradTile];
      TransformFour(
          d, [&](size_t j) HWY_ATTR { return half[i * kInputSide + j]; },
          [&](size_t j, V x) HWY_ATTR { result[j] = x; });
      const size_t row = i * t.row_stride + c;
      for (size_t j = 0; j < static_cast<size_t>(t.pixels); ++j) {
        const size_t pixel = row + j * t.pixel_stride;
        V sum = hn::Add(result[j], bias);
        if (t.residual != nullptr) {
          const float* const more = t.residual + pixel;
          sum = hn::Add(
              sum, is_whole ? hn::LoadU(d, more) : LoadTail(d, more, count));
        }
        if (t.clamp.is_active) sum = AtMost(high, AtLeast(low, sum));
        if (is_whole)
          hn::StoreU(sum, d, t.out + pixel);
        else
          StoreTail(sum, d, t.out + pixel, count);
      }
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(TransformInput);
HWY_EXPORT(TransformResult);

namespace {

// Widest vector that there is, in floats: fewer channels have no kernel.
constexpr int32_t kLeastChannels = 16;

// Channels whose weights are transformed together.
constexpr size_t kRun = 16;
using Run = std::array<double, kRun>;

// G x: six elements of three.
void TransformThree(const Run& x0, const Run& x1, const Run& x2, Run* out,
                    size_t stride) {
  constexpr double kA2 = kNodeA * kNodeA, kB2 = kNodeB * kNodeB;
  constexpr double kScaleA = 1 / (2 * kA2 * (kA2 - kB2));
  constexpr double kScaleB = 1 / (2 * kB2 * (kB2 - kA2));
  for (size_t c = 0; c < kRun; ++c) {
    const double even_a = (x0[c] + kA2 * x2[c]) * kScaleA;
    const double odd_a = kNodeA * kScaleA * x1[c];
    const double even_b = (x0[c] + kB2 * x2[c]) * kScaleB;
    const double odd_b = kNodeB * kScaleB * x1[c];
    out[0][c] = x0[c];
    out[stride][c] = even_a + odd_a;
    out[2 * stride][c] = even_a - odd_a;
    out[3 * stride][c] = even_b + odd_b;
    out[4 * stride][c] = even_b - odd_b;
    out[5 * stride][c] = x2[c];
  }
}

// Transforms the weights of `count` input channels, whose taps are `channels`
// floats apart, to u[point * plane].
void TransformWeights(const float* g, size_t channels, size_t count, float* u,
                      size_t plane) {
  Run taps[9] = {}, half[kInputSide * 3], all[kPoints];
  for (size_t t = 0; t < 9; ++t)
    std::copy_n(g + t * channels, count, taps[t].begin());
  for (size_t j = 0; j < 3; ++j)
    TransformThree(taps[j], taps[3 + j], taps[6 + j], half + j, 3);
  for (size_t i = 0; i < kInputSide; ++i) {
    const Run* const row = half + i * 3;
    TransformThree(row[0], row[1], row[2], all + i * kInputSide, 1);
  }
  for (size_t p = 0; p < kPoints; ++p) {
    for (size_t c = 0; c < count; ++c)
      u[p * plane + c] = static_cast<float>(all[p][c]);
  }
}

// Matrices of this many columns and a row for each square of a block. Points
// lie an odd number of cache lines apart: the 36 places where a square is
// written are then in different sets of the first-level cache.
size_t PlaneFloats(size_t squares, size_t columns) {
  const size_t lines = (squares * columns * sizeof(float) + 63) / 64;
  return (lines | 1) * 16;
}

struct WinogradBlocks {
  explicit WinogradBlocks(const Conv2dShape& s) {
    constexpr size_t kBytes = size_t{384} << 10;
    const size_t in_c = static_cast<size_t>(s.in_c);
    const size_t square = kPoints * (in_c + PanelWidth()) * sizeof(float);
    most = std::clamp<size_t>(kBytes / square / 12 * 12, 12, kGemmBlockRows);
    const auto pieces = [](int32_t n) {
      return static_cast<size_t>((n + kWinogradTile - 1) / kWinogradTile);
    };
    columns = pieces(s.out_w);
    rows = pieces(s.out_h);
    in_plane = PlaneFloats(most, in_c);
    out_plane = PlaneFloats(most, PanelWidth());
    worker_floats = kPoints * (in_plane + out_plane);
  }
  size_t most;           // Squares of a block.
  size_t columns, rows;  // Squares of an image.
  size_t in_plane, out_plane, worker_floats;
};

class Square {
 public:
  Square(const Conv2dShape& s, const WinogradBlocks& blocks, size_t number)
      : s_(s),
        image_(number / (blocks.columns * blocks.rows)),
        y_(static_cast<int32_t>(number / blocks.columns % blocks.rows) *
           kWinogradTile),
        x_(static_cast<int32_t>(number % blocks.columns) * kWinogradTile) {}

  // Where the pixels of its input are, or zeros.
  void FindInput(const float* in, const float* zeros,
                 const float** pixels) const {
    constexpr auto kEdge = static_cast<int32_t>(kInputSide);
    const int64_t top = int64_t{y_} - s_.pad_top;
    const int64_t left = int64_t{x_} - s_.pad_left;
    const auto in_c = static_cast<size_t>(s_.in_c);
    const float* const image =
        in + image_ * s_.in_h * static_cast<size_t>(s_.in_w) * in_c;
    for (int32_t i = 0; i < kEdge; ++i) {
      const int64_t y = top + i;
      const bool has_row = y >= 0 && y < s_.in_h;
      for (int32_t j = 0; j < kEdge; ++j, ++pixels) {
        const int64_t x = left + j;
        *pixels = has_row && x >= 0 && x < s_.in_w
                      ? image + static_cast<size_t>(y * s_.in_w + x) * in_c
                      : zeros;
      }
    }
  }
  int32_t rows() const { return std::min(kWinogradTile, s_.out_h - y_); }
  int32_t pixels() const { return std::min(kWinogradTile, s_.out_w - x_); }
  // The first number of its output.
  size_t output() const {
    return ((image_ * s_.out_h + static_cast<size_t>(y_)) * s_.out_w +
            static_cast<size_t>(x_)) *
           static_cast<size_t>(s_.out_c);
  }

 private:
  const Conv2dShape& s_;
  size_t image_;
  int32_t y_, x_;  // Position in the output.
};

// `count` squares from `first` on.
void MakeBlock(const Conv2dShape& s, const WinogradBlocks& blocks,
               const float* in, const PackedWinograd& weights,
               const Epilogue& epilogue, float* out, size_t first, size_t count,
               float* scratch) {
  const auto in_c = static_cast<size_t>(s.in_c);
  const auto out_c = static_cast<size_t>(s.out_c);
  const size_t row_stride = static_cast<size_t>(s.out_w) * out_c;
  float* const transformed = scratch;
  float* const products = scratch + kPoints * blocks.in_plane;
  for (size_t i = 0; i < count; ++i) {
    const float* pixels[kPoints];
    Square(s, blocks, first + i).FindInput(in, weights.zeros(), pixels);
    HWY_DYNAMIC_DISPATCH(TransformInput)
    (pixels, in_c, transformed + i * in_c, blocks.in_plane);
  }
  const ClampBounds clamp = ClampOf(epilogue.activation.kind);
  const size_t width = PanelWidth();
  for (size_t p = 0, channel = 0; channel < out_c; ++p, channel += width) {
    for (size_t point = 0; point < kPoints; ++point) {
      const float* const rows = transformed + point * blocks.in_plane;
      MultiplyBlock({&rows, count, 1, in_c, true, in_c},
                    weights.panel(point, p), 0, 1, {},
                    {products + point * blocks.out_plane, width});
    }
    for (size_t i = 0; i < count; ++i) {
      const Square square(s, blocks, first + i);
      const size_t at = square.output() + channel;
      ResultTile t;
      t.from = products + i * width;
      t.plane = blocks.out_plane;
      t.columns = std::min(width, out_c - channel);
      t.rows = square.rows();
      t.pixels = square.pixels();
      t.out = out + at;
      t.residual = epilogue.residual.data == nullptr
                       ? nullptr
                       : epilogue.residual.floats() + at;
      t.row_stride = row_stride;
      t.pixel_stride = out_c;
      t.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + channel;
      t.clamp = clamp;
      HWY_DYNAMIC_DISPATCH(TransformResult)(t);
    }
  }
  if (clamp.is_whole_activation) return;
  for (size_t i = 0; i < count; ++i) {
    const Square square(s, blocks, first + i);
    float* row = out + square.output();
    for (int32_t y = 0; y < square.rows(); ++y, row += row_stride) {
      Activate(epilogue.activation, row,
               static_cast<size_t>(square.pixels()) * out_c, row);
    }
  }
}

}  // namespace

bool TakesWinograd(const Conv2dShape& s) {
  return s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 &&
         s.stride_w == 1 && s.dilation_h == 1 && s.dilation_w == 1 &&
         s.groups == 1 && s.in_c >= kLeastChannels && s.out_c >= 1;
}

bool SuitsWinograd(const Conv2dShape& s) {
  constexpr int32_t kLeastIn = 32, kLeastOut = 16;
  if (!TakesWinograd(s) || s.in_c < kLeastIn || s.out_c < kLeastOut)
    return false;
  return s.out_h == 0 || s.out_w == 0 ||
         WinogradPays(s, kWinogradTile, sizeof(float));
}

bool WinogradPays(const Conv2dShape& s, int32_t tile, size_t weight_bytes) {
  // Times of a multiply-accumulate, for each pair of channels. A third is for
  // the transforms; a weight is read once for all squares, from a cache that is
  // nearer or farther.
  constexpr int64_t kFewBytes = int64_t{1} << 20;
  const auto pieces = [tile](int32_t n) { return int64_t{(n - 1) / tile + 1}; };
  const int64_t points = int64_t{tile + 2} * (tile + 2);
  const int64_t bytes =
      points * s.in_c * s.out_c * static_cast<int64_t>(weight_bytes);
  const int64_t squares = s.batch * pieces(s.out_h) * pieces(s.out_w);
  const int64_t pixels = int64_t{s.batch} * s.out_h * s.out_w;
  return points * (squares * 4 / 3 + (bytes > kFewBytes ? 12 : 3)) < 9 * pixels;
}

Result<PackedWinograd> PackedWinograd::Pack(const float* weights,
                                            const Conv2dShape& s) {
  const auto in_c = static_cast<size_t>(s.in_c);
  const auto out_c = static_cast<size_t>(s.out_c);
  size_t floats = 0, bytes = 0;
  if (!CheckedMultiply(in_c, out_c + 63, &floats) ||
      !CheckedMultiply(floats + 64, 2 * kPoints * sizeof(float), &bytes))
    return OutOfMemory("convolution weights do not fit memory");
  // Each point begins on a cache line.
  const size_t point_floats =
      RoundUp(PackedMatrixBytes({nullptr, in_c, out_c}) / sizeof(float), 16);
  MUNJA_ASSIGN_OR_RETURN(
      Buffer memory,
      Buffer::AllocateZeroed((point_floats * kPoints + in_c) * sizeof(float)));
  // Transformed weights of one panel: few enough to stay in the cache.
  const size_t width = PanelWidth(), plane = width * in_c;
  MUNJA_ASSIGN_OR_RETURN(Buffer panel,
                         Buffer::Allocate(kPoints * plane * sizeof(float)));
  auto* const u = panel.as<float>();
  PackedWinograd packed(std::move(memory));
  auto* const to = packed.memory_.as<float>();
  for (size_t first = 0; first < out_c; first += width) {
    const size_t count = std::min(width, out_c - first);
    for (size_t o = 0; o < count; ++o) {
      for (size_t i = 0; i < in_c; i += kRun) {
        TransformWeights(weights + (first + o) * 9 * in_c + i, in_c,
                         std::min(kRun, in_c - i), u + o * in_c + i, plane);
      }
    }
    for (size_t p = 0; p < kPoints; ++p) {
      PackMatrix(u + p * plane, {nullptr, in_c, count}, 1, in_c,
                 to + p * point_floats + in_c * first);
    }
  }
  packed.zeros_ = to + kPoints * point_floats;
  packed.in_c_ = in_c;
  packed.out_c_ = out_c;
  packed.point_floats_ = point_floats;
  return packed;
}

MatrixView PackedWinograd::panel(size_t point, size_t panel) const {
  const size_t column = panel * PanelWidth();
  return {memory_.as<float>() + point * point_floats_ + in_c_ * column, in_c_,
          std::min(PanelWidth(), out_c_ - column)};
}

Result<size_t> WinogradScratchBytes(const Conv2dShape& s, int threads) {
  size_t bytes = 0;
  if (!CheckedMultiply(static_cast<size_t>(s.in_c) + 64,
                       2 * kPoints * kGemmBlockRows * sizeof(float), &bytes) ||
      !CheckedMultiply(WinogradBlocks(s).worker_floats * sizeof(float),
                       static_cast<size_t>(threads), &bytes))
    return OutOfMemory("the squares of a convolution do not fit memory");
  return bytes;
}

void WinogradConv2d(const Conv2dShape& s, const float* in,
                    const PackedWinograd& weights, const Epilogue& epilogue,
                    float* out, void* scratch, ThreadPool& pool) {
  const WinogradBlocks blocks(s);
  const size_t squares =
      static_cast<size_t>(s.batch) * blocks.rows * blocks.columns;
  // A few blocks, or as many squares as are worth handing out.
  const size_t grain = std::max<size_t>(
      12, std::min<size_t>(4 * blocks.most,
                           kTask /
                               (kPoints * static_cast<size_t>(s.in_c) *
                                static_cast<size_t>(s.out_c)) /
                               12 * 12));
  pool.ParallelFor(squares, grain, [&](size_t begin, size_t end, int worker) {
    auto* const mine = static_cast<float*>(scratch) +
                       blocks.worker_floats * static_cast<size_t>(worker);
    // WinogradBlocks of equal size.
    size_t left = (end - begin + blocks.most - 1) / blocks.most;
    for (size_t first = begin; first < end; --left) {
      const size_t count = (end - first + left - 1) / left;
      MakeBlock(s, blocks, in, weights, epilogue, out, first, count, mine);
      first += count;
    }
  });
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
