#include "kernels/gemm/half_gemm.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/half_gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/gemm/half_block.h"
#include "tensor/half.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

// The CPU's functions where they extend the instructions in use; null
// where there are none.
const HalfBlockFunctions* FunctionsOfTarget() {
  for (const HalfKernel& kernel : kHalfKernels) {
    if (kernel.target != HWY_TARGET) continue;
    if (const auto* const functions = kernel.find()) return functions;
  }
  return nullptr;
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

HWY_EXPORT(FunctionsOfTarget);

const HalfBlockFunctions* Functions() {
  return HWY_DYNAMIC_DISPATCH(FunctionsOfTarget)();
}

// Maximum memory of LHS rows that are rounded at a time.
constexpr size_t kRoundedNumbers = size_t{1} << 14;
static_assert(4 * kMaxHalfDepth <= kRoundedNumbers);
constexpr size_t kAligned = 32;  // Numbers of a cache line.
constexpr size_t kMaxSharedPieces = 16;

// Rows in whole register tiles where more than one fits.
size_t WholeTiles(size_t rows) {
  constexpr size_t kTileRows = 12;
  return rows < kTileRows ? rows : rows / kTileRows * kTileRows;
}

// Where the windows of a convolution overlap, their pieces are rounded
// together, each number once: so many rows fit. 0 where they do not overlap, or
// pairs of numbers would begin at odd places, or groups within two pieces.
size_t SharedBlockRows(const LeftRows& a, size_t group) {
  if (!a.has_constant_stride || a.step > a.length || a.step % 2 != 0 ||
      a.length % group != 0 || a.pointers_per_row == 0 ||
      a.pointers_per_row > kMaxSharedPieces || a.step == 0)
    return 0;
  const size_t room =
      kRoundedNumbers / a.pointers_per_row / kAligned * kAligned;
  if (room < a.length) return 0;
  return WholeTiles(std::min(kGemmBlockRows, (room - a.length) / a.step + 1));
}

// Rows [first, first + count) one after the other, each rounded to
// HalfDepth(pointers_per_row * length) numbers.
void RoundRows(const LeftRows& rows, size_t first, size_t count,
               uint16_t* out) {
  const auto round = Functions()->round;
  const size_t pieces = rows.pointers_per_row;
  const size_t k = pieces * rows.length;
  if (rows.has_constant_stride && pieces == 1 && rows.step == k && k % 2 == 0 &&
      rows.pieces[0] != nullptr) {
    round(rows.pieces[0] + first * k, count * k, out);
    return;
  }
  for (size_t r = first; r < first + count; ++r) {
    for (size_t i = 0; i < pieces; ++i, out += rows.length) {
      if (!rows.has_constant_stride) {
        round(rows.pieces[r * pieces + i], rows.length, out);
      } else if (rows.pieces[i] != nullptr) {
        round(rows.pieces[i] + r * rows.step, rows.length, out);
      } else {
        std::fill_n(out, rows.length, uint16_t{0});
      }
    }
    if (k % 2 != 0) *out++ = 0;
  }
}

}  // namespace

ElementType HalfTypeInUse() {
  const HalfBlockFunctions* functions = Functions();
  return functions == nullptr ? ElementType::kFloat32 : functions->format;
}

const char* HalfTypeName(ElementType format) {
  if (format == ElementType::kBFloat16) return "bf16";
  return format == ElementType::kFloat16 ? "fp16" : "";
}

bool TakesHalfProduct(size_t k) {
  return k > 0 && k <= kMaxHalfDepth && Functions() != nullptr;
}

size_t PackedHalfNumbers(size_t k, size_t n) {
  const HalfLayout& layout = Functions()->layout;
  const size_t left = n % layout.panel;
  return HalfDepth(k) *
         (n - left + (left == 0 ? 0 : PanelOf(layout, k, left).width));
}

void PackHalfMatrix(const float* b, size_t k, size_t n, size_t k_stride,
                    size_t n_stride, uint16_t* packed) {
  const HalfBlockFunctions& functions = *Functions();
  const HalfLayout& layout = functions.layout;
  for (size_t first = 0; first < n; first += layout.panel) {
    const HalfPanel panel = PanelOf(layout, k, n - first);
    const size_t step = layout.pair * panel.group;
    for (size_t row = 0; row < HalfDepth(k); row += step) {
      for (size_t column = first; column < first + panel.width; ++column) {
        for (size_t i = row; i < row + step; ++i) {
          const float x =
              column < n && i < k ? b[i * k_stride + column * n_stride] : 0.0f;
          *packed++ = reference::RoundToHalf(functions.format, x);
        }
      }
    }
  }
}

void MultiplyBlock(const HalfLeftRows& a, const MatrixView& b,
                   size_t first_panel, size_t end_panel,
                   const Epilogue& epilogue, const MutableRowView& c) {
  Functions()->multiply(a, b, first_panel, end_panel,
                        EpilogueFrom(epilogue, 0, 0, c.stride), c);
}

void MultiplyRounded(const LeftRows& a, const MatrixView& b, size_t first_panel,
                     size_t end_panel, const Epilogue& epilogue,
                     const MutableRowView& c) {
  // Rows that are rounded at once stay in the first-level cache.
  alignas(64) uint16_t rounded[kRoundedNumbers];
  const HalfBlockFunctions& functions = *Functions();
  const size_t panel = functions.layout.panel;
  const size_t last = b.n % panel == 0 ? panel : b.n % panel;
  const size_t shared =
      SharedBlockRows(a, 2 * PanelOf(functions.layout, b.k, last).group);
  const size_t depth = HalfDepth(b.k);
  const size_t block =
      shared > 0 ? shared : WholeTiles(kRoundedNumbers / depth);
  const uint16_t* pieces[kMaxSharedPieces];
  for (size_t row = 0; row < a.rows; row += block) {
    const size_t count = std::min(block, a.rows - row);
    HalfLeftRows left{pieces, count, 1, depth, true, depth};
    if (shared > 0) {
      const size_t numbers = (count - 1) * a.step + a.length;
      uint16_t* to = rounded;
      for (size_t i = 0; i < a.pointers_per_row; ++i) {
        pieces[i] = nullptr;
        if (a.pieces[i] == nullptr) continue;
        functions.round(a.pieces[i] + row * a.step, numbers, to);
        pieces[i] = to;
        to += RoundUp(numbers, kAligned);
      }
      left = {pieces, count, a.pointers_per_row, a.length, true, a.step};
    } else {
      RoundRows(a, row, count, rounded);
      pieces[0] = rounded;
    }
    functions.multiply(left, b, first_panel, end_panel,
                       EpilogueFrom(epilogue, row, 0, c.stride),
                       RowsFrom(c, row));
  }
}

const HalfBlockFunctions* HalfBlockInUse() { return Functions(); }

void RoundToHalf(const float* in, size_t count, uint16_t* out) {
  Functions()->round(in, count, out);
}

void WidenHalf(const uint16_t* in, size_t count, float* out) {
  Functions()->widen(in, count, out);
}

namespace reference {

uint16_t RoundToHalf(ElementType format, float x) {
  if (format == ElementType::kFloat16) return FloatToHalf(x);
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>((bits >> 16) | 0x40u);  // A quiet NaN.
  if (magnitude < 0x00800000u) return sign;
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float WidenHalf(ElementType format, uint16_t x) {
  if (format == ElementType::kFloat16) return HalfToFloat(x);
  return std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
}

void HalfGemm(ElementType format, const float* a, size_t lda, size_t m,
              const float* b, size_t k, size_t n, size_t k_stride,
              size_t n_stride, const Epilogue& epilogue, float* c, size_t ldc) {
  const auto rounded = [format](float x) {
    return double{WidenHalf(format, RoundToHalf(format, x))};
  };
  for (size_t row = 0; row < m; ++row) {
    for (size_t column = 0; column < n; ++column) {
      double sum = epilogue.bias == nullptr ? 0.0 : epilogue.bias[column];
      for (size_t i = 0; i < k; ++i) {
        sum += rounded(a[row * lda + i]) *
               rounded(b[i * k_stride + column * n_stride]);
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
