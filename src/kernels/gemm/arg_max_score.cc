#include "kernels/gemm/arg_max_score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/arg_max_score.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"
#include "kernels/gemm/half_gemm.h"
#include "kernels/reduce/largest_lane-inl.h"

#ifndef MUNJA_KERNELS_ARG_MAX_SCORE_ONCE
#define MUNJA_KERNELS_ARG_MAX_SCORE_ONCE
namespace munja::kernels {

// What is known of a row after some of its scores.
struct PartialBest {
  float maximum = -std::numeric_limits<float>::infinity();
  // Of exp(score - maximum), or of exp(score) while the maximum is -infinity.
  // NaN once a score was NaN or +infinity.
  float sum = 0.0f;
  uint32_t index = 0;  // Of the first maximum.
};

}  // namespace munja::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sum of exp(in - shift); none of `in` is larger than `shift`. kIsLarge:
// what is nothing beside the largest term, 1, is not kept apart from 0.
template <bool kIsLarge>
float SumOfExp(const float* in, size_t count, float shift) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto term = [&](auto x) HWY_ATTR {
    const auto below = hn::Sub(x, hn::Set(d, shift));
    if constexpr (!kIsLarge) return ExpOfNegative(d, below);
    constexpr float kLog2E = 1.44269504f;
    const auto y =
        AtLeast(hn::Set(d, -125.0f), hn::Mul(below, hn::Set(d, kLog2E)));
    // Targets differ in what integer is nearest to NaN: it goes on by itself.
    return hn::MulAdd(y, hn::Zero(d), Exp2OfNormal(d, y));
  };
  auto sum = hn::Zero(d), sum2 = sum;
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    sum = hn::Add(sum, term(hn::LoadU(d, in + i)));
    sum2 = hn::Add(sum2, term(hn::LoadU(d, in + i + lanes)));
  }
  for (; i < count; i += lanes) {
    const size_t rest = HWY_MIN(lanes, count - i);
    const auto x =
        rest == lanes ? hn::LoadU(d, in + i) : LoadTail(d, in + i, rest);
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, rest), term(x)));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, sum2)));
}

// Three short passes over scores that are in the first-level cache.
PartialBest BestOf(const float* in, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  PartialBest best;
  auto top = hn::Set(d, best.maximum), top2 = top;
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    top = hn::Max(top, hn::LoadU(d, in + i));
    top2 = hn::Max(top2, hn::LoadU(d, in + i + lanes));
  }
  if (i + lanes <= count) {
    top = hn::Max(top, hn::LoadU(d, in + i));
    i += lanes;
  }
  best.maximum = LargestLane(d, hn::Max(top, top2));
  for (; i < count; ++i) best.maximum = std::max(best.maximum, in[i]);

  const auto wanted = hn::Set(d, best.maximum);
  bool is_found = false;
  for (i = 0; i + lanes <= count && !is_found; i += lanes) {
    const auto at = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, in + i), wanted));
    if (at < 0) continue;
    best.index = static_cast<uint32_t>(i + static_cast<size_t>(at));
    is_found = true;
  }
  for (; i < count && !is_found; ++i) {
    if (in[i] != best.maximum) continue;
    best.index = static_cast<uint32_t>(i);
    is_found = true;
  }

  // Of what is -infinity nothing may be left: that is the slower function.
  const bool is_finite = best.maximum > -std::numeric_limits<float>::infinity();
  best.sum = is_finite ? SumOfExp<true>(in, count, best.maximum)
                       : SumOfExp<false>(in, count, 0.0f);
  return best;
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

HWY_EXPORT(BestOf);

// Rows of scores made at a time, and their columns at most: what is made stays
// in the first-level cache, and a group of columns of the matrix in the second.
constexpr size_t kTileRows = 12;
constexpr size_t kTileColumns = 512;

PartialBest BestOf(const float* scores, size_t count) {
  return HWY_DYNAMIC_DISPATCH(BestOf)(scores, count);
}

// `next` stands behind what `best` has seen.
void Append(const PartialBest& next, PartialBest& best) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  if (next.maximum == kNone) {
    best.sum += next.sum;  // 0 or NaN.
  } else if (next.maximum > best.maximum) {
    best.sum = best.sum * std::exp(best.maximum - next.maximum) + next.sum;
    best.maximum = next.maximum;
    best.index = next.index;
  } else {
    best.sum += next.sum * std::exp(next.maximum - best.maximum);
  }
}

ArgMaxScore Finish(const PartialBest& best) {
  // Also where the sum is NaN. That of a row of -infinity is 0.
  if (!(best.sum > 0.0f))
    return {0.0f, std::numeric_limits<float>::quiet_NaN()};
  return {static_cast<float>(best.index), 1.0f / best.sum};
}

// How the columns are split: into `groups` of `panels` panels each.
struct Columns {
  size_t panel_width, panels, groups;
};

Columns Split(size_t n) {
  Columns columns;
  columns.panel_width = PanelWidth();
  columns.panels = std::max<size_t>(1, kTileColumns / columns.panel_width);
  columns.groups = (PanelCount(n) + columns.panels - 1) / columns.panels;
  return columns;
}

size_t TileBytes(const Columns& columns) {
  return RoundUp(
      kTileRows * columns.panels * columns.panel_width * sizeof(float),
      kBufferAlignment);
}

}  // namespace

ArgMaxScore SoftmaxBest(const float* scores, size_t count) {
  PartialBest best;
  for (size_t i = 0; i < count; i += kTileColumns) {
    PartialBest next = BestOf(scores + i, std::min(kTileColumns, count - i));
    next.index += static_cast<uint32_t>(i);
    Append(next, best);
  }
  return Finish(best);
}

size_t ArgMaxScoreScratchBytes(size_t m, size_t n, int threads) {
  const Columns columns = Split(n);
  return static_cast<size_t>(threads) * TileBytes(columns) +
         columns.groups * m * sizeof(PartialBest);
}

void LinearArgMaxScore(const float* a, size_t lda, size_t m,
                       const MatrixView& b, const float* bias, ArgMaxScore* out,
                       void* scratch, ThreadPool& pool) {
  const Columns columns = Split(b.n);
  auto* const tiles = static_cast<uint8_t*>(scratch);
  auto* const partial = reinterpret_cast<PartialBest*>(
      tiles + static_cast<size_t>(pool.threads()) * TileBytes(columns));
  // Every group of columns meets all rows: each part of the matrix is read
  // once, and the split does not depend on the threads.
  pool.ParallelFor(
      columns.groups, 1, [&](size_t begin, size_t end, int worker) {
        auto* const tile = reinterpret_cast<float*>(
            tiles + static_cast<size_t>(worker) * TileBytes(columns));
        for (size_t group = begin; group < end; ++group) {
          const size_t first = group * columns.panels * columns.panel_width;
          const size_t count =
              std::min(b.n - first, columns.panels * columns.panel_width);
          const MatrixView part = ColumnsOf(b, first, count);
          const Epilogue epilogue{
              bias == nullptr ? nullptr : bias + first, nullptr, {}};
          const size_t blocks = (m + kTileRows - 1) / kTileRows;
          for (size_t i = 0, row = 0; i < blocks; ++i) {
            const size_t height = (m - row) / (blocks - i);
            const float* const top = a + row * lda;
            MultiplyBlock({&top, height, 1, b.k, true, lda}, part, 0,
                          PanelCount(count), epilogue, tile, count);
            for (size_t r = 0; r < height; ++r) {
              PartialBest& best = partial[group * m + row + r];
              best = BestOf(tile + r * count, count);
              best.index += static_cast<uint32_t>(first);
            }
            row += height;
          }
        }
      });
  for (size_t row = 0; row < m; ++row) {
    PartialBest best;
    for (size_t group = 0; group < columns.groups; ++group)
      Append(partial[group * m + row], best);
    out[row] = Finish(best);
  }
}

namespace reference {

ArgMaxScore SoftmaxBest(const float* scores, size_t count) {
  const double maximum = *std::max_element(scores, scores + count);
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += std::exp(scores[i] - maximum);
  if (std::isnan(sum)) return {0.0f, std::numeric_limits<float>::quiet_NaN()};
  const auto index = std::max_element(scores, scores + count) - scores;
  return {static_cast<float>(index), static_cast<float>(1.0 / sum)};
}

void LinearArgMaxScore(const float* a, size_t lda, size_t m, const float* b,
                       size_t k, size_t n, size_t k_stride, size_t n_stride,
                       const float* bias, float* row, ArgMaxScore* out) {
  for (size_t r = 0; r < m; ++r) {
    Gemm(a + r * lda, lda, 1, b, k, n, k_stride, n_stride, {bias, nullptr, {}},
         row, n);
    out[r] = SoftmaxBest(row, n);
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
