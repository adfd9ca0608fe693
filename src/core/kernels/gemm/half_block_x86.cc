// Blocks of a product of bfloat16 matrices by AVX512_BF16: vdpbf16ps adds two
// products to each float32 sum.
#include <algorithm>

#include "hwy/base.h"
#include "hwy/targets.h"
#include "kernels/elementwise/activation.h"
#include "kernels/elementwise/gelu_table.h"
#include "kernels/gemm/block_walk.h"
#include "kernels/gemm/half_block.h"

#if HWY_ARCH_X86_64

#include "kernels/cpu/bfloat16_x86.h"

namespace munja::kernels {
namespace {

constexpr size_t kLanes = 16;
constexpr size_t kTileRows = 12;  // 24 sums of the 32 registers.

// Arguments of one tile. Pointers begin at the tile's first row and column.
struct Tile {
  TileRows<uint16_t> a;
  const uint16_t* b;
  const float* bias;
  RowView residual;
  MutableRowView c;
  __mmask16 last;    // The valid columns of the last vector.
  __mmask16 stored;  // Its columns that are written: as many, or all.
  ClampBounds clamp;
};

MUNJA_BF16_INLINE __m512 Widened(__m256i halves) {
  return _mm512_castsi512_ps(
      _mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

MUNJA_BF16_INLINE __m512 LoadMixed(const RowView& m, size_t at,
                                   __mmask16 mask) {
  if (m.is_half()) {
    return Widened(_mm256_maskz_loadu_epi16(
        mask, static_cast<const uint16_t*>(m.data) + at));
  }
  return _mm512_maskz_loadu_ps(mask, static_cast<const float*>(m.data) + at);
}

MUNJA_BF16_INLINE void StoreMixed(const MutableRowView& m, size_t at,
                                  __mmask16 mask, __m512 x) {
  if (m.is_half()) {
    _mm256_mask_storeu_epi16(static_cast<uint16_t*>(m.data) + at, mask,
                             (__m256i)_mm512_cvtneps_pbh(x));
  } else {
    _mm512_mask_storeu_ps(static_cast<float*>(m.data) + at, mask, x);
  }
}

// Two vectors beside each other.
MUNJA_BF16_INLINE void StorePair(const MutableRowView& m, size_t at, __m512 x,
                                 __m512 y) {
  if (m.is_half()) {
    _mm512_storeu_si512(static_cast<uint16_t*>(m.data) + at,
                        (__m512i)_mm512_cvtne2ps_pbh(y, x));
  } else {
    _mm512_storeu_ps(static_cast<float*>(m.data) + at, x);
    _mm512_storeu_ps(static_cast<float*>(m.data) + at + kLanes, y);
  }
}

// A piece of each row of a tile. Rows that follow each other by a step are
// found from every third one, else their addresses would not fit the registers.
template <size_t kRows>
struct SteppedPiece {
  static constexpr size_t kBases = (kRows + 2) / 3;
  const uint16_t* bases[kBases];
  size_t step;
  MUNJA_BF16_INLINE void Find(const Tile& t, size_t piece) {
    step = t.a.step;
    HWY_UNROLL(4)
    for (size_t i = 0; i < kBases; ++i)
      bases[i] = t.a.pieces[piece] + t.a.offset + 3 * i * step;
  }
  MUNJA_BF16_INLINE const uint16_t* Row(size_t r, size_t i) const {
    return bases[r / 3] + i + r % 3 * step;
  }
};
template <size_t kRows>
struct GatheredPiece {
  const uint16_t* rows[kRows];
  MUNJA_BF16_INLINE void Find(const Tile& t, size_t piece) {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r)
      rows[r] = t.a.pieces[r * t.a.pointers_per_row + piece];
  }
  MUNJA_BF16_INLINE const uint16_t* Row(size_t r, size_t i) const {
    return rows[r] + i;
  }
};

// Epilogue of one vector of columns, except for the bias. Each condition is
// checked once, not for every row.
template <size_t kRows>
MUNJA_BF16_INLINE void FinishNarrow(const Tile& t, __m512 (&x)[kRows]) {
  constexpr __mmask16 kAll = 0xffff;
  if (t.residual.data != nullptr) {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      x[r] = _mm512_add_ps(
          x[r], LoadMixed(t.residual, r * t.residual.stride, t.last));
    }
  }
  if (t.clamp.is_active) {
    const __m512 low = _mm512_set1_ps(t.clamp.low);
    const __m512 high = _mm512_set1_ps(t.clamp.high);
    // These return the second argument if one is NaN.
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r)
      x[r] = _mm512_min_ps(high, _mm512_max_ps(low, x[r]));
  }
  // Loaded once, not after each store.
  const size_t stride = t.c.stride;
  const __mmask16 stored = t.stored;
  if (!t.c.is_half()) {
    auto* const c = static_cast<float*>(t.c.data);
    if (stored == kAll) {
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r) _mm512_storeu_ps(c + r * stride, x[r]);
    } else {
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r)
        _mm512_mask_storeu_ps(c + r * stride, stored, x[r]);
    }
    return;
  }
  auto* const c = static_cast<uint16_t*>(t.c.data);
  if (stored != kAll) {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      _mm256_mask_storeu_epi16(c + r * stride, stored,
                               (__m256i)_mm512_cvtneps_pbh(x[r]));
    }
  } else if (stride == kLanes) {
    // Rows without gaps, by twos.
    HWY_UNROLL(6)
    for (size_t r = 0; r + 1 < kRows; r += 2) {
      _mm512_storeu_si512(c + r * kLanes,
                          (__m512i)_mm512_cvtne2ps_pbh(x[r + 1], x[r]));
    }
    if constexpr (kRows % 2 != 0) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(c + (kRows - 1) * kLanes),
                          (__m256i)_mm512_cvtneps_pbh(x[kRows - 1]));
    }
  } else {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(c + r * stride),
                          (__m256i)_mm512_cvtneps_pbh(x[r]));
    }
  }
}

template <class Piece, size_t kRows, size_t kVectors>
MUNJA_BF16_INLINE void AddProducts(const Tile& t,
                                   __m512 (&sum)[kRows][kVectors]) {
  const uint16_t* b = t.b;
  for (size_t piece = 0; piece < t.a.pointers_per_row; ++piece) {
    if (t.a.has_constant_stride && t.a.pieces[piece] == nullptr) {
      b += t.a.length * kVectors * kLanes;
      continue;
    }
    Piece a;
    a.Find(t, piece);
    for (size_t i = 0; i < t.a.length; i += 2) {
      __m512bh row[kVectors];
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v)
        row[v] = (__m512bh)_mm512_load_si512(b + 2 * kLanes * v);
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r) {
        int32_t pair;
        __builtin_memcpy(&pair, a.Row(r, i), sizeof pair);
        const __m512bh x = (__m512bh)_mm512_set1_epi32(pair);
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v)
          sum[r][v] = _mm512_dpbf16_ps(sum[r][v], x, row[v]);
      }
      b += 2 * kLanes * kVectors;
    }
  }
}

template <size_t kRows, size_t kVectors>
MUNJA_BF16 void RunTile(const Tile& t) {
  constexpr __mmask16 kAll = 0xffff;
  __m512 sum[kRows][kVectors];
  {
    __m512 start[kVectors];
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      start[v] = t.bias == nullptr
                     ? _mm512_setzero_ps()
                     : _mm512_maskz_loadu_ps(v + 1 < kVectors ? kAll : t.last,
                                             t.bias + v * kLanes);
    }
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = start[v];
    }
  }

  if (t.a.has_constant_stride)
    AddProducts<SteppedPiece<kRows>>(t, sum);
  else
    AddProducts<GatheredPiece<kRows>>(t, sum);

  if constexpr (kVectors == 1) {
    __m512 x[kRows];
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) x[r] = sum[r][0];
    FinishNarrow(t, x);
    return;
  }
  if (t.residual.data != nullptr) {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = _mm512_add_ps(
            sum[r][v], LoadMixed(t.residual, r * t.residual.stride + v * kLanes,
                                 v + 1 < kVectors ? kAll : t.last));
      }
    }
  }
  if (t.clamp.is_active) {
    const __m512 low = _mm512_set1_ps(t.clamp.low);
    const __m512 high = _mm512_set1_ps(t.clamp.high);
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      // These return the second argument if one is NaN.
      for (size_t v = 0; v < kVectors; ++v)
        sum[r][v] = _mm512_min_ps(high, _mm512_max_ps(low, sum[r][v]));
    }
  }
  if (kVectors == 2 && t.stored == kAll) {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r)
      StorePair(t.c, r * t.c.stride, sum[r][0], sum[r][kVectors - 1]);
    return;
  }
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v)
      StoreMixed(t.c, r * t.c.stride + v * kLanes,
                 v + 1 < kVectors ? kAll : t.stored, sum[r][v]);
  }
}

// Panels of few columns, as in gemm_tile-inl.h: a vector holds kGroup pairs of
// kLanes / kGroup columns, the panel two vectors, and what was loaded of a row
// serves twice. At the end the kGroup sums of a column are added up.
template <size_t kGroup>
MUNJA_BF16_INLINE __m512bh RepeatGroup(const uint16_t* p) {
  static_assert(kGroup == 2 || kGroup == 4);
  if constexpr (kGroup == 4) {
    return (__m512bh)_mm512_broadcast_i32x4(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  int64_t pairs;
  __builtin_memcpy(&pairs, p, sizeof pairs);
  return (__m512bh)_mm512_set1_epi64(pairs);
}

// The sums of neighboring lanes of `low`, then of `high`.
MUNJA_BF16_INLINE __m512 AddNeighbors(__m512 low, __m512 high) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12,
                                        10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13,
                                       11, 9, 7, 5, 3, 1);
  return _mm512_add_ps(_mm512_permutex2var_ps(low, even, high),
                       _mm512_permutex2var_ps(low, odd, high));
}

MUNJA_BF16_INLINE __m512d AddUnpacked(__m512 a, __m512 b) {
  return _mm512_castps_pd(
      _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)));
}

// The sums of fours of lanes: of columns 0 to 3 and 4 to 7 (a0, a1) of a row,
// then of those of another one.
MUNJA_BF16_INLINE __m512 AddFours(__m512 a0, __m512 a1, __m512 b0, __m512 b1) {
  const __m512d low = AddUnpacked(a0, b0), high = AddUnpacked(a1, b1);
  // Each four holds a column of a and of b of the low half, then of the high
  // one.
  const __m512 sums =
      _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(low, high)),
                    _mm512_castpd_ps(_mm512_unpackhi_pd(low, high)));
  return _mm512_permutexvar_ps(
      _mm512_set_epi32(15, 11, 7, 3, 13, 9, 5, 1, 14, 10, 6, 2, 12, 8, 4, 0),
      sums);
}

// Two rows of eight columns are a vector.
template <size_t kRows>
MUNJA_BF16_INLINE void FinishQuads(const Tile& t, __m512 (&sum)[kRows][2]) {
  constexpr size_t kColumns = kLanes / 2, kPairs = (kRows + 1) / 2;
  const __m512 bias = t.bias == nullptr ? _mm512_setzero_ps()
                                        : _mm512_maskz_loadu_ps(t.last, t.bias);
  const __m512 both = _mm512_shuffle_f32x4(bias, bias, 0x44);
  __m512 x[kPairs];
  HWY_UNROLL(6)
  for (size_t i = 0; i < kPairs; ++i) {
    const size_t next = HWY_MIN(2 * i + 1, kRows - 1);
    x[i] = _mm512_add_ps(both, AddFours(sum[2 * i][0], sum[2 * i][1],
                                        sum[next][0], sum[next][1]));
  }
  Tile wide;
  wide.residual.data = nullptr;
  wide.clamp = t.clamp;
  wide.stored = wide.last = 0xffff;
  wide.c = {t.c.data, kLanes, t.c.type};
  if constexpr (kRows % 4 == 0) {
    if (t.stored == 0xf && t.c.stride == 4 && t.residual.data == nullptr) {
      // Rows of four columns without gaps.
      const __m512i order = _mm512_set_epi32(27, 26, 25, 24, 19, 18, 17, 16, 11,
                                             10, 9, 8, 3, 2, 1, 0);
      __m512 fours[kRows / 4];
      HWY_UNROLL(3)
      for (size_t i = 0; i < kRows / 4; ++i)
        fours[i] = _mm512_permutex2var_ps(x[2 * i], order, x[2 * i + 1]);
      FinishNarrow(wide, fours);
      return;
    }
  }
  const bool is_dense =
      t.stored == 0xff && t.c.stride == kColumns && t.residual.data == nullptr;
  if (kRows % 2 != 0 || !is_dense) {
    __m512 row[kRows];
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r)
      row[r] = r % 2 == 0 ? x[r / 2]
                          : _mm512_shuffle_f32x4(x[r / 2], x[r / 2], 0xee);
    FinishNarrow(t, row);
    return;
  }
  // Rows of eight columns without gaps: as rows of sixteen, half as many.
  FinishNarrow(wide, x);
}

template <size_t kGroup, class Piece, size_t kRows>
MUNJA_BF16_INLINE void AddGroups(const Tile& t, __m512 (&sum)[kRows][2]) {
  const uint16_t* b = t.b;
  for (size_t piece = 0; piece < t.a.pointers_per_row; ++piece) {
    if (t.a.has_constant_stride && t.a.pieces[piece] == nullptr) {
      b += t.a.length / kGroup * 2 * kLanes;
      continue;
    }
    Piece a;
    a.Find(t, piece);
    for (size_t i = 0; i < t.a.length; i += 2 * kGroup, b += 4 * kLanes) {
      const __m512bh low = (__m512bh)_mm512_load_si512(b);
      const __m512bh high = (__m512bh)_mm512_load_si512(b + 2 * kLanes);
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r) {
        const __m512bh x = RepeatGroup<kGroup>(a.Row(r, i));
        sum[r][0] = _mm512_dpbf16_ps(sum[r][0], x, low);
        sum[r][1] = _mm512_dpbf16_ps(sum[r][1], x, high);
      }
    }
  }
}

template <size_t kRows, size_t kGroup>
MUNJA_BF16 void RunGroupTile(const Tile& t) {
  __m512 sum[kRows][2];
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r)
    sum[r][0] = sum[r][1] = _mm512_setzero_ps();

  if (t.a.has_constant_stride)
    AddGroups<kGroup, SteppedPiece<kRows>>(t, sum);
  else
    AddGroups<kGroup, GatheredPiece<kRows>>(t, sum);

  __m512 x[kRows];
  if constexpr (kGroup == 4) {
    FinishQuads(t, sum);
    return;
  }
  const __m512 bias = t.bias == nullptr ? _mm512_setzero_ps()
                                        : _mm512_maskz_loadu_ps(t.last, t.bias);
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r)
    x[r] = _mm512_add_ps(AddNeighbors(sum[r][0], sum[r][1]), bias);
  FinishNarrow(t, x);
}

using TileFunction = void (*)(const Tile&);
constexpr auto kWideTiles =
    TilesOf<kTileRows>([](auto rows) { return &RunTile<rows, 2>; });
constexpr auto kNarrowTiles =
    TilesOf<kTileRows>([](auto rows) { return &RunTile<rows, 1>; });
constexpr auto kPairTiles =
    TilesOf<kTileRows>([](auto rows) { return &RunGroupTile<rows, 2>; });
constexpr auto kQuadTiles =
    TilesOf<kTileRows>([](auto rows) { return &RunGroupTile<rows, 4>; });

constexpr HalfLayout kLayout = {2 * kLanes, kLanes, 2, true};

Microkernel<Tile> KernelFor(const HalfPanel& panel) {
  const auto* const tiles = panel.group == 4       ? kQuadTiles.data()
                            : panel.group == 2     ? kPairTiles.data()
                            : panel.width > kLanes ? kWideTiles.data()
                                                   : kNarrowTiles.data();
  return {tiles, kTileRows, panel.width, panel.group};
}

// GELU by kGeluTable, whose error is far below the rounding to bfloat16.
struct GeluConstants {
  __m512 low0, low1, low2, high0, high1, high2;
};

MUNJA_BF16_INLINE GeluConstants LoadGelu() {
  const auto load = &kGeluTable;
  return {_mm512_loadu_ps(load->c0),      _mm512_loadu_ps(load->c1),
          _mm512_loadu_ps(load->c2),      _mm512_loadu_ps(load->c0 + 16),
          _mm512_loadu_ps(load->c1 + 16), _mm512_loadu_ps(load->c2 + 16)};
}

MUNJA_BF16_INLINE __m512 Gelu(const GeluConstants& g, __m512 x) {
  x = _mm512_max_ps(_mm512_set1_ps(kGeluLow), x);  // NaN stays.
  const __m512 t = _mm512_min_ps(_mm512_set1_ps(kGeluHigh), x);
  // The number of the segment, from 0 to 31, lies in the low bits.
  const __m512i at = _mm512_castps_si512(_mm512_fmadd_ps(
      t, _mm512_set1_ps(1.0f / kGeluStep), _mm512_set1_ps(0x1.8p23f + 16.0f)));
  const __m512 c0 = _mm512_permutex2var_ps(g.low0, at, g.high0);
  const __m512 c1 = _mm512_permutex2var_ps(g.low1, at, g.high1);
  const __m512 c2 = _mm512_permutex2var_ps(g.low2, at, g.high2);
  return _mm512_mul_ps(x, _mm512_fmadd_ps(_mm512_fmadd_ps(c2, t, c1), t, c0));
}

// Rows of sums, kVectors vectors each, to where they belong.
template <bool kGelu, size_t kVectors>
MUNJA_BF16 void StoreSums(const float* sums, size_t rows, __mmask16 last,
                          const MutableRowView& c) {
  constexpr __mmask16 kAll = 0xffff;
  const GeluConstants g = LoadGelu();
  for (size_t r = 0; r < rows; ++r, sums += kVectors * kLanes) {
    __m512 x[kVectors];
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      x[v] = _mm512_load_ps(sums + v * kLanes);
      if (kGelu) x[v] = Gelu(g, x[v]);
    }
    if (kVectors == 2 && last == kAll) {
      StorePair(c, r * c.stride, x[0], x[kVectors - 1]);
      continue;
    }
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v)
      StoreMixed(c, r * c.stride + v * kLanes, v + 1 < kVectors ? kAll : last,
                 x[v]);
  }
}

// The format bfloat16 of block_walk.h. Structures are filled once and their
// pointers set for each tile: a structure that is copied right after it was
// written in parts waits for all stores of the tile before.
class BFloat16 : public FinishedTiles {
 public:
  BFloat16(const HalfLeftRows& a, const MatrixView& b, const Epilogue& epilogue,
           const MutableRowView& c)
      : a_(a),
        b_(b),
        epilogue_(epilogue),
        c_(c),
        out_(c),
        residual_(static_cast<const uint8_t*>(epilogue.residual.data)),
        is_gelu_(epilogue.activation.kind == ActivationKind::kGelu) {
    t_.a.BeginBlock(a);
    t_.clamp = ClampOf(epilogue.activation.kind);
    t_.residual = epilogue.residual;
    t_.c = c;
    is_direct_ = t_.clamp.is_whole_activation;
    if (!is_direct_) t_.c = {sums_, 2 * kLanes};
  }

  Microkernel<Tile> BeginPanel(size_t panel) {
    column_ = panel * 2 * kLanes;
    const size_t columns = std::min(b_.n - column_, 2 * kLanes);
    is_wide_ = columns > kLanes;
    const size_t width = is_wide_ ? 2 * kLanes : kLanes;
    t_.b = b_.halves() + HalfDepth(b_.k) * column_;
    t_.bias = epilogue_.bias == nullptr ? nullptr : epilogue_.bias + column_;
    t_.last = static_cast<__mmask16>(0xffffu >> (width - columns));
    // Past the last column the sums that are kept are 0.
    t_.stored = is_direct_ ? t_.last : __mmask16{0xffff};
    if (!is_direct_) t_.c.stride = width;
    return KernelFor(PanelOf(kLayout, b_.k, columns));
  }

  void RunTile(TileFunction run, size_t row, size_t rows) {
    t_.a.BeginTile(a_, row);
    if (residual_ != nullptr) {
      const RowView& residual = epilogue_.residual;
      t_.residual.data = residual_ + (row * residual.stride + column_) *
                                         residual.element_bytes();
    }
    out_.data = static_cast<uint8_t*>(c_.data) +
                (row * c_.stride + column_) * c_.element_bytes();
    if (is_direct_) t_.c.data = out_.data;
    run(t_);
    if (is_direct_) return;
    // The sums leave no registers for other activations.
    if (!is_gelu_)
      Activate(epilogue_.activation, sums_, rows * t_.c.stride, sums_);
    const auto deliver =
        is_gelu_ ? (is_wide_ ? StoreSums<true, 2> : StoreSums<true, 1>)
                 : (is_wide_ ? StoreSums<false, 2> : StoreSums<false, 1>);
    deliver(sums_, rows, t_.last, out_);
  }

 private:
  const HalfLeftRows& a_;
  const MatrixView& b_;
  const Epilogue& epilogue_;
  const MutableRowView& c_;
  MutableRowView out_;  // Output of the tile.
  const uint8_t* const residual_;
  const bool is_gelu_;
  bool is_direct_, is_wide_ = false;
  size_t column_ = 0;
  Tile t_;
  alignas(64) float sums_[kTileRows * 2 * kLanes];
};

void Multiply(const HalfLeftRows& a, const MatrixView& b, size_t first_panel,
              size_t end_panel, const Epilogue& epilogue,
              const MutableRowView& c) {
  BFloat16 format(a, b, epilogue, c);
  WalkBlock(format, a.rows, first_panel, end_panel);
}

MUNJA_BF16 void Round(const float* in, size_t count, uint16_t* out) {
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    // Four kilobytes ahead: the block that follows in the same line, which
    // comes after others from other lines. Past the end nothing happens.
    __builtin_prefetch(in + i + 1024);
    __builtin_prefetch(in + i + 1024 + kLanes);
    _mm512_storeu_si512(
        out + i, (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(in + i + 16),
                                              _mm512_loadu_ps(in + i)));
  }
  for (; i < count; i += kLanes) {
    const auto mask = static_cast<__mmask16>(
        0xffffu >> (kLanes - std::min(kLanes, count - i)));
    _mm256_mask_storeu_epi16(
        out + i, mask,
        (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, in + i)));
  }
}

MUNJA_BF16 void Widen(const uint16_t* in, size_t count, float* out) {
  for (size_t i = 0; i < count; i += kLanes) {
    const auto mask = static_cast<__mmask16>(
        0xffffu >> (kLanes - std::min(kLanes, count - i)));
    _mm512_mask_storeu_ps(out + i, mask,
                          Widened(_mm256_maskz_loadu_epi16(mask, in + i)));
  }
}

constexpr HalfBlockFunctions kFunctions = {
    ElementType::kBFloat16, kLayout, Multiply, Round, Widen, X86HalfDepthwise};

}  // namespace

const HalfBlockFunctions* X86HalfBlock() {
  // Asking takes microseconds in a virtual machine. That the operating system
  // keeps the registers is in Highway's answer.
  static const bool is_there = (hwy::SupportedTargets() & HWY_AVX3) != 0 &&
                               __builtin_cpu_supports("avx512bf16");
  return is_there ? &kFunctions : nullptr;
}

}  // namespace munja::kernels

#else

namespace munja::kernels {
const HalfBlockFunctions* X86HalfBlock() { return nullptr; }
}  // namespace munja::kernels

#endif  // HWY_ARCH_X86_64
