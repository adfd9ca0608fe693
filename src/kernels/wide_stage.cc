// Sums of 32 bits and biases of a few more have 35 bits together, multipliers
// 15: their product is exact in double precision, and so is one half more of
// it wherever that can decide how it is rounded.
#include "kernels/wide_stage.h"

#include <algorithm>
#include <bit>

#include "kernels/fixed_point.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/wide_stage.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

namespace munja::kernels {
#ifndef MUNJA_KERNELS_WIDE_STAGE_ONCE
#define MUNJA_KERNELS_WIDE_STAGE_ONCE

// Columns at once.
inline constexpr size_t kWideColumns = 64;

// What becomes of the sums of some columns, of which there are kWideColumns
// whatever their number.
struct WideColumns {
  double bias[kWideColumns], scale[kWideColumns];
};

#endif  // MUNJA_KERNELS_WIDE_STAGE_ONCE
}  // namespace munja::kernels

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || \
    (HWY_TARGET == HWY_NEON && !HWY_ARCH_ARM_A64)
// Vectors have no double precision.
bool WideRows(const OutputStage&, const WideColumns&, const int32_t*, size_t,
              const RowTarget*, size_t, size_t, size_t) {
  return false;
}
#else

// floor(x), |x| < 2^51, modulo 2^32 in the lower half of each lane: doubles
// above 2^52 are whole numbers with the last bit worth 1.
template <class D>
HWY_INLINE hn::Vec<hn::Repartition<int32_t, D>> FloorBits(D d, hn::Vec<D> x) {
  const hn::Repartition<int32_t, D> d32;
  const auto base = hn::Set(d, 0x1.8p52);
#if HWY_TARGET == HWY_AVX3
  return hn::BitCast(
      d32, hn::Vec<D>{_mm512_add_round_pd(
               x.raw, base.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)});
#else
  return hn::BitCast(d32, hn::Add(hn::Floor(x), base));
#endif
}

bool WideRows(const OutputStage& s, const WideColumns& c, const int32_t* sums,
              size_t stride, const RowTarget* targets, size_t rows,
              size_t column, size_t columns) {
  const hn::ScalableTag<int32_t> d;
  const hn::Half<decltype(d)> half;
  const hn::Rebind<double, decltype(half)> reals;
  const hn::Rebind<int16_t, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d), half_lanes = hn::Lanes(half);
  const auto zero = hn::Set(d, s.zero), low = hn::Set(d, s.low),
             high = hn::Set(d, s.high);
  const auto point_five = hn::Set(reals, 0.5);
  HWY_ALIGN int32_t last[HWY_MAX_BYTES / sizeof(int32_t)] = {};
  HWY_ALIGN int16_t stored[HWY_MAX_BYTES / sizeof(int32_t)];
  for (size_t i = 0; i < columns; i += lanes) {
    const size_t count = HWY_MIN(lanes, columns - i);
    const auto bias0 = hn::LoadU(reals, c.bias + i),
               bias1 = hn::LoadU(reals, c.bias + i + half_lanes),
               scale0 = hn::LoadU(reals, c.scale + i),
               scale1 = hn::LoadU(reals, c.scale + i + half_lanes);
    const auto scaled = [&](const int32_t* from, auto bias,
                            auto scale) HWY_ATTR {
      const auto x = hn::PromoteTo(reals, hn::LoadU(half, from));
      return FloorBits(reals, hn::MulAdd(hn::Add(x, bias), scale, point_five));
    };
    for (size_t r = 0; r < rows; ++r) {
      const int32_t* from = sums + r * stride + i;
      if (count < lanes) {
        for (size_t k = 0; k < count; ++k) last[k] = from[k];
        from = last;
      }
      const auto v = hn::ConcatEven(d, scaled(from + half_lanes, bias1, scale1),
                                    scaled(from, bias0, scale0));
      const auto x =
          hn::DemoteTo(narrow, hn::Min(hn::Max(hn::Add(v, zero), low), high));
      int16_t* to =
          static_cast<int16_t*>(s.out) + targets[r].offset + column + i;
      if (count == lanes) {
        hn::StoreU(x, narrow, to);
      } else {
        hn::Store(x, narrow, stored);
        for (size_t k = 0; k < count; ++k) to[k] = stored[k];
      }
    }
  }
  return true;
}
#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(WideRows);

namespace {

// 2^exponent; exponents below -100, which leave nothing of a sum, as that.
double PowerOfTwo(int32_t exponent) {
  return std::bit_cast<double>(
      static_cast<uint64_t>(std::clamp(exponent, -100, 100) + 1023) << 52);
}

}  // namespace

bool StoreWideSums(const OutputStage& s, const int32_t* sums, size_t stride,
                   const RowTarget* targets, size_t rows, size_t column,
                   size_t columns) {
  constexpr int64_t kMostBias = int64_t{1} << 33;
  WideColumns c = {};
  for (size_t i = 0; i < columns; i += kWideColumns) {
    const size_t count = std::min(kWideColumns, columns - i);
    bool is_large = false;
    for (size_t k = 0; k < count; ++k) {
      const size_t at = column + i + k;
      const int64_t bias = s.wide_bias != nullptr ? s.wide_bias[at]
                           : s.bias != nullptr    ? s.bias[at]
                                                  : 0;
      const Multiplier m{s.mantissas[at], s.exponents[at]};
      is_large |= bias > kMostBias || bias < -kMostBias || m.exponent > 14;
      c.bias[k] = static_cast<double>(bias);
      c.scale[k] = WideMantissa(m) * PowerOfTwo(m.exponent - 15);
    }
    if (is_large) return false;
    if (!HWY_DYNAMIC_DISPATCH(WideRows)(s, c, sums + i, stride, targets, rows,
                                        column + i, count))
      return false;
  }
  return true;
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
