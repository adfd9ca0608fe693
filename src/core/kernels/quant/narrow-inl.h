// From 32 bits to 8, by way of float where its rounding is beyond doubt.
// Included once for each SIMD target.
#if defined(MUNJA_KERNELS_QUANT_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_QUANT_NARROW_INL_H_
#undef MUNJA_KERNELS_QUANT_NARROW_INL_H_
#else
#define MUNJA_KERNELS_QUANT_NARROW_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Rounds results that become bytes, and reports whether all of them were so far
// from halfway between two integers that their errors do not matter. Results
// are given with a summand (the zero point, say) replaced by what Base makes of
// it. Those beyond +-kRange are rounded to something beyond +-(kRange - 1).
#if HWY_TARGET == HWY_AVX3
// Floats in [1024, 2048) have 13 fraction bits: a summand of 1536.5 brings
// results there, whose bits are then the integer and the distance from halfway.
// Beyond that range the order of the bits as integers is still that of the
// values. Half the range leaves one more bit.
template <class DF, int kRange = 512>
class ByteRounder {
  static_assert(kRange == 512 || kRange == 256);
  static constexpr int kBits = kRange == 512 ? 13 : 14;
  static constexpr double kOne = 1 << kBits;
  static constexpr double kMiddle = 3 * kRange;

 public:
  using VF = hn::Vec<DF>;
  using D = hn::RebindToSigned<DF>;
  // Results may be wrong by `error`, rounding the last sum not counted.
  explicit ByteRounder(double error) {
    const double doubt = (error + 0.5 / kOne) * kOne;
    while (doubt_ < doubt && doubt_ < 1024) doubt_ *= 2;
    is_sound_ = doubt_ < 1024;
    in_doubt_ = hn::Set(D(), (1 << kBits) - 2 * doubt_);
  }
  bool is_sound() const { return is_sound_; }
  float Base(double summand) const {
    return static_cast<float>(kMiddle + 0.5 + doubt_ / kOne + summand);
  }
  // Not less than -kRange; that for NaN, too. Summands are in either.
  HWY_INLINE VF Limit(VF x) const {
    const VF low = hn::Set(DF(), Base(-kRange));
    // The second operand where there is a NaN. Too much does no harm.
    if constexpr (sizeof(VF) == 64)
      return VF{_mm512_max_ps(x.raw, low.raw)};
    else
      return VF{_mm256_max_ps(x.raw, low.raw)};
  }
  HWY_INLINE void Begin() { are_sure_ = static_cast<Bits>(~Bits{0}); }
  HWY_INLINE hn::Vec<D> Round(VF x) {
    const auto bits = hn::BitCast(D(), x);
    // Lanes that were exact so far and have a bit there.
    if constexpr (sizeof(VF) == 64) {
      are_sure_ =
          _mm512_mask_test_epi32_mask(are_sure_, bits.raw, in_doubt_.raw);
    } else {
      are_sure_ =
          _mm256_mask_test_epi32_mask(are_sure_, bits.raw, in_doubt_.raw);
    }
    // The bits of kMiddle.
    constexpr int32_t kBase =
        (kRange == 512 ? 0x44c00000 : 0x44400000) >> kBits;
    return hn::Sub(hn::ShiftRight<kBits>(bits), hn::Set(D(), kBase));
  }
  // Covers all results since Begin.
  HWY_INLINE bool AreSure() const {
    return are_sure_ == static_cast<Bits>(~Bits{0});
  }

 private:
  using Bits = std::conditional_t<sizeof(VF) == 64, __mmask16, __mmask8>;
  int32_t doubt_ = 1;  // In units of 1 / kOne.
  bool is_sound_;
  hn::Vec<D> in_doubt_;
  Bits are_sure_ = 0;
};
#else
template <class DF, int kRange = 512>
class ByteRounder {
 public:
  using VF = hn::Vec<DF>;
  using D = hn::RebindToSigned<DF>;
  explicit ByteRounder(double error)
      : is_sound_(error < 0.125),
        reach_(hn::Set(DF(), static_cast<float>(0.49995 - error))),
        far_(hn::Zero(DF())) {}
  bool is_sound() const { return is_sound_; }
  float Base(double summand) const { return static_cast<float>(summand); }
  HWY_INLINE VF Limit(VF x) const {
    const VF low = hn::Set(DF(), -512.0f), high = hn::Set(DF(), 512.0f);
    return hn::IfThenElse(hn::Gt(x, low), hn::Min(x, high), low);
  }
  HWY_INLINE void Begin() { far_ = hn::Zero(DF()); }
  HWY_INLINE hn::Vec<D> Round(VF x) {
    const auto whole = NearestSmall(x);
    far_ = hn::Max(far_, hn::Abs(hn::Sub(x, hn::ConvertTo(DF(), whole))));
    return whole;
  }
  HWY_INLINE bool AreSure() const {
    return hn::AllTrue(DF(), hn::Lt(far_, reach_));
  }

 private:
  // The integer nearest to each |x| < 2^30; ties to even.
  static HWY_INLINE hn::Vec<D> NearestSmall(VF x) {
#if HWY_TARGET == HWY_AVX2
    if constexpr (sizeof(VF) == 32) return {_mm256_cvtps_epi32(x.raw)};
#endif
#if HWY_ARCH_X86
    if constexpr (sizeof(VF) == 16) return {_mm_cvtps_epi32(x.raw)};
#endif
    return hn::NearestInt(x);
  }
  bool is_sound_;
  VF reach_, far_;
};
#endif

// Four vectors one after another as bytes, saturated.
template <class T, class D, class V>
HWY_INLINE hn::Vec<hn::Repartition<T, D>> NarrowFour(D d, V a, V b, V c, V e) {
  (void)d;
  [[maybe_unused]] const hn::Repartition<T, D> bytes;
#if HWY_ARCH_X86
  // Instructions pack within blocks of 128 bits, whose order is mended last.
  const hn::Repartition<int16_t, D> pairs;
  const auto ab = hn::ReorderDemote2To(pairs, a, b),
             ce = hn::ReorderDemote2To(pairs, c, e);
  constexpr bool kIsSigned = std::is_signed_v<T>;
  if constexpr (sizeof(V) == 16) {
    return {kIsSigned ? _mm_packs_epi16(ab.raw, ce.raw)
                      : _mm_packus_epi16(ab.raw, ce.raw)};
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  } else if constexpr (sizeof(V) == 32) {
    HWY_ALIGN static constexpr int32_t kOrder[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    const V packed{kIsSigned ? _mm256_packs_epi16(ab.raw, ce.raw)
                             : _mm256_packus_epi16(ab.raw, ce.raw)};
    return hn::BitCast(
        bytes, hn::TableLookupLanes(packed, hn::SetTableIndices(d, kOrder)));
#endif
#if HWY_TARGET == HWY_AVX3
  } else {
    HWY_ALIGN static constexpr int32_t kOrder[16] = {
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    const V packed{kIsSigned ? _mm512_packs_epi16(ab.raw, ce.raw)
                             : _mm512_packus_epi16(ab.raw, ce.raw)};
    return hn::BitCast(
        bytes, hn::TableLookupLanes(packed, hn::SetTableIndices(d, kOrder)));
#endif
  }
#elif HWY_TARGET == HWY_WASM
  const auto ab = wasm_i16x8_narrow_i32x4(a.raw, b.raw),
             ce = wasm_i16x8_narrow_i32x4(c.raw, e.raw);
  return {std::is_signed_v<T> ? wasm_i8x16_narrow_i16x8(ab, ce)
                              : wasm_u8x16_narrow_i16x8(ab, ce)};
#else
  const hn::Repartition<int16_t, D> pairs;
  const hn::Half<decltype(pairs)> half_pairs;
  const hn::Half<decltype(bytes)> half;
  const auto ab = hn::Combine(pairs, hn::DemoteTo(half_pairs, b),
                              hn::DemoteTo(half_pairs, a)),
             ce = hn::Combine(pairs, hn::DemoteTo(half_pairs, e),
                              hn::DemoteTo(half_pairs, c));
  return hn::Combine(bytes, hn::DemoteTo(half, ce), hn::DemoteTo(half, ab));
#endif
}

#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_QUANT_NARROW_INL_H_
