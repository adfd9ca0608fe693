// The fixed-point arithmetic of kernels/quant/fixed_point.h on vectors, bit for
// bit. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_QUANT_FIXED_POINT_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_QUANT_FIXED_POINT_INL_H_
#undef MUNJA_KERNELS_QUANT_FIXED_POINT_INL_H_
#else
#define MUNJA_KERNELS_QUANT_FIXED_POINT_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/cpu/wide_lanes-inl.h"
#include "kernels/quant/fixed_point.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// round(a * mantissa / 2^31) for mantissa >= 0. Half goes up for either sign:
// the scheme's nudge and its division toward zero come to just that.
template <class D32>
HWY_INLINE hn::Vec<D32> RoundingDoublingHighMul(D32 d, hn::Vec<D32> a,
                                                hn::Vec<D32> mantissa) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, kernels::RoundingDoublingHighMul(hn::GetLane(a),
                                                     hn::GetLane(mantissa)));
#else
  const hn::RepartitionToWide<D32> d64;
  const hn::RebindToUnsigned<decltype(d64)> du64;
  const auto nudge = hn::Set(d64, int64_t{1} << 30);
  const auto even = hn::Add(SignedMulEven(a, mantissa), nudge);
  const auto odd = hn::Add(SignedMulEven(hn::DupOdd(a), mantissa), nudge);
  // Bits 31 to 62, to the lower half of the one and the upper of the other.
  const auto low = hn::ShiftRight<31>(hn::BitCast(du64, even));
  const auto high = hn::ShiftLeft<1>(hn::BitCast(du64, odd));
  return hn::OddEven(hn::BitCast(d, high), hn::BitCast(d, low));
#endif
}

// A multiplier, spread over vectors.
template <class D32>
struct VectorMultiplier {
  using V = hn::Vec<D32>;
  VectorMultiplier(D32 d, Multiplier m)
      : mantissa(hn::Set(d, m.mantissa)),
        left(m.exponent > 0 ? m.exponent : 0),
        right(m.exponent < 0 ? -m.exponent : 0),
        mask(hn::Set(d, static_cast<int32_t>((int64_t{1} << right) - 1))),
        threshold(hn::Set(
            d, static_cast<int32_t>(((int64_t{1} << right) - 1) / 2))) {}
  V mantissa;
  int left, right;
  V mask, threshold;
};

// x * multiplier, as kernels::Multiply.
template <class D32>
HWY_INLINE hn::Vec<D32> Multiply(D32 d, hn::Vec<D32> x,
                                 const VectorMultiplier<D32>& m) {
  const auto high =
      RoundingDoublingHighMul(d, hn::ShiftLeftSame(x, m.left), m.mantissa);
  const auto is_more = hn::Gt(hn::And(high, m.mask),
                              hn::Sub(m.threshold, hn::ShiftRight<31>(high)));
  // A mask is -1 where it holds.
  return hn::Sub(hn::ShiftRightSame(high, m.right),
                 hn::VecFromMask(d, is_more));
}

// round(x * mantissa / 2^shift) lane by lane, as
// kernels::MultiplyRoundedOnce; mantissas
// are not negative, shifts are 1 to 62.
template <class D32>
HWY_INLINE hn::Vec<D32> MultiplyRoundedOnce(D32 d, hn::Vec<D32> x,
                                            hn::Vec<D32> mantissa,
                                            hn::Vec<D32> shift) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(
      d, kernels::MultiplyRoundedOnce(
             hn::GetLane(x), {hn::GetLane(mantissa), 31 - hn::GetLane(shift)}));
#else
  const hn::RepartitionToWide<D32> d64;
  const hn::RebindToUnsigned<decltype(d64)> bits;
  // Few instruction sets shift 64 bits with a sign. Products lie within
  // +-2^62: that much is added before and taken away after.
  const auto offset = hn::Set(bits, uint64_t{1} << 62);
  const auto one = hn::Set(bits, uint64_t{1});
  const auto round = [&](auto product, auto by) HWY_ATTR {
    const auto half = ShiftLeftEach(one, hn::Sub(by, one));
    const auto sum = hn::Add(hn::BitCast(bits, product), hn::Add(offset, half));
    return hn::Sub(ShiftRightEach(sum, by), ShiftRightEach(offset, by));
  };
  const auto odd_lanes = [&](hn::Vec<D32> v) HWY_ATTR {
    return hn::ShiftRight<32>(hn::BitCast(bits, v));
  };
  const auto even_shift =
      hn::And(hn::BitCast(bits, shift), hn::Set(bits, uint64_t{0xffffffff}));
  const auto even = round(SignedMulEven(x, mantissa), even_shift);
  const auto odd = round(SignedMulEven(hn::BitCast(d, odd_lanes(x)),
                                       hn::BitCast(d, odd_lanes(mantissa))),
                         odd_lanes(shift));
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)),
                     hn::BitCast(d, even));
#endif
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_QUANT_FIXED_POINT_INL_H_
