// The arithmetic of kernels/elementwise/quantized_binary.h on vectors, exactly
// as it is defined. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_INL_H_
#undef MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_INL_H_
#else
#define MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_INL_H_
#endif

#include <cmath>

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/quantized_binary.h"
#include "kernels/quant/fixed_point-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Kind = QuantizedBinaryKind;

// QuantizedBinaryParams as vectors.
template <class D32>
struct Vectors {
  using V = hn::Vec<D32>;
  Vectors(D32 d, const QuantizedBinaryParams& p)
      : shift(p.shift),
        a_scale(d, p.a_scale),
        b_scale(d, p.b_scale),
        out_scale(d, p.out_scale),
        a_zero(hn::Set(d, p.a_zero)),
        b_zero(hn::Set(d, p.b_zero)),
        out_zero(hn::Set(d, p.out_zero)),
        minus(hn::Set(d, p.kind == Kind::kSub ? -1 : 0)),
        low(hn::Set(d, p.low - p.out_zero)),
        high(hn::Set(d, p.high - p.out_zero)) {}
  int shift;
  VectorMultiplier<D32> a_scale, b_scale, out_scale;
  V a_zero, b_zero, out_zero;
  V minus;  // -1 where the second operand is subtracted, else 0.
  V low, high;
};

// kSub is kAdd here, which `minus` tells apart: functions of its own would be
// as many again.
template <Kind kKind, class D32, class V>
HWY_INLINE V One(D32 d, const Vectors<D32>& p, V a, V b) {
  const V x = hn::Sub(a, p.a_zero), y = hn::Sub(b, p.b_zero);
  V v;
  if constexpr (kKind == Kind::kMul) {
    v = hn::Mul(x, y);
  } else {
    const V m = Multiply(d, hn::ShiftLeftSame(x, p.shift), p.a_scale);
    const V n = Multiply(d, hn::ShiftLeftSame(y, p.shift), p.b_scale);
    if constexpr (kKind == Kind::kSquaredDifference) {
      v = hn::Sub(m, n);
      v = hn::Mul(v, v);
    } else {
      v = hn::Add(m, hn::Sub(hn::Xor(n, p.minus), p.minus));
    }
  }
  v = Multiply(d, v, p.out_scale);
  return hn::Add(hn::Min(hn::Max(v, p.low), p.high), p.out_zero);
}

// Columns [i, cols) of a row; `a` or `b` is a single element if it repeats.
template <Kind kKind, class T>
void ExactRow(const QuantizedBinaryParams& params, const T* a, bool a_repeats,
              const T* b, bool b_repeats, size_t i, size_t cols, T* out) {
  if (i == cols) return;
  using D32 = hn::ScalableTag<int32_t>;
  const D32 d;
  const hn::Rebind<T, D32> dt;
  const size_t lanes = hn::Lanes(d);
  const Vectors<D32> p(d, params);
  const auto a_set = hn::Set(d, static_cast<int32_t>(a[0]));
  const auto b_set = hn::Set(d, static_cast<int32_t>(b[0]));
  // The arithmetic is long: there is one copy of it, for the rest of a row,
  // too.
  for (; i < cols; i += lanes) {
    const size_t count = HWY_MIN(lanes, cols - i);
    const auto load = [&](const T* from) HWY_ATTR {
      return hn::PromoteTo(d, count == lanes ? hn::LoadU(dt, from + i)
                                             : LoadTail(dt, from + i, count));
    };
    const auto x = a_repeats ? a_set : load(a);
    const auto y = b_repeats ? b_set : load(b);
    const auto z = hn::DemoteTo(dt, One<kKind>(d, p, x, y));
    if (count == lanes)
      hn::StoreU(z, dt, out + i);
    else
      StoreTail(z, dt, out + i, count);
  }
}

inline double RealOf(Multiplier m) {
  return std::ldexp(static_cast<double>(m.mantissa), m.exponent - 31);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_INL_H_
