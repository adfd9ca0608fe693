#include "kernels/gemm/gemm.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "base/control.h"
#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"
#include "kernels/gemm/gemm_tile-inl.h"
#include "kernels/gemm/half_block.h"
#include "kernels/gemm/half_gemm.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Heights of the register tile. With 32 registers 12 rows of two vectors leave
// room for a row of b; with 16 registers it is 6 rows.
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr size_t kWideRows = 12;
#else
constexpr size_t kWideRows = 6;
#endif

const hn::ScalableTag<float> kTag;
using V = hn::Vec<hn::ScalableTag<float>>;

size_t FloatLanes() { return hn::Lanes(kTag); }

// How the panel is laid out that begins `left` columns before the end: a full
// one, or the last one, in which rows of b lie side by side in groups so that
// few columns fill two vectors, too (gemm_tile-inl.h).
struct PanelLayout {
  size_t group, columns;  // Columns count the padding.
};

PanelLayout LayoutOf(size_t left) {
  const size_t lanes = hn::Lanes(kTag);
#if HWY_TARGET == HWY_SCALAR
  if (left <= lanes) return {1, lanes};
#else
  if (2 * left <= lanes) return {4, lanes / 2};
  if (left <= lanes) return {2, lanes};
#endif
  return {1, 2 * lanes};
}

// Rows that a panel has with the padding of each run.
size_t PaddedDepth(size_t k, size_t run, size_t group) {
  return group == 1 ? k : k / run * RoundUp(run, group);
}

size_t PackedFloats(size_t k, size_t n, size_t run) {
  const size_t left = n % (2 * hn::Lanes(kTag));
  if (left == 0 || k == 0) return k * n;
  const PanelLayout last = LayoutOf(left);
  return k * (n - left) + PaddedDepth(k, run, last.group) * last.columns;
}

void PackPanels(const float* b, size_t k, size_t n, size_t k_stride,
                size_t n_stride, float* packed, size_t run) {
  for (size_t first = 0; first < n; first += 2 * hn::Lanes(kTag)) {
    const PanelLayout panel = LayoutOf(n - first);
    const size_t valid = HWY_MIN(panel.columns, n - first);
    for (size_t row = 0, in_run = 0; row < k;) {
      const size_t rows = HWY_MIN(panel.group, run - in_run);
      const float* from = b + row * k_stride + first * n_stride;
      for (size_t i = 0; i < panel.columns; ++i) {
        for (size_t g = 0; g < panel.group; ++g) {
          *packed++ =
              i < valid && g < rows ? from[g * k_stride + i * n_stride] : 0.0f;
        }
      }
      row += rows;
      in_run += rows;
      if (in_run == run) in_run = 0;
    }
  }
}

using TileFunction = void (*)(const Tile&);
template <class D, size_t kVectors, size_t... kRowsMinusOne>
constexpr std::array<TileFunction, sizeof...(kRowsMinusOne)> Tiles(
    std::index_sequence<kRowsMinusOne...>) {
  return {&RunTile<D, kRowsMinusOne + 1, kVectors>...};
}
constexpr auto kWideTiles =
    Tiles<hn::ScalableTag<float>, 2>(std::make_index_sequence<kWideRows>());
#if HWY_TARGET == HWY_SCALAR
constexpr auto kNarrowTiles =
    Tiles<hn::ScalableTag<float>, 1>(std::make_index_sequence<kWideRows>());
#else
template <size_t kGroup, size_t... kRowsMinusOne>
constexpr std::array<TileFunction, sizeof...(kRowsMinusOne)> GroupTiles(
    std::index_sequence<kRowsMinusOne...>) {
  return {&RunGroupTile<kRowsMinusOne + 1, kGroup>...};
}
constexpr auto kPairTiles =
    GroupTiles<2>(std::make_index_sequence<kWideRows>());
constexpr auto kQuadTiles =
    GroupTiles<4>(std::make_index_sequence<kWideRows>());
#endif

// The tiles of 1, 2, ... rows for a panel.
const TileFunction* TilesOf(const PanelLayout& panel) {
#if HWY_TARGET == HWY_SCALAR
  if (panel.columns == hn::Lanes(kTag)) return kNarrowTiles.data();
#else
  if (panel.group == 4) return kQuadTiles.data();
  if (panel.group == 2) return kPairTiles.data();
#endif
  return kWideTiles.data();
}

// Activations that are no clamp read the tile again while it is in the
// first-level cache: the register tile leaves no registers for their
// polynomials.
template <ActivationKind kKind>
void ActivateAs(const Activation& given, size_t rows, size_t columns, float* c,
                size_t ldc) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < rows; ++r, c += ldc) {
    size_t i = 0;
    for (; i + lanes <= columns; i += lanes) {
      hn::StoreU(ActivateOne<kKind>(d, given, hn::LoadU(d, c + i)), d, c + i);
    }
    if (i < columns) {
      const V x = LoadTail(d, c + i, columns - i);
      StoreTail(ActivateOne<kKind>(d, given, x), d, c + i, columns - i);
    }
  }
}

using ActivateFunction = void (*)(const Activation&, size_t, size_t, float*,
                                  size_t);

// Null for the clamps.
ActivateFunction ActivateFunctionOf(ActivationKind given) {
  ActivateFunction function = nullptr;
  WithActivationKind(given, [&]<ActivationKind kKind>() {
    if constexpr (!ClampOf(kKind).is_whole_activation)
      function = ActivateAs<kKind>;
  });
  return function;
}

void Block(const LeftRows& a, const MatrixView& b, size_t first_panel,
           size_t end_panel, const Epilogue& epilogue, float* c, size_t ldc) {
  const size_t lanes = hn::Lanes(kTag);
  const MixedRows& residual = epilogue.residual;
  const ActivateFunction activate =
      ActivateFunctionOf(epilogue.activation.kind);
  Tile t;
  t.pointers_per_row = a.pointers_per_row;
  t.length = a.length;
  t.has_constant_stride = a.has_constant_stride;
  t.step = a.step;
  t.ldc = ldc;
  t.residual_stride = residual.stride == 0 ? ldc : residual.stride;
  t.clamp = ClampOf(epilogue.activation.kind);
  t.run = b.run == 0 ? b.k : b.run;
  for (size_t panel = first_panel; panel < end_panel; ++panel) {
    const size_t column = panel * 2 * lanes;
    t.b = b.packed + b.k * column;
    t.columns = HWY_MIN(b.n - column, 2 * lanes);
    t.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + column;
    const PanelLayout layout = LayoutOf(t.columns);
    const TileFunction* functions = TilesOf(layout);
    // Tiles of equal height: 16 rows are 8 + 8, not 12 + 4.
    const size_t tallest =
        layout.group == 1 || IsAligned(t, layout.group) ? kWideRows : 1;
    const size_t tiles = (a.rows + tallest - 1) / tallest;
    const size_t height = a.rows / HWY_MAX(tiles, 1);
    const size_t higher = a.rows - height * tiles;  // That many of one more.
    t.fetches_next = panel == first_panel && a.pointers_per_row > 1;
    for (size_t i = 0, row = 0; i < tiles; ++i) {
      const size_t rows = height + (i + higher >= tiles ? 1 : 0);
      t.pieces = a.has_constant_stride ? a.pieces
                                       : a.pieces + row * a.pointers_per_row;
      t.offset = row * a.step;
      t.c = c + row * ldc + column;
      t.residual = residual.data == nullptr
                       ? nullptr
                       : residual.floats() + row * t.residual_stride + column;
      functions[rows - 1](t);
      if (activate != nullptr) {
        // Rows without gaps are one: no ends of rows to be made one by one.
        if (t.columns == ldc)
          activate(epilogue.activation, 1, rows * ldc, t.c, 0);
        else
          activate(epilogue.activation, rows, t.columns, t.c, ldc);
      }
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

size_t PackedMatrixFloats(size_t k, size_t n, size_t run) {
  return HWY_DYNAMIC_DISPATCH(PackedFloats)(k, n, run == 0 ? k : run);
}

void PackMatrix(const float* b, size_t k, size_t n, size_t k_stride,
                size_t n_stride, float* packed, size_t run) {
  HWY_DYNAMIC_DISPATCH(PackPanels)
  (b, k, n, k_stride, n_stride, packed, run == 0 ? k : run);
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
                   size_t end_panel, const Epilogue& epilogue,
                   const MixedOutput& c) {
  if (b.halves != nullptr) {
    MultiplyRounded(a, b, first_panel, end_panel, epilogue, c);
  } else {
    HWY_DYNAMIC_DISPATCH(Block)
    (a, b, first_panel, end_panel, epilogue, c.floats(), c.stride);
  }
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
            MultiplyBlock(LeftRows{&first, count, 1, b.k, true, lda}, b,
                          first_panel, std::min(first_panel + group, panels),
                          EpilogueFrom(epilogue, row, 0, ldc),
                          {c + row * ldc, ldc});
          }
        }
      });
}

namespace reference {

void Gemm(const float* a, size_t lda, size_t m, const float* b, size_t k,
          size_t n, size_t k_stride, size_t n_stride, const Epilogue& epilogue,
          float* c, size_t ldc) {
  for (size_t row = 0; row < m && !IsStopped(); ++row) {
    for (size_t column = 0; column < n; ++column) {
      double sum = epilogue.bias == nullptr ? 0.0 : epilogue.bias[column];
      for (size_t i = 0; i < k; ++i) {
        sum += static_cast<double>(a[row * lda + i]) *
               b[i * k_stride + column * n_stride];
      }
      if (epilogue.residual.data != nullptr)
        sum += epilogue.residual.floats()[row * ldc + column];
      c[row * ldc + column] =
          Activate(epilogue.activation, static_cast<float>(sum));
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
