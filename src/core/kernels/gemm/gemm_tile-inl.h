// Register tiles of a matrix product: rows of sums that stay in registers from
// the first addend to the last. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_GEMM_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_GEMM_GEMM_TILE_INL_H_
#undef MUNJA_KERNELS_GEMM_GEMM_TILE_INL_H_
#else
#define MUNJA_KERNELS_GEMM_GEMM_TILE_INL_H_
#endif

#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"
#include "kernels/gemm/block_walk.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arguments of one tile. Pointers begin at the tile's first row and column.
struct Tile {
  TileRows<float> a;
  const float* b;
  const float* bias;
  const float* residual;
  float* c;
  size_t ldc, residual_stride;
  size_t columns;  // Valid ones: the tile's width, or less.
  size_t run;      // As in MatrixView.
  // The LHS rows of the tile to come are not in the first-level cache: several
  // streams of them are more than the CPU prefetches.
  bool fetches_next;
  ClampBounds clamp;
};

// NaN stays NaN: AtLeast and AtMost see to that.
template <class D>
HWY_INLINE hn::Vec<D> ApplyClamp(D d, const ClampBounds& clamp, hn::Vec<D> x) {
  return AtMost(hn::Set(d, clamp.high), AtLeast(hn::Set(d, clamp.low), x));
}

template <class D, size_t kRows, size_t kVectors>
void RunTile(const Tile& t) {
  const D d;
  using Vector = hn::Vec<D>;
  const size_t lanes = hn::Lanes(d);
  Vector sum[kRows][kVectors];
  // Columns of the last vector; the others are full.
  const size_t last = t.columns - (kVectors - 1) * lanes;
  {
    Vector start[kVectors];
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      start[v] = hn::Zero(d);
      if (t.bias != nullptr) {
        start[v] = v + 1 < kVectors || last == lanes
                       ? hn::LoadU(d, t.bias + v * lanes)
                       : LoadTail(d, t.bias + v * lanes, last);
      }
    }
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = start[v];
    }
  }

  // The lines of c are on their way while the sums are made.
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v)
      __builtin_prefetch(t.c + r * t.ldc + v * lanes, 1);
  }

  const float* HWY_RESTRICT b = t.b;
  for (size_t piece = 0; piece < t.a.pointers_per_row; ++piece) {
    const float* a[kRows];
    if (!t.a.Find(piece, a)) {
      b += t.a.length * kVectors * lanes;
      continue;
    }
    for (size_t i = 0; i < t.a.length; ++i) {
      Vector row[kVectors];
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) row[v] = hn::Load(d, b + v * lanes);
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r) {
        const Vector x = hn::Set(d, a[r][i]);
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v)
          sum[r][v] = hn::MulAdd(x, row[v], sum[r][v]);
      }
      b += kVectors * lanes;
    }
  }

  // Decisions are made once a tile, not once a vector.
  const auto each = [&](size_t stride, auto&& change) HWY_ATTR {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v)
        change(sum[r][v], r * stride + v * lanes, v + 1 < kVectors);
    }
  };
  if (last == lanes) {
    if (t.residual != nullptr) {
      each(t.residual_stride, [&](Vector& x, size_t at, bool) HWY_ATTR {
        x = hn::Add(x, hn::LoadU(d, t.residual + at));
      });
    }
    if (t.clamp.is_active) {
      each(0, [&](Vector& x, size_t, bool)
                  HWY_ATTR { x = ApplyClamp(d, t.clamp, x); });
    }
    each(t.ldc, [&](Vector& x, size_t at, bool)
                    HWY_ATTR { hn::StoreU(x, d, t.c + at); });
    return;
  }
  if (t.residual != nullptr) {
    each(t.residual_stride, [&](Vector& x, size_t at, bool full) HWY_ATTR {
      x = hn::Add(x, full ? hn::LoadU(d, t.residual + at)
                          : LoadTail(d, t.residual + at, last));
    });
  }
  if (t.clamp.is_active)
    each(0, [&](Vector& x, size_t, bool)
                HWY_ATTR { x = ApplyClamp(d, t.clamp, x); });
  each(t.ldc, [&](Vector& x, size_t at, bool full) HWY_ATTR {
    if (full)
      hn::StoreU(x, d, t.c + at);
    else
      StoreTail(x, d, t.c + at, last);
  });
}

// Every piece of an LHS row begins with a group.
inline bool IsAligned(const Tile& t, size_t group) {
  const size_t length = t.a.length;
  return length == t.run || (length % group == 0 && t.run % group == 0);
}

#if HWY_TARGET != HWY_SCALAR
// Panels of few columns. A tile that is one vector wide would load a factor for
// each product, and one of half a vector waste the rest. Therefore a vector of
// such a panel holds kGroup rows of b side by side, `lanes / kGroup` columns of
// them, and is multiplied by as many successive elements of a row of a,
// repeated; the panel is still two vectors wide, so that what was loaded serves
// twice. At the end the kGroup sums of a column are added up. A group does not
// go from one run into the next: what is missing in the last group of a run is
// 0 in a and in b.
template <size_t kGroup, class D>
HWY_INLINE hn::Vec<D> RepeatGroup(D d, const float* p) {
  static_assert(kGroup == 2 || kGroup == 4);
  if constexpr (kGroup == 4) return hn::LoadDup128(d, p);
  using Pair = std::conditional_t<HWY_HAVE_FLOAT64, double, uint64_t>;
  const hn::Repartition<Pair, D> pairs;
  Pair pair;
  std::memcpy(&pair, p, sizeof(pair));
  return hn::BitCast(d, hn::Set(pairs, pair));
}

// The sums of neighboring lanes of `low`, then of `high`.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V AddNeighbors(D d, V low, V high) {
  return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
}

// The same where a run ends after `count` elements, of which there is one at
// least. Put together in registers: what was stored in parts cannot be loaded
// whole before the stores have reached the cache, which cost a 3x3 convolution
// of three channels, whose runs of nine end so, most of its time.
template <size_t kGroup, class D>
HWY_INLINE hn::Vec<D> RepeatPart(D d, const float* p, size_t count) {
  if constexpr (kGroup == 2) {
    return hn::OddEven(hn::Zero(d), hn::Set(d, p[0]));
  } else {
    const hn::RebindToSigned<D> di;
    const auto place = hn::And(hn::Iota(di, 0), hn::Set(di, kGroup - 1));
    hn::Vec<D> x = hn::Zero(d);
    for (size_t i = 0; i < count; ++i) {
      const auto is_here = hn::RebindMask(
          d, hn::Eq(place, hn::Set(di, static_cast<int32_t>(i))));
      x = hn::IfThenElse(is_here, hn::Set(d, p[i]), x);
    }
    return x;
  }
}

// The sums of one row whose pieces do not.
template <size_t kGroup, class V>
void AddUnaligned(const Tile& t, V (*sum)[2]) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const float* HWY_RESTRICT b = t.b;
  HWY_ALIGN float group[kGroup] = {};
  size_t count = 0, run_count = 0;
  for (size_t piece = 0; piece < t.a.pointers_per_row; ++piece) {
    const float* a[1];
    const bool is_there = t.a.Find(piece, a);
    for (size_t i = 0; i < t.a.length; ++i) {
      group[count++] = is_there ? a[0][i] : 0.0f;
      const bool ends_run = ++run_count == t.run;
      if (ends_run) run_count = 0;
      if (count < kGroup && !ends_run) continue;
      const V x = RepeatGroup<kGroup>(d, group);
      sum[0][0] = hn::MulAdd(x, hn::Load(d, b), sum[0][0]);
      sum[0][1] = hn::MulAdd(x, hn::Load(d, b + lanes), sum[0][1]);
      b += 2 * lanes;
      for (float& x_i : group) x_i = 0.0f;
      count = 0;
    }
  }
}

// Adds up the groups and stores the rows. Of kGroup = 2 a vector of results is
// a row; of kGroup = 4 it is two rows, the last of which may not exist. Rows
// fill their (half) vectors when kIsFull.
template <size_t kRows, size_t kGroup, bool kIsFull, class V>
HWY_INLINE void FinishGroups(const Tile& t, V (&sum)[kRows][2]) {
  const hn::ScalableTag<float> d;
  using Row = std::conditional_t<kGroup == 2, hn::ScalableTag<float>,
                                 hn::Half<hn::ScalableTag<float>>>;
  const Row row_tag;
  const auto load = [&](const float* p) HWY_ATTR {
    if constexpr (kIsFull)
      return hn::LoadU(row_tag, p);
    else
      return LoadTail(row_tag, p, t.columns);
  };
  const auto store = [&](auto x, float* p) HWY_ATTR {
    if constexpr (kIsFull)
      hn::StoreU(x, row_tag, p);
    else
      StoreTail(x, row_tag, p, t.columns);
  };
  const auto load_rows = [&](const float* first, const float* second) HWY_ATTR {
    (void)second;
    if constexpr (kGroup == 2)
      return load(first);
    else
      return hn::Combine(d, load(second), load(first));
  };

  constexpr size_t kInVector = kGroup / 2;
  constexpr size_t kResults = (kRows + kInVector - 1) / kInVector;
  V result[kResults];
  HWY_UNROLL(12)
  for (size_t i = 0; i < kResults; ++i) {
    const size_t r = i * kInVector, second = HWY_MIN(r + 1, kRows - 1);
    result[i] = AddNeighbors(d, sum[r][0], sum[r][1]);
    if constexpr (kGroup == 4) {
      result[i] = AddNeighbors(d, result[i],
                               AddNeighbors(d, sum[second][0], sum[second][1]));
    }
  }
  if (t.bias != nullptr) {
    const V bias = load_rows(t.bias, t.bias);
    HWY_UNROLL(12)
    for (size_t i = 0; i < kResults; ++i) result[i] = hn::Add(result[i], bias);
  }
  if (t.residual != nullptr) {
    HWY_UNROLL(12)
    for (size_t i = 0; i < kResults; ++i) {
      const size_t r = i * kInVector, second = HWY_MIN(r + 1, kRows - 1);
      result[i] = hn::Add(result[i],
                          load_rows(t.residual + r * t.residual_stride,
                                    t.residual + second * t.residual_stride));
    }
  }
  if (t.clamp.is_active) {
    HWY_UNROLL(12)
    for (size_t i = 0; i < kResults; ++i)
      result[i] = ApplyClamp(d, t.clamp, result[i]);
  }
  if constexpr (kGroup == 2) {
    HWY_UNROLL(12)
    for (size_t i = 0; i < kResults; ++i) store(result[i], t.c + i * t.ldc);
  } else {
    const bool is_dense = kIsFull && t.ldc == t.columns;
    HWY_UNROLL(12)
    for (size_t i = 0; i < kResults; ++i) {
      float* const c = t.c + 2 * i * t.ldc;
      const bool has_second = 2 * i + 1 < kRows;
      if (is_dense && has_second) {
        hn::StoreU(result[i], d, c);
        continue;
      }
      store(hn::LowerHalf(row_tag, result[i]), c);
      if (has_second) store(hn::UpperHalf(row_tag, result[i]), c + t.ldc);
    }
  }
}

// Rows whose pieces are not aligned come one by one.
template <size_t kRows, size_t kGroup>
void RunGroupTile(const Tile& t) {
  const hn::ScalableTag<float> d;
  using Vector = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  Vector sum[kRows][2];
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r) __builtin_prefetch(t.c + r * t.ldc, 1);

  if (kRows == 1 && !IsAligned(t, kGroup)) {
    AddUnaligned<kGroup>(t, sum);
  } else {
    const float* HWY_RESTRICT b = t.b;
    // One group of k of all rows, which `group(r)` repeats.
    const auto multiply = [&](auto&& group) HWY_ATTR {
      const Vector low = hn::Load(d, b), high = hn::Load(d, b + lanes);
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r) {
        const Vector x = group(r);
        sum[r][0] = hn::MulAdd(x, low, sum[r][0]);
        sum[r][1] = hn::MulAdd(x, high, sum[r][1]);
      }
      b += 2 * lanes;
    };
    for (size_t piece = 0; piece < t.a.pointers_per_row; ++piece) {
      const float* a[kRows];
      if (!t.a.Find(piece, a)) {
        b += (t.a.length + kGroup - 1) / kGroup * 2 * lanes;
        continue;
      }
      if (t.fetches_next) {
        const float* const next = a[0] + kRows * t.a.step;
        for (size_t i = 0; i < kRows * t.a.step; i += 16)
          __builtin_prefetch(next + i);
      }
      size_t i = 0;
      for (; i + kGroup <= t.a.length; i += kGroup) {
        multiply([&](size_t r)
                     HWY_ATTR { return RepeatGroup<kGroup>(d, a[r] + i); });
      }
      if (i < t.a.length) {
        multiply([&](size_t r) HWY_ATTR {
          return RepeatPart<kGroup>(d, a[r] + i, t.a.length - i);
        });
      }
    }
  }

  if (t.columns * (kGroup / 2) == lanes)
    FinishGroups<kRows, kGroup, true>(t, sum);
  else
    FinishGroups<kRows, kGroup, false>(t, sum);
}
#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_GEMM_GEMM_TILE_INL_H_
