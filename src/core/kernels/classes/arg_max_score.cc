#include "kernels/classes/arg_max_score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/classes/arg_max_score.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/classes/partial_best.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"
#include "kernels/gemm/half_gemm.h"
#include "kernels/reduce/arg_max.h"
#include "kernels/reduce/largest_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sum of exp(in - shift); none of `in` is larger than `shift`. kIsLarge:
// terms that are negligible against the largest one, 1, may become 0.
template <bool kIsLarge>
float SumOfExp(const float* in, size_t count, float shift) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto term = [&](auto x) HWY_ATTR {
    const auto below = hn::Sub(x, hn::Set(d, shift));
    if constexpr (!kIsLarge) return ExpOfNegative(d, below);
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

// Puts those of the scores above `least` behind the best one.
void AddOthers(const float* in, size_t n, size_t count, float least,
               PartialBest& best) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t first = best.index[0];
  float limit = best.Limit(count, least);
  const auto add = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (!(in[i] > limit) || i == first) continue;
      best.Insert(in[i], static_cast<uint32_t>(i), count);
      limit = best.Limit(count, least);
    }
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto is_above = hn::Gt(hn::LoadU(d, in + i), hn::Set(d, limit));
    if (!hn::AllFalse(d, is_above)) add(i, i + lanes);
  }
  add(i, n);
}

// Short passes over scores that are in the first-level cache. `seen`: the row
// has such a score elsewhere; classes that it excludes are not looked for.
PartialBest BestOf(const float* in, size_t n, size_t count, float seen) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  PartialBest best;
  float& maximum = best.score[0];
  uint32_t& index = best.index[0];
  auto top = hn::Set(d, maximum), top2 = top;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    top = hn::Max(top, hn::LoadU(d, in + i));
    top2 = hn::Max(top2, hn::LoadU(d, in + i + lanes));
  }
  if (i + lanes <= n) {
    top = hn::Max(top, hn::LoadU(d, in + i));
    i += lanes;
  }
  maximum = LargestLane(d, hn::Max(top, top2));
  for (; i < n; ++i) maximum = std::max(maximum, in[i]);

  const auto wanted = hn::Set(d, maximum);
  bool is_found = false;
  for (i = 0; i + lanes <= n && !is_found; i += lanes) {
    const auto at = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, in + i), wanted));
    if (at < 0) continue;
    index = static_cast<uint32_t>(i + static_cast<size_t>(at));
    is_found = true;
  }
  for (; i < n && !is_found; ++i) {
    if (in[i] != maximum) continue;
    index = static_cast<uint32_t>(i);
    is_found = true;
  }

  // If all scores are -infinity the sum is exactly 0, which the slower function
  // ensures.
  const bool is_finite = maximum > -std::numeric_limits<float>::infinity();
  best.sum =
      is_finite ? SumOfExp<true>(in, n, maximum) : SumOfExp<false>(in, n, 0.0f);
  const float least = std::max(maximum, seen) + std::log(kLeastOfBest);
  if (count > 1 && is_finite && maximum > least)
    AddOthers(in, n, count, least, best);
  return best;
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

HWY_EXPORT(AddOthers);
HWY_EXPORT(BestOf);

// Rows of scores made at a time, and their columns at most: what is made stays
// in the first-level cache, and a group of columns of the matrix in the second.
constexpr size_t kTileRows = 12;
constexpr size_t kTileColumns = 512;

PartialBest BestOf(const float* scores, size_t n, size_t count, float seen) {
  return HWY_DYNAMIC_DISPATCH(BestOf)(scores, n, count, seen);
}

void Offset(size_t first, PartialBest& best) {
  for (uint32_t& index : best.index) index += static_cast<uint32_t>(first);
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

// Scores of a group of columns for at most kTileRows rows. `seen`: the best
// scores of these rows found elsewhere so far.
void ScoreGroup(const LeftRows& rows, const MatrixView& b, const float* bias,
                const Columns& columns, size_t group, size_t count, float* tile,
                float* seen, PartialBest* best) {
  const size_t first = group * columns.panels * columns.panel_width;
  const size_t width =
      std::min(b.n - first, columns.panels * columns.panel_width);
  const Epilogue epilogue{bias == nullptr ? nullptr : bias + first, {}, {}};
  MultiplyBlock(rows, ColumnsOf(b, first, width), 0, PanelCount(width),
                epilogue, {tile, width});
  for (size_t r = 0; r < rows.rows; ++r) {
    best[r] = BestOf(tile + r * width, width, count, seen[r]);
    seen[r] = std::max(seen[r], best[r].score[0]);
    Offset(first, best[r]);
  }
}

}  // namespace

void SoftmaxBest(const float* scores, size_t n, size_t count,
                 ArgMaxScore* out) {
  PartialBest best;
  for (size_t i = 0; i < n; i += kTileColumns) {
    PartialBest next =
        BestOf(scores + i, std::min(kTileColumns, n - i), count, best.score[0]);
    Offset(i, next);
    Append(next, count, best);
  }
  Finish(best, count, out);
}

void BestScores(const float* scores, size_t n, size_t count, ArgMaxScore* out) {
  const ArgMaxResult first = ArgMax(scores, n);
  PartialBest best;
  best.score[0] = first.value;
  best.index[0] = static_cast<uint32_t>(first.index);
  if (count > 1) HWY_DYNAMIC_DISPATCH(AddOthers)(scores, n, count, kNone, best);
  Write(
      best, kNone, count, [](float score) { return score; }, out);
}

size_t ArgMaxScoreScratchBytes(size_t m, size_t n, int threads) {
  const Columns columns = Split(n);
  return static_cast<size_t>(threads) *
             (TileBytes(columns) + m * sizeof(float)) +
         columns.groups * m * sizeof(PartialBest);
}

void LinearArgMaxScore(const float* a, size_t lda, size_t m,
                       const MatrixView& b, const float* bias, size_t count,
                       ArgMaxScore* out, void* scratch, ThreadPool& pool) {
  const Columns columns = Split(b.n);
  auto* const tiles = static_cast<uint8_t*>(scratch);
  auto* const partial = reinterpret_cast<PartialBest*>(
      tiles + static_cast<size_t>(pool.threads()) * TileBytes(columns));
  // By worker and row, the best score so far.
  auto* const seen = reinterpret_cast<float*>(partial + columns.groups * m);
  std::fill(seen, seen + static_cast<size_t>(pool.threads()) * m, kNone);
  // Every group of columns meets all rows: each part of the matrix is read
  // once, and the split does not depend on the threads.
  pool.ParallelFor(
      columns.groups, 1, [&](size_t begin, size_t end, int worker) {
        auto* const tile = reinterpret_cast<float*>(
            tiles + static_cast<size_t>(worker) * TileBytes(columns));
        for (size_t group = begin; group < end; ++group) {
          const size_t blocks = (m + kTileRows - 1) / kTileRows;
          for (size_t i = 0, row = 0; i < blocks; ++i) {
            const size_t height = (m - row) / (blocks - i);
            const float* const top = a + row * lda;
            ScoreGroup({&top, height, 1, b.k, true, lda}, b, bias, columns,
                       group, count, tile,
                       seen + static_cast<size_t>(worker) * m + row,
                       partial + group * m + row);
            row += height;
          }
        }
      });
  for (size_t row = 0; row < m; ++row) {
    PartialBest best;
    for (size_t group = 0; group < columns.groups; ++group)
      Append(partial[group * m + row], count, best);
    Finish(best, count, out + row * count);
  }
}

size_t ArgMaxScoreOfRowsBytes(size_t n) { return TileBytes(Split(n)); }

void ArgMaxScoreOfRows(const float* const* rows, size_t m, const MatrixView& b,
                       const float* bias, size_t count, ArgMaxScore* const* out,
                       void* scratch) {
  const Columns columns = Split(b.n);
  for (size_t row = 0; row < m; row += kTileRows) {
    const size_t height = std::min(kTileRows, m - row);
    PartialBest best[kTileRows], next[kTileRows];
    float seen[kTileRows];
    std::fill_n(seen, kTileRows, kNone);
    for (size_t group = 0; group < columns.groups; ++group) {
      ScoreGroup({rows + row, height, 1, b.k}, b, bias, columns, group, count,
                 static_cast<float*>(scratch), seen, next);
      for (size_t r = 0; r < height; ++r) Append(next[r], count, best[r]);
    }
    for (size_t r = 0; r < height; ++r) Finish(best[r], count, out[row + r]);
  }
}

namespace reference {
namespace {

// Classes by falling score; NaN last, of equals the first.
std::vector<size_t> Ranked(const float* scores, size_t n) {
  std::vector<size_t> ranked(n);
  std::iota(ranked.begin(), ranked.end(), size_t{0});
  const auto value = [&](size_t i) {
    return std::isnan(scores[i]) ? kNone : scores[i];
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](size_t a, size_t b) { return value(a) > value(b); });
  return ranked;
}

}  // namespace

void SoftmaxBest(const float* scores, size_t n, size_t count,
                 ArgMaxScore* out) {
  std::fill(out, out + count, ArgMaxScore{});
  const std::vector<size_t> ranked = Ranked(scores, n);
  const double maximum = scores[ranked[0]];
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) sum += std::exp(scores[i] - maximum);
  if (std::isnan(sum)) {
    out[0].probability = std::numeric_limits<float>::quiet_NaN();
    return;
  }
  const double least = maximum + std::log(double{kLeastOfBest});
  for (size_t i = 0; i < std::min(n, count); ++i) {
    const float score = scores[ranked[i]];
    if (score > least)
      out[i] = {static_cast<float>(ranked[i]),
                static_cast<float>(std::exp(score - maximum) / sum)};
  }
}

void BestScores(const float* scores, size_t n, size_t count, ArgMaxScore* out) {
  std::fill(out, out + count, ArgMaxScore{});
  const std::vector<size_t> ranked = Ranked(scores, n);
  const ArgMaxResult first = ArgMax(scores, n);
  out[0] = {static_cast<float>(first.index), first.value};
  for (size_t i = 1; i < std::min(n, count); ++i)
    if (scores[ranked[i]] > kNone)
      out[i] = {static_cast<float>(ranked[i]), scores[ranked[i]]};
}

void LinearArgMaxScore(const float* a, size_t lda, size_t m, const float* b,
                       size_t k, size_t n, size_t k_stride, size_t n_stride,
                       const float* bias, float* row, size_t count,
                       ArgMaxScore* out) {
  for (size_t r = 0; r < m; ++r) {
    Gemm(a + r * lda, lda, 1, b, k, n, k_stride, n_stride, {bias, {}, {}}, row,
         n);
    reference::SoftmaxBest(row, n, count, out + r * count);
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
