#include "kernels/gemm/gemm.h"

#include <algorithm>
#include <string>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "base/control.h"
#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"
#include "kernels/gemm/block_walk.h"
#include "kernels/gemm/gemm_tile-inl.h"
#include "kernels/gemm/half_block.h"
#include "kernels/gemm/half_gemm.h"
#include "kernels/gemm/partition.h"

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

using TileFunction = void (*)(const Tile&);
constexpr auto kWideTiles = TilesOf<kWideRows>(
    [](auto rows) { return &RunTile<hn::ScalableTag<float>, rows, 2>; });
#if HWY_TARGET == HWY_SCALAR
constexpr auto kNarrowTiles = TilesOf<kWideRows>(
    [](auto rows) { return &RunTile<hn::ScalableTag<float>, rows, 1>; });
#else
constexpr auto kPairTiles =
    TilesOf<kWideRows>([](auto rows) { return &RunGroupTile<rows, 2>; });
constexpr auto kQuadTiles =
    TilesOf<kWideRows>([](auto rows) { return &RunGroupTile<rows, 4>; });
#endif

// The one for the panel that begins `left` columns before the end: a full one,
// or the last one, in which rows of b lie side by side in groups so that few
// columns fill two vectors, too (gemm_tile-inl.h).
Microkernel<Tile> KernelFor(size_t left) {
  const size_t lanes = hn::Lanes(kTag);
#if HWY_TARGET == HWY_SCALAR
  if (left <= lanes) return {kNarrowTiles.data(), kWideRows, lanes};
#else
  if (2 * left <= lanes) return {kQuadTiles.data(), kWideRows, lanes / 2, 4};
  if (left <= lanes) return {kPairTiles.data(), kWideRows, lanes, 2};
#endif
  return {kWideTiles.data(), kWideRows, 2 * lanes};
}

// Rows that a panel has with the padding of each run.
size_t PaddedDepth(size_t k, size_t run, size_t group) {
  return group == 1 ? k : k / run * RoundUp(run, group);
}

size_t PackedFloats(size_t k, size_t n, size_t run) {
  const size_t left = n % (2 * hn::Lanes(kTag));
  if (left == 0 || k == 0) return k * n;
  const Microkernel<Tile> last = KernelFor(left);
  return k * (n - left) + PaddedDepth(k, run, last.group) * last.columns;
}

void PackPanels(const float* b, size_t k, size_t n, size_t k_stride,
                size_t n_stride, float* packed, size_t run) {
  for (size_t first = 0; first < n; first += 2 * hn::Lanes(kTag)) {
    const Microkernel<Tile> panel = KernelFor(n - first);
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

// The format float32 of block_walk.h.
class Float32 : public FinishedTiles {
 public:
  Float32(const LeftRows& a, const MatrixView& b, size_t first_panel,
          const Epilogue& epilogue, float* c, size_t ldc)
      : a_(a),
        b_(b),
        first_panel_(first_panel),
        epilogue_(epilogue),
        c_(c),
        activate_(ActivateFunctionOf(epilogue.activation.kind)) {
    t_.a.BeginBlock(a);
    t_.ldc = ldc;
    t_.residual_stride =
        epilogue.residual.stride == 0 ? ldc : epilogue.residual.stride;
    t_.clamp = ClampOf(epilogue.activation.kind);
    t_.run = b.run == 0 ? b.k : b.run;
  }

  Microkernel<Tile> BeginPanel(size_t panel) {
    column_ = panel * 2 * hn::Lanes(kTag);
    t_.b = b_.floats() + b_.k * column_;
    t_.columns = HWY_MIN(b_.n - column_, 2 * hn::Lanes(kTag));
    t_.bias = epilogue_.bias == nullptr ? nullptr : epilogue_.bias + column_;
    t_.fetches_next = a_.has_constant_stride && panel == first_panel_ &&
                      a_.pointers_per_row > 1;
    Microkernel<Tile> kernel = KernelFor(t_.columns);
    if (kernel.group > 1 && !IsAligned(t_, kernel.group)) kernel.tallest = 1;
    return kernel;
  }

  void RunTile(TileFunction run, size_t row, size_t rows) {
    t_.a.BeginTile(a_, row);
    t_.c = c_ + row * t_.ldc + column_;
    t_.residual =
        epilogue_.residual.data == nullptr
            ? nullptr
            : epilogue_.residual.floats() + row * t_.residual_stride + column_;
    run(t_);
    if (activate_ == nullptr) return;
    // Rows without gaps are one: no ends of rows to be made one by one.
    if (t_.columns == t_.ldc)
      activate_(epilogue_.activation, 1, rows * t_.ldc, t_.c, 0);
    else
      activate_(epilogue_.activation, rows, t_.columns, t_.c, t_.ldc);
  }

 private:
  const LeftRows& a_;
  const MatrixView& b_;
  const size_t first_panel_;
  const Epilogue& epilogue_;
  float* const c_;
  const ActivateFunction activate_;
  size_t column_ = 0;
  Tile t_;
};

void Block(const LeftRows& a, const MatrixView& b, size_t first_panel,
           size_t end_panel, const Epilogue& epilogue, float* c, size_t ldc) {
  Float32 format(a, b, first_panel, epilogue, c, ldc);
  WalkBlock(format, a.rows, first_panel, end_panel);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(FloatLanes);
HWY_EXPORT(PackedFloats);
HWY_EXPORT(PackPanels);
HWY_EXPORT(Block);

namespace {

size_t RunOf(const MatrixView& b) { return b.run == 0 ? b.k : b.run; }

}  // namespace

size_t PackedMatrixBytes(const MatrixView& s) {
  if (s.is_half()) return PackedHalfNumbers(s.k, s.n) * sizeof(uint16_t);
  return HWY_DYNAMIC_DISPATCH(PackedFloats)(s.k, s.n, RunOf(s)) * sizeof(float);
}

void PackMatrix(const float* b, const MatrixView& s, size_t k_stride,
                size_t n_stride, void* packed) {
  if (s.is_half()) {
    PackHalfMatrix(b, s.k, s.n, k_stride, n_stride,
                   static_cast<uint16_t*>(packed));
  } else {
    HWY_DYNAMIC_DISPATCH(PackPanels)
    (b, s.k, s.n, k_stride, n_stride, static_cast<float*>(packed), RunOf(s));
  }
}

MatrixView ColumnsOf(const MatrixView& b, size_t first, size_t count) {
  MatrixView columns = b;
  columns.n = count;
  if (b.is_half())
    columns.packed = b.halves() + HalfDepth(b.k) * first;
  else
    columns.packed = b.floats() + b.k * first;
  return columns;
}

Result<PackedMatrix> PackedMatrix::Pack(const float* b, size_t k, size_t n,
                                        size_t k_stride, size_t n_stride,
                                        Product product) {
  MatrixView view{nullptr, k, n};
  if (product == Product::kHalf && TakesHalfProduct(k)) view.product = product;
  size_t bytes = 0;
  if (!CheckedAdd(n, 63, &bytes) || !CheckedMultiply(bytes, k, &bytes) ||
      !CheckedMultiply(bytes, sizeof(float), &bytes)) {
    return OutOfMemory("a matrix of " + std::to_string(k) + " x " +
                       std::to_string(n) + " does not fit memory");
  }
  MUNJA_ASSIGN_OR_RETURN(Buffer buffer,
                         Buffer::Allocate(PackedMatrixBytes(view)));
  PackMatrix(b, view, k_stride, n_stride, buffer.data());
  view.packed = buffer.data();
  return PackedMatrix(std::move(buffer), view);
}

void MultiplyBlock(const LeftRows& a, const MatrixView& b, size_t first_panel,
                   size_t end_panel, const Epilogue& epilogue,
                   const MutableRowView& c) {
  if (b.is_half()) {
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
  const size_t rows = kTask / std::max<size_t>(1, k * n);
  return std::max<size_t>(RoundUp(std::max<size_t>(rows, 1), 12), 24);
}

namespace {

// Rows [row, end_row), a block of them at a time.
template <class T>
void MultiplyBlocks(const RowView& a, size_t row, size_t end_row,
                    const MatrixView& b, size_t panel, size_t end_panel,
                    const Epilogue& epilogue, const MutableRowView& c) {
  // A single panel need not be loaded for every block.
  const size_t block =
      b.is_half() && PanelCount(b.n) == 1 ? 8 * kGemmBlockRows : kGemmBlockRows;
  for (; row < end_row; row += block) {
    const size_t count = std::min(block, end_row - row);
    const T* first = static_cast<const T*>(a.data) + row * a.stride;
    MultiplyBlock(Indirection<T>{&first, count, 1, b.k, true, a.stride}, b,
                  panel, end_panel, EpilogueFrom(epilogue, row, 0, c.stride),
                  RowsFrom(c, row));
  }
}

template <class T>
void ShareOutRows(const RowView& a, size_t m, const MatrixView& b,
                  const Epilogue& epilogue, const MutableRowView& c,
                  ThreadPool& pool) {
  Partition split;
  split.rows = m;
  split.panels = PanelCount(b.n);
  split.panels_per_task = PanelsInCache(
      split.panels,
      b.k * b.n * (b.is_half() ? sizeof(uint16_t) : sizeof(float)));
  const size_t groups =
      (split.panels + split.panels_per_task - 1) / split.panels_per_task;
  split.rows_per_task = std::min(m, RowsPerTask(b.k, b.n / groups));
  ForEachTask(split, pool, [&](const PartitionTask& task, int /*worker*/) {
    MultiplyBlocks<T>(a, task.row, task.end_row, b, task.panel, task.end_panel,
                      epilogue, c);
  });
}

}  // namespace

void MultiplyRows(const RowView& a, size_t m, const MatrixView& b,
                  const Epilogue& epilogue, const MutableRowView& c) {
  if (a.is_half())
    MultiplyBlocks<uint16_t>(a, 0, m, b, 0, PanelCount(b.n), epilogue, c);
  else
    MultiplyBlocks<float>(a, 0, m, b, 0, PanelCount(b.n), epilogue, c);
}

void Gemm(const RowView& a, size_t m, const MatrixView& b,
          const Epilogue& epilogue, const MutableRowView& c, ThreadPool& pool) {
  if (m == 0 || b.n == 0) return;
  if (a.is_half())
    ShareOutRows<uint16_t>(a, m, b, epilogue, c, pool);
  else
    ShareOutRows<float>(a, m, b, epilogue, c, pool);
}

void Gemm(const float* a, size_t lda, size_t m, const MatrixView& b,
          const Epilogue& epilogue, float* c, size_t ldc, ThreadPool& pool) {
  Gemm(RowView(a, lda), m, b, epilogue, MutableRowView{c, ldc}, pool);
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
