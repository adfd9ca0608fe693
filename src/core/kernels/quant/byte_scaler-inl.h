// Sums of 32 bits times a multiplier, to results that become bytes: exactly,
// and by way of float. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_QUANT_BYTE_SCALER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_QUANT_BYTE_SCALER_INL_H_
#undef MUNJA_KERNELS_QUANT_BYTE_SCALER_INL_H_
#else
#define MUNJA_KERNELS_QUANT_BYTE_SCALER_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/cpu/wide_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Results whose shift is this or less fit the sum of product, rounding and
// zero point that ByteScaler makes in 64 bits.
inline constexpr int32_t kMaxByteShift = 52;

// round(sum * mantissa / 2^shift) + zero for a vector of columns: the zero
// point is part of what is added for rounding.
template <class D>
class ByteScaler {
 public:
  using V = hn::Vec<D>;
  ByteScaler(D d, V bias, V mantissa, V shift, int32_t zero)
      : bias_(bias), mantissa_(mantissa), odd_mantissa_(OddLanes(d, mantissa)) {
    const Bits bits;
    const auto words = hn::BitCast(bits, shift);
    even_shift_ = hn::And(words, hn::Set(bits, uint64_t{0xffffffff}));
    odd_shift_ = hn::ShiftRight<32>(words);
    even_round_ = Rounding(even_shift_, zero);
    odd_round_ = Rounding(odd_shift_, zero);
    if constexpr (!kShiftsSigned) {
      const auto offset = hn::Set(bits, kOffset);
      back_ = hn::OddEven(
          hn::BitCast(d, hn::ShiftLeft<32>(ShiftRightEach(offset, odd_shift_))),
          hn::BitCast(d, ShiftRightEach(offset, even_shift_)));
    }
  }
  HWY_INLINE V operator()(D d, V sum) const {
    sum = hn::Add(sum, bias_);
    const auto even =
        Scale(SignedMulEven(sum, mantissa_), even_round_, even_shift_);
    const auto odd = Scale(SignedMulEven(OddLanes(d, sum), odd_mantissa_),
                           odd_round_, odd_shift_);
    const V merged = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)),
                                 hn::BitCast(d, even));
    if constexpr (kShiftsSigned)
      return merged;
    else
      return hn::Sub(merged, back_);
  }

 private:
  using Wide = hn::RepartitionToWide<D>;
  using Bits = hn::RebindToUnsigned<Wide>;
  using Words = hn::Vec<Bits>;
  // Few instruction sets shift 64 bits with a sign. Elsewhere this is added
  // before and taken away after.
  static constexpr bool kShiftsSigned = HWY_TARGET == HWY_AVX3;
  static constexpr uint64_t kOffset = uint64_t{1} << 63;

  static HWY_INLINE V OddLanes(D d, V v) {
    return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(Bits(), v)));
  }
  static HWY_INLINE Words Rounding(Words shift, int32_t zero) {
    const Bits bits;
    const auto one = hn::Set(bits, uint64_t{1});
    const auto point =
        ShiftLeftEach(hn::BitCast(bits, hn::Set(Wide(), int64_t{zero})), shift);
    const auto round = hn::Add(point, ShiftLeftEach(one, hn::Sub(shift, one)));
    return kShiftsSigned ? round : hn::Add(round, hn::Set(bits, kOffset));
  }
  static HWY_INLINE Words Scale(hn::Vec<Wide> product, Words round,
                                Words shift) {
    const auto sum = hn::Add(hn::BitCast(Bits(), product), round);
    if constexpr (kShiftsSigned) {
      return hn::BitCast(
          Bits(), hn::BitCast(Wide(), sum) >> hn::BitCast(Wide(), shift));
    } else {
      return ShiftRightEach(sum, shift);
    }
  }

  V bias_, mantissa_, odd_mantissa_, back_;
  Words even_shift_, odd_shift_, even_round_, odd_round_;
};

// Error bound of sum * scale + zero in float for results that are not clamped,
// so that sum * scale is less than 256: sum and scale are rounded to 24 bits
// each. Without fused multiply-adds the product is a third rounding.
inline constexpr double kByteError = HWY_TARGET == HWY_AVX3 ? 0x1p-15 : 5e-5;

// mantissa * 2^(exponent - 31), exponents in [-kMaxByteShift, 0].
template <class D>
HWY_INLINE hn::Vec<hn::RebindToFloat<D>> ScaleOf(D d, hn::Vec<D> mantissa,
                                                 hn::Vec<D> shift) {
  const hn::RebindToFloat<D> df;
  const auto power =
      hn::ShiftLeft<23>(hn::Sub(hn::Set(d, 127), shift));  // 2^-shift.
  return hn::Mul(hn::ConvertTo(df, mantissa), hn::BitCast(df, power));
}

#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_QUANT_BYTE_SCALER_INL_H_
