// Blocks of a product of float16 matrices by FEAT_FP16: eight multiply-adds an
// instruction. Sums of kFloat16Run products are made in float16 and added up in
// float32.
#include "kernels/gemm/half_block.h"

#include "hwy/base.h"

// Clang before 16 has the functions only if -march allows them to all code.
#if HWY_ARCH_ARM_A64 && defined(__linux__) && \
    (!HWY_COMPILER_CLANG || HWY_COMPILER_CLANG >= 1600)

#include <arm_neon.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstring>

#include "kernels/elementwise/activation.h"
#include "kernels/gemm/block_walk.h"

namespace munja::kernels {
namespace {

#define MUNJA_FP16 __attribute__((target("arch=armv8.2-a+fp16")))
#define MUNJA_FP16_INLINE MUNJA_FP16 __attribute__((always_inline)) inline

constexpr size_t kLanes = 8;
// With two vectors of columns: 8 sums in float16 and 16 in float32 of the 32
// registers.
constexpr size_t kTileRows = 4;

// Arguments of one tile. Pointers begin at the tile's first row and column;
// sums are rows of kVectors * kLanes.
struct Tile {
  TileRows<uint16_t> a;
  const uint16_t* b;
  size_t panel_numbers;  // Panel stride.
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
  for (size_t piece = 0; piece < t.a.pointers_per_row; ++piece) {
    const uint16_t* a[kRows];
    if (!t.a.Find(piece, a)) {
      b += t.a.length * kLanes;
      continue;
    }
    for (size_t begin = 0; begin < t.a.length; begin += kFloat16Run) {
      const size_t end = std::min(begin + kFloat16Run, t.a.length);
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
constexpr auto kWideTiles =
    TilesOf<kTileRows>([](auto rows) { return &RunTile<rows, 2>; });
constexpr auto kNarrowTiles =
    TilesOf<kTileRows>([](auto rows) { return &RunTile<rows, 1>; });

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

// A row of sums with all that comes behind it, to where it belongs.
void Finish(const Epilogue& epilogue, const ClampBounds& clamp, size_t row,
            size_t column, size_t columns, float* sums,
            const MutableRowView& c) {
  if (epilogue.bias != nullptr)
    for (size_t i = 0; i < columns; ++i) sums[i] += epilogue.bias[column + i];
  if (epilogue.residual.data != nullptr) {
    const size_t at = row * epilogue.residual.stride + column;
    float wide[2 * kLanes];
    const auto* residual =
        static_cast<const float*>(epilogue.residual.data) + at;
    if (epilogue.residual.is_half()) {
      Widen(static_cast<const uint16_t*>(epilogue.residual.data) + at, columns,
            wide);
      residual = wide;
    }
    for (size_t i = 0; i < columns; ++i) sums[i] += residual[i];
  }
  if (!clamp.is_whole_activation) {
    Activate(epilogue.activation, sums, columns, sums);
  } else if (clamp.is_active) {
    // NaN is kept.
    for (size_t i = 0; i < columns; ++i) {
      sums[i] = sums[i] < clamp.low ? clamp.low : sums[i];
      sums[i] = sums[i] > clamp.high ? clamp.high : sums[i];
    }
  }
  const size_t at = row * c.stride + column;
  if (c.is_half()) {
    Round(sums, columns, static_cast<uint16_t*>(c.data) + at);
  } else {
    std::memcpy(static_cast<float*>(c.data) + at, sums,
                columns * sizeof(float));
  }
}

// The format float16 of block_walk.h.
class Float16 : public FinishedTiles {
 public:
  Float16(const HalfLeftRows& a, const MatrixView& b, size_t end_panel,
          const Epilogue& epilogue, const MutableRowView& c)
      : a_(a),
        b_(b),
        end_panel_(end_panel),
        epilogue_(epilogue),
        c_(c),
        clamp_(ClampOf(epilogue.activation.kind)) {
    t_.a.BeginBlock(a);
    t_.sums = sums_;
    t_.panel_numbers = HalfDepth(b.k) * kLanes;
  }

  // Two panels at once where there are two.
  Microkernel<Tile> BeginPanel(size_t panel) {
    column_ = panel * kLanes;
    t_.b = b_.halves() + panel * t_.panel_numbers;
    Microkernel<Tile> kernel = {kNarrowTiles.data(), kTileRows, kLanes};
    if (panel + 1 < end_panel_) {
      kernel = {kWideTiles.data(), kTileRows, 2 * kLanes};
      kernel.panels = 2;
    }
    width_ = kernel.columns;
    columns_ = std::min(b_.n - column_, width_);
    return kernel;
  }

  void RunTile(TileFunction run, size_t row, size_t rows) {
    t_.a.BeginTile(a_, row);
    run(t_);
    for (size_t r = 0; r < rows; ++r) {
      Finish(epilogue_, clamp_, row + r, column_, columns_, sums_ + r * width_,
             c_);
    }
  }

 private:
  const HalfLeftRows& a_;
  const MatrixView& b_;
  const size_t end_panel_;
  const Epilogue& epilogue_;
  const MutableRowView& c_;
  const ClampBounds clamp_;
  size_t column_ = 0, columns_ = 0, width_ = 0;
  Tile t_;
  alignas(16) float sums_[kTileRows * 2 * kLanes];
};

void Multiply(const HalfLeftRows& a, const MatrixView& b, size_t first_panel,
              size_t end_panel, const Epilogue& epilogue,
              const MutableRowView& c) {
  Float16 format(a, b, end_panel, epilogue, c);
  WalkBlock(format, a.rows, first_panel, end_panel);
}

constexpr HalfBlockFunctions kFunctions = {ElementType::kFloat16,
                                           {kLanes, kLanes, 1, false},
                                           Multiply,
                                           Round,
                                           Widen,
                                           nullptr};

}  // namespace

const HalfBlockFunctions* ArmHalfBlock() {
  // Bits of <asm/hwcap.h>: scalar and vector arithmetic of float16.
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
