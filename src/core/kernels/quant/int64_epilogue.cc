// Sums of 32 bits and biases of a few more have 35 bits together, multipliers
// 15: their product is exact in double precision, and so is one half more of
// it wherever that can decide how it is rounded.
#include "kernels/quant/int64_epilogue.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/int64_epilogue.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/quant/int16_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || !HWY_HAVE_FLOAT64
// Vectors have no double precision.
bool WideRows(const IntEpilogue&, const int32_t*, size_t, const RowTarget*,
              size_t, size_t, size_t) {
  return false;
}
#else

using D = hn::ScalableTag<int32_t>;
using HalfD = hn::Half<D>;
using RealD = hn::Rebind<double, HalfD>;
using Real = hn::Vec<RealD>;

// floor(x), |x| < 2^51, modulo 2^32 in the lower half of each lane: doubles
// above 2^52 are integers with the last bit worth 1.
HWY_INLINE hn::Vec<D> FloorBits(Real x) {
  const RealD reals;
  const auto base = hn::Set(reals, 0x1.8p52);
#if HWY_TARGET == HWY_AVX3
  return hn::BitCast(
      D(), Real{_mm512_add_round_pd(
               x.raw, base.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)});
#else
  return hn::BitCast(D(), hn::Add(hn::Floor(x), base));
#endif
}

// A vector of columns: the multipliers of its two halves, and their biases.
struct WideColumns {
  // Not left to the compiler, which would make it for no target.
  HWY_INLINE WideColumns() {}
  Real scale[2], bias[2];
  bool is_large = false;  // Double precision might not be exact.
};

// `count` columns from `column` on.
template <bool kHasBias>
WideColumns LoadColumns(const IntEpilogue& s, size_t column, size_t count) {
  const D d;
  const HalfD half;
  const RealD reals;
  const hn::Repartition<int64_t, RealD> bits;
  const bool is_full = count == hn::Lanes(d);
  const auto load = [&](const int32_t* from) HWY_ATTR {
    return is_full ? hn::LoadU(d, from + column)
                   : LoadTail(d, from + column, count);
  };
  WideColumns out;
  const auto mantissa = load(s.mantissas), exponent = load(s.exponents);
  out.is_large = !hn::AllTrue(d, hn::Lt(exponent, hn::Set(d, 15)));
  const auto cut = CutMantissas(d, mantissa);
  // Exponents below that leave nothing of a sum.
  const auto power =
      hn::Add(hn::Max(exponent, hn::Set(d, -100)), hn::Set(d, 1023 - 15));
  const auto scale = [&](auto m, auto p) HWY_ATTR {
    const auto two =
        hn::BitCast(reals, hn::ShiftLeft<52>(hn::PromoteTo(bits, p)));
    return hn::Mul(hn::PromoteTo(reals, m), two);
  };
  out.scale[0] = scale(hn::LowerHalf(half, cut), hn::LowerHalf(half, power));
  out.scale[1] = scale(hn::UpperHalf(half, cut), hn::UpperHalf(half, power));
  if constexpr (kHasBias) {
    constexpr int64_t kMost = int64_t{1} << 33;
    HWY_ALIGN double biases[HWY_MAX_BYTES / sizeof(int32_t)] = {};
    for (size_t i = 0; i < count; ++i) {
      const int64_t bias = WideBias(s, column + i);
      out.is_large |= bias > kMost || bias < -kMost;
      biases[i] = static_cast<double>(bias);
    }
    out.bias[0] = hn::Load(reals, biases);
    out.bias[1] = hn::LoadU(reals, biases + hn::Lanes(reals));
  }
  return out;
}

#if MUNJA_HAS_INT16_SCALER
// Rows of `count` columns, at most a vector.
HWY_INLINE void ScaledRows(const IntEpilogue& s, const Int16Scaler<D>& scale,
                           const int32_t* from, size_t stride,
                           const RowTarget* targets, size_t rows, size_t column,
                           size_t count) {
  const D d;
  const hn::Rebind<int16_t, D> narrow;
  const auto low = hn::Set(narrow, static_cast<int16_t>(s.low)),
             high = hn::Set(narrow, static_cast<int16_t>(s.high));
  const auto result = [&](hn::Vec<D> sums) HWY_ATTR {
    return hn::Min(hn::Max(hn::DemoteTo(narrow, scale(sums)), low), high);
  };
  auto* const out = static_cast<int16_t*>(s.out) + column;
  if (count == hn::Lanes(d)) {
    for (size_t r = 0; r < rows; ++r, from += stride)
      hn::StoreU(result(hn::LoadU(d, from)), narrow, out + targets[r].offset);
    return;
  }
  const HalfD half;
  const hn::Half<decltype(narrow)> half_narrow;
  for (size_t r = 0; r < rows; ++r, from += stride) {
    if (count == hn::Lanes(half)) {
      const auto sums = hn::ZeroExtendVector(d, hn::LoadU(half, from));
      hn::StoreU(hn::LowerHalf(half_narrow, result(sums)), half_narrow,
                 out + targets[r].offset);
    } else {
      StoreTail(result(LoadTail(d, from, count)), narrow,
                out + targets[r].offset, count);
    }
  }
}
#endif

template <bool kHasBias>
bool WideRowsOf(const IntEpilogue& s, const int32_t* sums, size_t stride,
                const RowTarget* targets, size_t rows, size_t column,
                size_t columns) {
  const D d;
  const HalfD half;
  const RealD reals;
  const hn::Rebind<int16_t, D> narrow;
  const size_t lanes = hn::Lanes(d);
  const auto zero = hn::Set(d, s.zero), low = hn::Set(d, s.low),
             high = hn::Set(d, s.high);
  const auto point_five = hn::Set(reals, 0.5);
  for (size_t i = 0; i < columns; i += lanes) {
    const size_t count = HWY_MIN(lanes, columns - i);
#if MUNJA_HAS_INT16_SCALER
    Int16Scaler<D> scaler;
    if (!kHasBias && s.zero == 0 &&
        MakeInt16Scaler(d, s, column + i, count, &scaler)) {
      ScaledRows(s, scaler, sums + i, stride, targets, rows, column + i, count);
      continue;
    }
#endif
    const WideColumns c = LoadColumns<kHasBias>(s, column + i, count);
    if (c.is_large) return false;
    const auto scaled = [&](auto sum, size_t k) HWY_ATTR {
      auto x = hn::PromoteTo(reals, sum);
      if constexpr (kHasBias) x = hn::Add(x, c.bias[k]);
      return FloorBits(hn::MulAdd(x, c.scale[k], point_five));
    };
    const auto store = [&](auto low_sums, auto high_sums, size_t r) HWY_ATTR {
      const auto v =
          hn::ConcatEven(d, scaled(high_sums, 1), scaled(low_sums, 0));
      const auto x =
          hn::DemoteTo(narrow, hn::Min(hn::Max(hn::Add(v, zero), low), high));
      int16_t* to =
          static_cast<int16_t*>(s.out) + targets[r].offset + column + i;
      if (count == lanes)
        hn::StoreU(x, narrow, to);
      else
        StoreTail(x, narrow, to, count);
    };
    const int32_t* from = sums + i;
    if (count == lanes) {
      for (size_t r = 0; r < rows; ++r, from += stride) {
        store(hn::LoadU(half, from), hn::LoadU(half, from + hn::Lanes(half)),
              r);
      }
    } else {
      for (size_t r = 0; r < rows; ++r, from += stride) {
        const auto v = LoadTail(d, from, count);
        store(hn::LowerHalf(half, v), hn::UpperHalf(half, v), r);
      }
    }
  }
  return true;
}

bool WideRows(const IntEpilogue& s, const int32_t* sums, size_t stride,
              const RowTarget* targets, size_t rows, size_t column,
              size_t columns) {
  const auto run = s.bias == nullptr && s.wide_bias == nullptr
                       ? WideRowsOf<false>
                       : WideRowsOf<true>;
  return run(s, sums, stride, targets, rows, column, columns);
}
#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(WideRows);

bool StoreWideSums(const IntEpilogue& epilogue, const int32_t* sums,
                   size_t stride, const RowTarget* targets, size_t rows,
                   size_t column, size_t columns) {
  return HWY_DYNAMIC_DISPATCH(WideRows)(epilogue, sums, stride, targets, rows,
                                        column, columns);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
