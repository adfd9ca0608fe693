// Gates scale the rows of a small matrix instead of the pixels of a large map.
// The enlarged level is the residual of the matrix product: its pixels are
// repeated for one block of rows at a time, which stays in the first-level
// cache.
#include "kernels/conv/lateral_conv.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {
namespace {

constexpr size_t kLine = kBufferAlignment / sizeof(float);
// Limits of MultiplyByColumns: values that are rounded at a time, and pairs of
// pixels.
constexpr size_t kRoundedNumbers = size_t{1} << 13, kMostPairs = 96;

// Without its numbers.
MatrixView MatrixOf(const LateralConvShape& s) {
  const auto in_c = static_cast<size_t>(s.in_c);
  MatrixView matrix{nullptr, in_c, static_cast<size_t>(s.out_c)};
  if (s.product == Product::kHalf && TakesHalfProduct(in_c))
    matrix.product = Product::kHalf;
  return matrix;
}

// Size of the packed matrix, in whole cache lines.
size_t PackedFloats(const LateralConvShape& s) {
  return RoundUp(PackedMatrixBytes(MatrixOf(s)), kBufferAlignment) /
         sizeof(float);
}

// The block to come, beside several other streams more than the CPU
// foresees.
void FetchNext(const float* p, size_t floats) {
  for (size_t i = 0; i < floats; i += kLine) __builtin_prefetch(p + i);
}

size_t LevelFloats(const LateralConvShape& s, const CoarseLevel& level) {
  return static_cast<size_t>(level.height) * static_cast<size_t>(level.width) *
         static_cast<size_t>(s.out_c);
}

size_t PairsAtATime(const LateralConvShape& s) {
  return std::min(kRoundedNumbers / 2 / static_cast<size_t>(s.in_c),
                  kMostPairs);
}

bool DoublesColumns(const LateralConvShape& s, const CoarseLevel& level) {
  const auto width = static_cast<size_t>(s.width);
  if (width % 2 != 0 || static_cast<size_t>(level.width) * 2 != width)
    return false;
  for (size_t x = 0; x < width; ++x)
    if (level.columns[x] != static_cast<int32_t>(x / 2)) return false;
  return true;
}

bool RoundsByColumns(const LateralConvShape& s, const CoarseLevel& level) {
  return s.in_c % 2 == 0 && PairsAtATime(s) > 0 && DoublesColumns(s, level);
}

// The first pixel of a level's line for line y.
const float* LevelLine(const LateralConvShape& s, const CoarseLevel& level,
                       size_t y) {
  return level.data + static_cast<size_t>(level.rows[y] - level.first_row) *
                          static_cast<size_t>(level.width) *
                          static_cast<size_t>(s.out_c);
}

// With a level half as wide: its line is the residual of every other pixel and
// then of those between, as it lies.
void MultiplyByColumns(const LateralConvShape& s, const float* in,
                       const LateralWeights& weights, const CoarseLevel& level,
                       const Activation& activation, float* out,
                       ThreadPool& pool) {
  const size_t pairs = static_cast<size_t>(s.width) / 2;
  const size_t in_c = static_cast<size_t>(s.in_c);
  const size_t out_c = static_cast<size_t>(s.out_c);
  const size_t panels = PanelCount(out_c);
  // Equal blocks: 80 pairs are two times 40, not 48 and 32.
  const size_t blocks = (pairs + kGemmBlockRows - 1) / kGemmBlockRows;
  const size_t block = (pairs + blocks - 1) / blocks;
  pool.ParallelFor(
      static_cast<size_t>(s.height),
      std::max<size_t>(1, RowsPerTask(in_c, out_c) / (2 * pairs)),
      [&](size_t begin, size_t end, int) {
        for (size_t y = begin; y < end; ++y) {
          const float* const from = LevelLine(s, level, y);
          for (size_t x = 0; x < pairs; x += block) {
            const size_t count = std::min(block, pairs - x);
            const size_t pixel = 2 * (y * pairs + x);
            FetchNext(in + (pixel + 2 * count) * in_c, 2 * count * in_c);
            for (size_t odd = 0; odd < 2; ++odd) {
              const float* const first = in + (pixel + odd) * in_c;
              MultiplyBlock(
                  {&first, count, 1, in_c, true, 2 * in_c}, weights.matrix, 0,
                  panels, {weights.bias, {from + x * out_c, out_c}, activation},
                  {out + (pixel + odd) * out_c, 2 * out_c});
            }
          }
        }
      });
}

// The same where pixels are rounded before they are multiplied.
void RoundByColumns(const LateralConvShape& s, const float* in,
                    const LateralWeights& weights, const CoarseLevel& level,
                    const Activation& activation, const MutableRowView& out,
                    ThreadPool& pool) {
  const size_t width = static_cast<size_t>(s.width);
  const size_t in_c = static_cast<size_t>(s.in_c);
  const size_t out_c = static_cast<size_t>(s.out_c);
  const size_t panels = PanelCount(out_c);
  const size_t pairs = PairsAtATime(s);
  const MutableRowView pixels{out.data, out_c, out.type};
  pool.ParallelFor(
      static_cast<size_t>(s.height),
      std::max<size_t>(1, RowsPerTask(in_c, out_c) / width),
      [&](size_t begin, size_t end, int) {
        alignas(64) uint16_t rounded[kRoundedNumbers];
        for (size_t y = begin; y < end; ++y) {
          const float* const from = LevelLine(s, level, y);
          for (size_t x = 0; x < width / 2; x += pairs) {
            const size_t count = std::min(pairs, width / 2 - x);
            const size_t pixel = y * width + 2 * x;
            RoundToHalf(in + pixel * in_c, 2 * count * in_c, rounded);
            for (size_t odd = 0; odd < 2; ++odd) {
              const uint16_t* const first = rounded + odd * in_c;
              MultiplyBlock(
                  HalfLeftRows{&first, count, 1, in_c, true, 2 * in_c},
                  weights.matrix, 0, panels,
                  {weights.bias, {from + x * out_c, out_c}, activation},
                  {RowsFrom(pixels, pixel + odd).data, 2 * out_c, out.type});
            }
          }
        }
      });
}

size_t BlockFloats(const LateralConvShape& s) {
  return RoundUp(kGemmBlockRows * static_cast<size_t>(s.out_c), kLine);
}

}  // namespace

Result<size_t> ScaledLateralBytes(const LateralConvShape& s) {
  const size_t in_c = static_cast<size_t>(s.in_c);
  const size_t out_c = static_cast<size_t>(s.out_c);
  size_t floats = 0, bytes = 0;
  if (!CheckedMultiply(in_c + 1, out_c + 63, &floats) ||
      !CheckedMultiply(floats, 4 * sizeof(float), &bytes))
    return OutOfMemory("the weights of a convolution do not fit memory");
  return (PackedFloats(s) + RoundUp(in_c * out_c, kLine) +
          RoundUp(out_c, kLine)) *
         sizeof(float);
}

LateralWeights ScaleLateralWeights(const LateralConvShape& s,
                                   const float* weights, const float* bias,
                                   const float* gate, void* memory) {
  const size_t in_c = static_cast<size_t>(s.in_c);
  const size_t out_c = static_cast<size_t>(s.out_c);
  float* const packed = static_cast<float*>(memory);
  float* const scaled = packed + PackedFloats(s);
  float* const scaled_bias = scaled + RoundUp(in_c * out_c, kLine);
  for (size_t co = 0; co < out_c; ++co) {
    const float factor = gate[co];
    for (size_t c = 0; c < in_c; ++c)
      scaled[co * in_c + c] = factor * weights[co * in_c + c];
    if (bias != nullptr) scaled_bias[co] = factor * bias[co];
  }
  PackMatrix(scaled, MatrixOf(s), 1, in_c, packed);
  return ScaledLateralWeights(s, bias != nullptr, memory);
}

LateralWeights ScaledLateralWeights(const LateralConvShape& s, bool has_bias,
                                    const void* memory) {
  const size_t in_c = static_cast<size_t>(s.in_c);
  const size_t out_c = static_cast<size_t>(s.out_c);
  const float* const packed = static_cast<const float*>(memory);
  LateralWeights made;
  if (has_bias) {
    made.bias = packed + PackedFloats(s) + RoundUp(in_c * out_c, kLine);
  }
  made.matrix = MatrixOf(s);
  made.matrix.packed = packed;
  return made;
}

size_t LateralConvScratchBytes(const LateralConvShape& s, int threads) {
  return BlockFloats(s) * sizeof(float) * static_cast<size_t>(threads);
}

bool MakesHalfLateral(const LateralConvShape& s, const CoarseLevel& level) {
  return MatrixOf(s).is_half() && level.columns != nullptr &&
         RoundsByColumns(s, level);
}

void LateralConv(const LateralConvShape& s, size_t image, const float* in,
                 const LateralWeights& weights, const CoarseLevel& level,
                 const Activation& activation, float* out, void* scratch,
                 ThreadPool& pool) {
  LateralConv(s, image, in, weights, level, activation, MutableRowView{out, 0},
              scratch, pool);
}

void LateralConv(const LateralConvShape& s, size_t image, const float* in,
                 const LateralWeights& weights, const CoarseLevel& level,
                 const Activation& activation, const MutableRowView& mixed_out,
                 void* scratch, ThreadPool& pool) {
  const size_t height = static_cast<size_t>(s.height);
  const size_t width = static_cast<size_t>(s.width);
  const size_t in_c = static_cast<size_t>(s.in_c);
  const size_t out_c = static_cast<size_t>(s.out_c);
  const size_t pixels = height * width;
  if (pixels == 0) return;
  in += image * pixels * in_c;
  CoarseLevel own = level;
  if (own.data != nullptr) own.data += image * LevelFloats(s, level);
  if (weights.matrix.is_half() && own.data != nullptr &&
      RoundsByColumns(s, own)) {
    RoundByColumns(
        s, in, weights, own, activation,
        RowsFrom(MutableRowView{mixed_out.data, pixels * out_c, mixed_out.type},
                 image),
        pool);
    return;
  }
  float* out = static_cast<float*>(mixed_out.data) + image * pixels * out_c;
  if (level.data == nullptr) {
    Gemm(in, in_c, pixels, weights.matrix, {weights.bias, nullptr, activation},
         out, out_c, pool);
    return;
  }
  if (!weights.matrix.is_half() && DoublesColumns(s, own)) {
    MultiplyByColumns(s, in, weights, own, activation, out, pool);
    return;
  }
  const size_t panels = PanelCount(out_c);
  // Equal blocks: 160 pixels are four times 40, not 48, 48, 48 and 16.
  const size_t blocks = (width + kGemmBlockRows - 1) / kGemmBlockRows;
  const size_t block = (width + blocks - 1) / blocks;
  pool.ParallelFor(
      height, std::max<size_t>(1, RowsPerTask(in_c, out_c) / width),
      [&](size_t begin, size_t end, int worker) {
        float* const residual = static_cast<float*>(scratch) +
                                BlockFloats(s) * static_cast<size_t>(worker);
        for (size_t y = begin; y < end; ++y) {
          const float* const from = LevelLine(s, own, y);
          for (size_t x = 0; x < width; x += block) {
            const size_t count = std::min(block, width - x);
            const size_t pixel = y * width + x;
            const float* const first = in + pixel * in_c;
            FetchNext(first + count * in_c, count * in_c);
            for (size_t i = 0; i < count; ++i) {
              std::memcpy(
                  residual + i * out_c,
                  from + static_cast<size_t>(level.columns[x + i]) * out_c,
                  out_c * sizeof(float));
            }
            MultiplyBlock(LeftRows{&first, count, 1, in_c, true, in_c},
                          weights.matrix, 0, panels,
                          {weights.bias, residual, activation},
                          {out + pixel * out_c, out_c});
          }
        }
      });
}

namespace reference {

void LateralConv(const LateralConvShape& s, const float* in,
                 const float* weights, const float* bias, const float* gate,
                 size_t gate_stride, const CoarseLevel& level,
                 const Activation& activation, float* out) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t y = 0; y < s.height; ++y) {
      for (int64_t x = 0; x < s.width; ++x, in += s.in_c) {
        for (int64_t co = 0; co < s.out_c; ++co) {
          double sum = bias == nullptr ? 0.0 : bias[co];
          for (int64_t c = 0; c < s.in_c; ++c)
            sum += static_cast<double>(in[c]) * weights[co * s.in_c + c];
          if (gate != nullptr)
            sum *= gate[static_cast<size_t>(n) * gate_stride + co];
          if (level.data != nullptr) {
            sum +=
                level.data[((n * level.height + level.rows[y]) * level.width +
                            level.columns[x]) *
                               s.out_c +
                           co];
          }
          *out++ = Activate(activation, static_cast<float>(sum));
        }
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
