#include "kernels/int_gemm.h"

#include <array>
#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int_gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Heights of the register tile; see gemm.cc. Where a multiplication of pairs
// leaves two partial sums (NEON), each of them takes a register.
#if HWY_TARGET == HWY_AVX3
constexpr size_t kWideRows = 12;
constexpr size_t kNarrowRows = 12;
#elif HWY_ARCH_ARM_A64
constexpr size_t kWideRows = 6;
constexpr size_t kNarrowRows = 8;
#else
constexpr size_t kWideRows = 6;
constexpr size_t kNarrowRows = 12;
#endif

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
size_t IntLanes() { return 4; }
#else
size_t IntLanes() { return hn::Lanes(hn::ScalableTag<int32_t>()); }
#endif
constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(int32_t);

// Columns of the panel that begins `left` columns before the end.
size_t IntPanelWidth(size_t left) {
  return left > IntLanes() ? 2 * IntLanes() : IntLanes();
}

size_t PackedElements(size_t k, size_t n) {
  const size_t full = 2 * IntLanes(), left = n % full;
  return PaddedDepth(k) * (n - left + (left == 0 ? 0 : IntPanelWidth(left)));
}

void PackPanels(const int16_t* b, size_t k, size_t n, size_t k_stride,
                size_t n_stride, int16_t* packed) {
  for (size_t first = 0; first < n; first += 2 * IntLanes()) {
    const size_t width = IntPanelWidth(n - first);
    const size_t valid = HWY_MIN(width, n - first);
    for (size_t row = 0; row < k; row += 2) {
      const int16_t* from = b + row * k_stride + first * n_stride;
      const bool has_second = row + 1 < k;
      for (size_t i = 0; i < width; ++i) {
        const bool is_valid = i < valid;
        packed[2 * i] = is_valid ? from[i * n_stride] : int16_t{0};
        packed[2 * i + 1] =
            is_valid && has_second ? from[k_stride + i * n_stride] : int16_t{0};
      }
      packed += 2 * width;
    }
  }
}

// sums[r * width + c] of kRows rows and one panel, over `pairs` pairs of
// depth.
template <size_t kRows, size_t kVectors>
void RunIntTile(const int16_t* a, size_t lda, const int16_t* b, size_t pairs,
                int32_t* sums) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  const size_t width = kVectors * IntLanes();
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t c = 0; c < width; ++c) {
      uint32_t sum = 0;  // Wraps.
      for (size_t i = 0; i < 2 * pairs; ++i)
        sum += static_cast<uint32_t>(int32_t{a[r * lda + i]} *
                                     b[(i / 2 * width + c) * 2 + i % 2]);
      sums[r * width + c] = static_cast<int32_t>(sum);
    }
  }
#else
  const hn::ScalableTag<int32_t> d;
  const hn::Repartition<int16_t, decltype(d)> pair_tag;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  // The second sums stay 0 where pairs are added by the instruction.
  V sum0[kRows][kVectors], sum1[kRows][kVectors];
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) sum0[r][v] = sum1[r][v] = hn::Zero(d);
  }
  for (size_t i = 0; i < pairs; ++i) {
    hn::Vec<decltype(pair_tag)> row[kVectors];
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v)
      row[v] = hn::Load(pair_tag, b + 2 * v * lanes);
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      int32_t pair;
      std::memcpy(&pair, a + r * lda + 2 * i, sizeof(pair));
      const auto x = hn::BitCast(pair_tag, hn::Set(d, pair));
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) {
        sum0[r][v] =
            hn::ReorderWidenMulAccumulate(d, x, row[v], sum0[r][v], sum1[r][v]);
      }
    }
    b += 2 * kVectors * lanes;
  }
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      hn::Store(hn::RearrangeToOddPlusEven(sum0[r][v], sum1[r][v]), d,
                sums + (r * kVectors + v) * lanes);
    }
  }
#endif
}

using TileFunction = void (*)(const int16_t*, size_t, const int16_t*, size_t,
                              int32_t*);
template <size_t kVectors, size_t... kRowsMinusOne>
constexpr std::array<TileFunction, sizeof...(kRowsMinusOne)> IntTiles(
    std::index_sequence<kRowsMinusOne...>) {
  return {&RunIntTile<kRowsMinusOne + 1, kVectors>...};
}
constexpr auto kWideIntTiles =
    IntTiles<2>(std::make_index_sequence<kWideRows>());
constexpr auto kNarrowIntTiles =
    IntTiles<1>(std::make_index_sequence<kNarrowRows>());

// 255 pairs of int16 times [-128, 127] (or 255 times 255) never wrap 32 bits.
constexpr size_t kExactPairs = 255;

void Block(const int16_t* a, size_t lda, size_t rows, const IntMatrixView& b,
           size_t first_panel, size_t end_panel, size_t column,
           const RowTarget* targets, const OutputStage& stage) {
  HWY_ALIGN int32_t sums[12 * 2 * kMaxLanes];
  const size_t lanes = IntLanes();
  const size_t pairs = PaddedDepth(b.k) / 2;
  for (size_t panel = first_panel; panel < end_panel; ++panel) {
    const size_t first = panel * 2 * lanes;
    const size_t columns = HWY_MIN(b.n - first, 2 * lanes);
    const size_t width = IntPanelWidth(columns);
    const int16_t* packed = b.packed + 2 * pairs * first;
    const bool is_wide = width > lanes;
    const TileFunction* functions =
        is_wide ? kWideIntTiles.data() : kNarrowIntTiles.data();
    const size_t tallest = is_wide ? kWideRows : kNarrowRows;
    const size_t tiles = (rows + tallest - 1) / tallest;
    for (size_t i = 0, row = 0; i < tiles; ++i) {
      const size_t height = (rows - row) / (tiles - i);
      const TileFunction run = functions[height - 1];
      const int16_t* left = a + row * lda;
      if (!stage.is_wide || pairs <= kExactPairs) {
        run(left, lda, packed, pairs, sums);
        StoreSums(stage, sums, width, targets + row, height, column + first,
                  columns);
      } else {
        int64_t totals[12 * 2 * kMaxLanes] = {};
        for (size_t p = 0; p < pairs; p += kExactPairs) {
          run(left + 2 * p, lda, packed + 2 * p * width,
              HWY_MIN(kExactPairs, pairs - p), sums);
          for (size_t s = 0; s < height * width; ++s) totals[s] += sums[s];
        }
        StoreSums(stage, totals, width, targets + row, height, column + first,
                  columns);
      }
      row += height;
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(IntLanes);
HWY_EXPORT(PackedElements);
HWY_EXPORT(PackPanels);
HWY_EXPORT(Block);

size_t PackedIntElements(size_t k, size_t n) {
  return HWY_DYNAMIC_DISPATCH(PackedElements)(k, n);
}

void PackIntMatrix(const int16_t* b, size_t k, size_t n, size_t k_stride,
                   size_t n_stride, int16_t* packed) {
  HWY_DYNAMIC_DISPATCH(PackPanels)(b, k, n, k_stride, n_stride, packed);
}

size_t IntPanelCount(size_t n) {
  const size_t width = 2 * HWY_DYNAMIC_DISPATCH(IntLanes)();
  return (n + width - 1) / width;
}

void MultiplyIntBlock(const int16_t* a, size_t lda, size_t rows,
                      const IntMatrixView& b, size_t first_panel,
                      size_t end_panel, size_t column, const RowTarget* targets,
                      const OutputStage& stage) {
  HWY_DYNAMIC_DISPATCH(Block)
  (a, lda, rows, b, first_panel, end_panel, column, targets, stage);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
