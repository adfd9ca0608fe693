// Blocks of a product of float16 matrices by FEAT_FP16: eight multiply-adds an
// instruction. Sums of kFloat16Run products are made in float16 and added up in
// float32.
#include "kernels/gemm/half_block.h"

#include "hwy/base.h"

#if HWY_ARCH_ARM_A64 && defined(__linux__)

#include <arm_neon.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kernels/elementwise/activation.h"

namespace munja::kernels {
namespace {

#define MUNJA_FP16 __attribute__((target("arch=armv8.2-a+fp16")))
#define MUNJA_FP16_INLINE MUNJA_FP16 __attribute__((always_inline)) inline

constexpr size_t kLanes = 8;
// With two vectors of columns: 8 sums in float16 and 16 in float32 of the 32
// registers.
constexpr size_t kTileRows = 4;

// What one tile needs. Pointers begin at the tile's first row and column; sums
// are rows of kVectors * kLanes.
struct Tile {
  const uint16_t* const* pieces;
  size_t pointers_per_row, length;
  bool has_constant_stride;
  size_t step, offset;  // Of the tile's first row from that of the block.
  const uint16_t* b;
  size_t panel_numbers;  // From a panel to the next one.
  float* sums;
};

MUNJA_FP16_INLINE float16x8_t LoadHalves(const uint16_t* p) {
  return vreinterpretq_f16_u16(vld1q_u16(p));
}

template <size_t kRows, size_t kVectors>
MUNJA_FP16 void RunTile(const Tile& t) {
  float32x4_t sum[kRows][2 * kVectors];
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < 2 * kVectors; ++v) sum[r][v] = vdupq_n_f32(0.0f);
  }
  const uint16_t* b = t.b;
  for (size_t piece = 0; piece < t.pointers_per_row; ++piece) {
    const uint16_t* a[kRows];
    if (t.has_constant_stride) {
      if (t.pieces[piece] == nullptr) {
        b += t.length * kLanes;
        continue;
      }
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r)
        a[r] = t.pieces[piece] + t.offset + r * t.step;
    } else {
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r)
        a[r] = t.pieces[r * t.pointers_per_row + piece];
    }
    for (size_t begin = 0; begin < t.length; begin += kFloat16Run) {
      const size_t end = std::min(begin + kFloat16Run, t.length);
      float16x8_t run[kRows][kVectors];
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v)
          run[r][v] = vreinterpretq_f16_u16(vdupq_n_u16(0));
      }
      for (size_t i = begin; i < end; ++i) {
        float16x8_t row[kVectors];
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v)
          row[v] = LoadHalves(b + v * t.panel_numbers);
        HWY_UNROLL(4)
        for (size_t r = 0; r < kRows; ++r) {
          const float16x8_t x = vreinterpretq_f16_u16(vld1q_dup_u16(a[r] + i));
          HWY_UNROLL(2)
          for (size_t v = 0; v < kVectors; ++v)
            run[r][v] = vfmaq_f16(run[r][v], x, row[v]);
        }
        b += kLanes;
      }
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v) {
          sum[r][2 * v] =
              vaddq_f32(sum[r][2 * v], vcvt_f32_f16(vget_low_f16(run[r][v])));
          sum[r][2 * v + 1] =
              vaddq_f32(sum[r][2 * v + 1], vcvt_high_f32_f16(run[r][v]));
        }
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < 2 * kVectors; ++v)
      vst1q_f32(t.sums + (r * 2 * kVectors + v) * 4, sum[r][v]);
  }
}

using TileFunction = void (*)(const Tile&);
template <size_t kVectors, size_t... kRowsMinusOne>
constexpr std::array<TileFunction, sizeof...(kRowsMinusOne)> Tiles(
    std::index_sequence<kRowsMinusOne...>) {
  return {&RunTile<kRowsMinusOne + 1, kVectors>...};
}
constexpr auto kWideTiles = Tiles<2>(std::make_index_sequence<kTileRows>());
constexpr auto kNarrowTiles = Tiles<1>(std::make_index_sequence<kTileRows>());

MUNJA_FP16 void Round(const float* in, size_t count, uint16_t* out) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const float16x8_t halves = vcvt_high_f16_f32(
        vcvt_f16_f32(vld1q_f32(in + i)), vld1q_f32(in + i + 4));
    vst1q_u16(out + i, vreinterpretq_u16_f16(halves));
  }
  if (i == count) return;
  float rest[kLanes] = {};
  uint16_t rounded[kLanes];
  std::memcpy(rest, in + i, (count - i) * sizeof(float));
  Round(rest, kLanes, rounded);
  std::memcpy(out + i, rounded, (count - i) * sizeof(uint16_t));
}

MUNJA_FP16 void Widen(const uint16_t* in, size_t count, float* out) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const float16x8_t halves = LoadHalves(in + i);
    vst1q_f32(out + i, vcvt_f32_f16(vget_low_f16(halves)));
    vst1q_f32(out + i + 4, vcvt_high_f32_f16(halves));
  }
  if (i == count) return;
  uint16_t rest[kLanes] = {};
  float wide[kLanes];
  std::memcpy(rest, in + i, (count - i) * sizeof(uint16_t));
  Widen(rest, kLanes, wide);
  std::memcpy(out + i, wide, (count - i) * sizeof(float));
}

void RoundRows(const LeftRows& rows, size_t first, size_t count,
               uint16_t* out) {
  const size_t pieces = rows.pointers_per_row;
  for (size_t r = first; r < first + count; ++r) {
    for (size_t i = 0; i < pieces; ++i, out += rows.length) {
      if (!rows.has_constant_stride) {
        Round(rows.pieces[r * pieces + i], rows.length, out);
      } else if (rows.pieces[i] != nullptr) {
        Round(rows.pieces[i] + r * rows.step, rows.length, out);
      } else {
        std::memset(out, 0, rows.length * sizeof *out);
      }
    }
    if (pieces * rows.length % 2 != 0) *out++ = 0;
  }
}

// A row of sums with all that comes behind it, to where it belongs.
void Finish(const Epilogue& epilogue, const ClampBounds& clamp, size_t row,
            size_t column, size_t columns, float* sums, const MixedOutput& c) {
  if (epilogue.bias != nullptr)
    for (size_t i = 0; i < columns; ++i) sums[i] += epilogue.bias[column + i];
  if (epilogue.residual.data != nullptr) {
    const size_t at = row * epilogue.residual.stride + column;
    float wide[2 * kLanes];
    const auto* residual =
        static_cast<const float*>(epilogue.residual.data) + at;
    if (epilogue.residual.is_half) {
      Widen(static_cast<const uint16_t*>(epilogue.residual.data) + at, columns,
            wide);
      residual = wide;
    }
    for (size_t i = 0; i < columns; ++i) sums[i] += residual[i];
  }
  if (!clamp.is_whole_activation) {
    Activate(epilogue.activation, sums, columns, sums);
  } else if (clamp.is_active) {
    // Not a number stays what it is.
    for (size_t i = 0; i < columns; ++i) {
      sums[i] = sums[i] < clamp.low ? clamp.low : sums[i];
      sums[i] = sums[i] > clamp.high ? clamp.high : sums[i];
    }
  }
  const size_t at = row * c.stride + column;
  if (c.is_half) {
    Round(sums, columns, static_cast<uint16_t*>(c.data) + at);
  } else {
    std::memcpy(static_cast<float*>(c.data) + at, sums,
                columns * sizeof(float));
  }
}

void Multiply(const HalfLeftRows& a, const MatrixView& b, size_t first_panel,
              size_t end_panel, const Epilogue& epilogue,
              const MixedOutput& c) {
  alignas(16) float sums[kTileRows * 2 * kLanes];
  const ClampBounds clamp = ClampOf(epilogue.activation.kind);
  Tile t;
  t.pointers_per_row = a.pointers_per_row;
  t.length = a.length;
  t.has_constant_stride = a.has_constant_stride;
  t.step = a.step;
  t.sums = sums;
  t.panel_numbers = HalfDepth(b.k) * kLanes;
  // Two panels at once where there are two.
  for (size_t panel = first_panel; panel < end_panel;) {
    const size_t panels = std::min<size_t>(end_panel - panel, 2);
    const size_t column = panel * kLanes, width = panels * kLanes;
    const size_t columns = std::min(b.n - column, width);
    const auto& functions = panels == 2 ? kWideTiles : kNarrowTiles;
    t.b = b.halves + panel * t.panel_numbers;
    for (size_t row = 0; row < a.rows; row += kTileRows) {
      const size_t rows = std::min(a.rows - row, kTileRows);
      t.pieces = a.has_constant_stride ? a.pieces
                                       : a.pieces + row * a.pointers_per_row;
      t.offset = row * a.step;
      functions[rows - 1](t);
      for (size_t r = 0; r < rows; ++r)
        Finish(epilogue, clamp, row + r, column, columns, sums + r * width, c);
    }
    panel += panels;
  }
}

constexpr HalfBlockFunctions kFunctions = {HalfFormat::kFloat16,
                                           {kLanes, kLanes, 1, false},
                                           Multiply,
                                           RoundRows,
                                           Round,
                                           Widen,
                                           nullptr};

}  // namespace

const HalfBlockFunctions* ArmHalfBlock() {
  // Of <asm/hwcap.h>: arithmetic of float16 by itself and in vectors.
  constexpr unsigned long kFloat16 = 1ul << 9, kVectors = 1ul << 10;
  static const bool is_there =
      (getauxval(AT_HWCAP) & (kFloat16 | kVectors)) == (kFloat16 | kVectors);
  return is_there ? &kFunctions : nullptr;
}

}  // namespace munja::kernels

#else

namespace munja::kernels {
const HalfBlockFunctions* ArmHalfBlock() { return nullptr; }
}  // namespace munja::kernels

#endif  // HWY_ARCH_ARM_A64
