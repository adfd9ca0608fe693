#include "kernels/gemm.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/activation-inl.h"
#include "kernels/gemm_clamp.h"
#include "kernels/half_gemm.h"
#include "kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Heights of the register tile. With 32 registers 12 rows of two vectors leave
// room for a row of b; with 16 registers it is 6 rows. Narrow tiles are one
// vector wide.
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr size_t kWideRows = 12;
#else
constexpr size_t kWideRows = 6;
#endif
constexpr size_t kNarrowRows = 12;

const hn::ScalableTag<float> kTag;
using V = hn::Vec<hn::ScalableTag<float>>;

// A last panel of few columns is half a vector wide where that exists: half
// the work on processors that split 512-bit vectors, and fewer of them loaded.
#if HWY_TARGET == HWY_AVX3
using HalfTag = hn::CappedTag<float, 8>;
#else
using HalfTag = hn::ScalableTag<float>;
#endif

size_t FloatLanes() { return hn::Lanes(kTag); }

// Columns that the panel holds which begins `left` columns before the end.
size_t WidthOfPanel(size_t left) {
  const size_t lanes = hn::Lanes(kTag);
  if (left > lanes) return 2 * lanes;
  return left > hn::Lanes(HalfTag()) ? lanes : hn::Lanes(HalfTag());
}

size_t PackedFloats(size_t k, size_t n) {
  const size_t full = 2 * hn::Lanes(kTag);
  const size_t left = n % full;
  return k * (n - left + (left == 0 ? 0 : WidthOfPanel(left)));
}

void PackPanels(const float* b, size_t k, size_t n, size_t k_stride,
                size_t n_stride, float* packed) {
  for (size_t first = 0; first < n; first += 2 * hn::Lanes(kTag)) {
    const size_t width = WidthOfPanel(n - first);
    const size_t valid = HWY_MIN(width, n - first);
    for (size_t row = 0; row < k; ++row) {
      const float* from = b + row * k_stride + first * n_stride;
      for (size_t i = 0; i < valid; ++i) packed[i] = from[i * n_stride];
      for (size_t i = valid; i < width; ++i) packed[i] = 0.0f;
      packed += width;
    }
  }
}

// What one tile needs. Pointers begin at the tile's first row and column.
struct Tile {
  const float* const* pieces;
  size_t pieces_per_row, length;
  bool is_stepped;
  size_t step, offset;  // Of the tile's first row from that of the block.
  const float* b;
  const float* bias;
  const float* residual;
  float* c;
  size_t ldc;
  size_t columns;  // Valid ones: the tile's width, or less.
  Clamp clamp;
};

// NaN stays NaN: AtLeast and AtMost see to that.
template <class D>
HWY_INLINE hn::Vec<D> ApplyClamp(D d, const Clamp& clamp, hn::Vec<D> x) {
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
  for (size_t piece = 0; piece < t.pieces_per_row; ++piece) {
    const float* a[kRows];
    if (t.is_stepped) {
      if (t.pieces[piece] == nullptr) {
        b += t.length * kVectors * lanes;
        continue;
      }
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r)
        a[r] = t.pieces[piece] + t.offset + r * t.step;
    } else {
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r)
        a[r] = t.pieces[r * t.pieces_per_row + piece];
    }
    for (size_t i = 0; i < t.length; ++i) {
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
  const auto each = [&](auto&& change) HWY_ATTR {
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v)
        change(sum[r][v], r * t.ldc + v * lanes, v + 1 < kVectors);
    }
  };
  if (last == lanes) {
    if (t.residual != nullptr) {
      each([&](Vector& x, size_t at, bool)
               HWY_ATTR { x = hn::Add(x, hn::LoadU(d, t.residual + at)); });
    }
    if (t.clamp.is_active) {
      each([&](Vector& x, size_t, bool)
               HWY_ATTR { x = ApplyClamp(d, t.clamp, x); });
    }
    each([&](Vector& x, size_t at, bool)
             HWY_ATTR { hn::StoreU(x, d, t.c + at); });
    return;
  }
  if (t.residual != nullptr) {
    each([&](Vector& x, size_t at, bool full) HWY_ATTR {
      x = hn::Add(x, full ? hn::LoadU(d, t.residual + at)
                          : LoadTail(d, t.residual + at, last));
    });
  }
  if (t.clamp.is_active)
    each([&](Vector& x, size_t, bool)
             HWY_ATTR { x = ApplyClamp(d, t.clamp, x); });
  each([&](Vector& x, size_t at, bool full) HWY_ATTR {
    if (full)
      hn::StoreU(x, d, t.c + at);
    else
      StoreTail(x, d, t.c + at, last);
  });
}

using TileFunction = void (*)(const Tile&);
template <class D, size_t kVectors, size_t... kRowsMinusOne>
constexpr std::array<TileFunction, sizeof...(kRowsMinusOne)> Tiles(
    std::index_sequence<kRowsMinusOne...>) {
  return {&RunTile<D, kRowsMinusOne + 1, kVectors>...};
}
constexpr auto kWideTiles =
    Tiles<hn::ScalableTag<float>, 2>(std::make_index_sequence<kWideRows>());
constexpr auto kNarrowTiles =
    Tiles<hn::ScalableTag<float>, 1>(std::make_index_sequence<kNarrowRows>());
constexpr auto kHalfTiles =
    Tiles<HalfTag, 1>(std::make_index_sequence<kNarrowRows>());

// Activations that are no clamp read the tile again while it is in the
// first-level cache: the register tile leaves no registers for their
// polynomials.
template <ActivationKind kKind>
void ActivateAs(const Activation& given, size_t rows, size_t columns, float* c,
                size_t ldc) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const Activation activation{kKind, given.alpha, given.beta};
  for (size_t r = 0; r < rows; ++r, c += ldc) {
    size_t i = 0;
    for (; i + lanes <= columns; i += lanes) {
      hn::StoreU(ApplyActivation(d, activation, hn::LoadU(d, c + i)), d, c + i);
    }
    if (i < columns) {
      const V x = LoadTail(d, c + i, columns - i);
      StoreTail(ApplyActivation(d, activation, x), d, c + i, columns - i);
    }
  }
}

using ActivateFunction = void (*)(const Activation&, size_t, size_t, float*,
                                  size_t);

// Null for the clamps.
ActivateFunction ActivateFunctionOf(ActivationKind kind) {
  using enum ActivationKind;
  switch (kind) {
    case kTanh:
      return ActivateAs<kTanh>;
    case kSigmoid:
      return ActivateAs<kSigmoid>;
    case kHardSigmoid:
      return ActivateAs<kHardSigmoid>;
    case kHardSwish:
      return ActivateAs<kHardSwish>;
    case kGelu:
      return ActivateAs<kGelu>;
    case kGeluTanh:
      return ActivateAs<kGeluTanh>;
    case kLeakyRelu:
      return ActivateAs<kLeakyRelu>;
    case kElu:
      return ActivateAs<kElu>;
    default:
      return nullptr;
  }
}

void Block(const LeftRows& a, const MatrixView& b, size_t first_panel,
           size_t end_panel, const Epilogue& epilogue, float* c, size_t ldc) {
  const size_t lanes = hn::Lanes(kTag);
  const ActivateFunction activate =
      ActivateFunctionOf(epilogue.activation.kind);
  Tile t;
  t.pieces_per_row = a.pieces_per_row;
  t.length = a.length;
  t.is_stepped = a.is_stepped;
  t.step = a.step;
  t.ldc = ldc;
  t.clamp = ClampOf(epilogue.activation.kind);
  for (size_t panel = first_panel; panel < end_panel; ++panel) {
    const size_t column = panel * 2 * lanes;
    t.b = b.packed + b.k * column;
    t.columns = HWY_MIN(b.n - column, 2 * lanes);
    t.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + column;
    const size_t width = WidthOfPanel(t.columns);
    const TileFunction* functions = width > lanes    ? kWideTiles.data()
                                    : width == lanes ? kNarrowTiles.data()
                                                     : kHalfTiles.data();
    // Tiles of equal height: 16 rows are 8 + 8, not 12 + 4.
    const size_t tallest = width > lanes ? kWideRows : kNarrowRows;
    const size_t tiles = (a.rows + tallest - 1) / tallest;
    for (size_t i = 0, row = 0; i < tiles; ++i) {
      const size_t rows = (a.rows - row) / (tiles - i);
      const size_t at = row * ldc + column;
      t.pieces = a.is_stepped ? a.pieces : a.pieces + row * a.pieces_per_row;
      t.offset = row * a.step;
      t.c = c + at;
      t.residual =
          epilogue.residual == nullptr ? nullptr : epilogue.residual + at;
      functions[rows - 1](t);
      if (activate != nullptr)
        activate(epilogue.activation, rows, t.columns, t.c, ldc);
      row += rows;
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(FloatLanes);
HWY_EXPORT(PackedFloats);
HWY_EXPORT(PackPanels);
HWY_EXPORT(Block);

size_t PackedMatrixFloats(size_t k, size_t n) {
  return HWY_DYNAMIC_DISPATCH(PackedFloats)(k, n);
}

void PackMatrix(const float* b, size_t k, size_t n, size_t k_stride,
                size_t n_stride, float* packed) {
  HWY_DYNAMIC_DISPATCH(PackPanels)(b, k, n, k_stride, n_stride, packed);
}

Result<PackedMatrix> PackedMatrix::Pack(const float* b, size_t k, size_t n,
                                        size_t k_stride, size_t n_stride,
                                        Product product) {
  const bool is_half = product == Product::kHalf && TakesHalfProduct(k);
  size_t bytes = 0;
  if (!CheckedAdd(n, 63, &bytes) || !CheckedMultiply(bytes, k, &bytes) ||
      !CheckedMultiply(bytes, sizeof(float), &bytes)) {
    return OutOfMemory("a matrix of " + std::to_string(k) + " x " +
                       std::to_string(n) + " does not fit memory");
  }
  MUNJA_ASSIGN_OR_RETURN(
      Buffer buffer,
      Buffer::Allocate(is_half ? PackedHalfNumbers(k, n) * sizeof(uint16_t)
                               : PackedMatrixFloats(k, n) * sizeof(float)));
  if (is_half)
    PackHalfMatrix(b, k, n, k_stride, n_stride, buffer.as<uint16_t>());
  else
    PackMatrix(b, k, n, k_stride, n_stride, buffer.as<float>());
  return PackedMatrix(std::move(buffer), k, n, is_half);
}

void MultiplyBlock(const LeftRows& a, const MatrixView& b, size_t first_panel,
                   size_t end_panel, const Epilogue& epilogue, float* c,
                   size_t ldc) {
  if (b.halves != nullptr) {
    MultiplyRounded(
        a, b, first_panel, end_panel,
        {epilogue.bias, {epilogue.residual, ldc, false}, epilogue.activation},
        {c, ldc, false});
    return;
  }
  HWY_DYNAMIC_DISPATCH(Block)
  (a, b, first_panel, end_panel, epilogue, c, ldc);
}

size_t PanelWidth() { return 2 * HWY_DYNAMIC_DISPATCH(FloatLanes)(); }

size_t PanelCount(size_t n) {
  const size_t width = PanelWidth();
  return (n + width - 1) / width;
}

size_t RowsPerTask(size_t k, size_t n) {
  constexpr size_t kWork = size_t{1} << 20;
  const size_t rows = kWork / std::max<size_t>(1, k * n);
  return std::max<size_t>(RoundUp(std::max<size_t>(rows, 1), 12), 24);
}

void Gemm(const float* a, size_t lda, size_t m, const MatrixView& b,
          const Epilogue& epilogue, float* c, size_t ldc, ThreadPool& pool) {
  if (m == 0 || b.n == 0) return;
  // Wide matrices are split into groups of columns that stay in half of a
  // usual second-level cache while the rows pass by.
  constexpr size_t kGroupFloats = size_t{1} << 16;
  const size_t panels = PanelCount(b.n);
  const size_t panel_floats = std::max<size_t>(1, b.k * b.n / panels);
  const size_t group =
      std::clamp<size_t>(kGroupFloats / panel_floats, 1, panels);
  const size_t groups = (panels + group - 1) / group;
  const size_t rows = std::min(m, RowsPerTask(b.k, b.n / groups));
  const size_t chunks = (m + rows - 1) / rows;
  pool.ParallelFor(
      groups * chunks, 1, [&](size_t begin, size_t end, int /*worker*/) {
        for (size_t task = begin; task < end; ++task) {
          const size_t first_panel = task / chunks * group;
          const size_t last_row = std::min(m, (task % chunks + 1) * rows);
          for (size_t row = task % chunks * rows; row < last_row;
               row += kGemmBlockRows) {
            const size_t count = std::min(kGemmBlockRows, last_row - row);
            const float* first = a + row * lda;
            Epilogue here = epilogue;
            if (here.residual != nullptr) here.residual += row * ldc;
            MultiplyBlock({&first, count, 1, b.k, true, lda}, b, first_panel,
                          std::min(first_panel + group, panels), here,
                          c + row * ldc, ldc);
          }
        }
      });
}

namespace reference {

void Gemm(const float* a, size_t lda, size_t m, const float* b, size_t k,
          size_t n, size_t k_stride, size_t n_stride, const Epilogue& epilogue,
          float* c, size_t ldc) {
  for (size_t row = 0; row < m; ++row) {
    for (size_t column = 0; column < n; ++column) {
      double sum = epilogue.bias == nullptr ? 0.0 : epilogue.bias[column];
      for (size_t i = 0; i < k; ++i) {
        sum += static_cast<double>(a[row * lda + i]) *
               b[i * k_stride + column * n_stride];
      }
      if (epilogue.residual != nullptr)
        sum += epilogue.residual[row * ldc + column];
      c[row * ldc + column] =
          Activate(epilogue.activation, static_cast<float>(sum));
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
