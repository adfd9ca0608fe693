// From 32 bits to 8, by way of float where its rounding is beyond doubt.
// Included once for each SIMD target.
#if defined(MUNJA_KERNELS_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_NARROW_INL_H_
#undef MUNJA_KERNELS_NARROW_INL_H_
#else
#define MUNJA_KERNELS_NARROW_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// The whole number nearest to each |x| < 2^30; ties to even.
template <class V>
HWY_INLINE auto NearestSmall(V x) {
  const hn::RebindToSigned<hn::DFromV<V>> d;
  using Result = hn::Vec<decltype(d)>;
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64) return Result{_mm512_cvtps_epi32(x.raw)};
#endif
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 32) return Result{_mm256_cvtps_epi32(x.raw)};
#endif
#if HWY_ARCH_X86
  if constexpr (sizeof(V) == 16) return Result{_mm_cvtps_epi32(x.raw)};
#else
  return Result(hn::NearestInt(x));
#endif
}

// The greater of `far` and the distance from x to `whole` = NearestSmall(x).
template <class V, class W>
HWY_INLINE V Farther(V far, V x, W whole) {
#if HWY_TARGET == HWY_AVX3
  // Subtracts the nearest whole number; then the magnitudes' maximum.
  constexpr int kNearest = 8, kMagnitudes = 11;
  (void)whole;
  if constexpr (sizeof(V) == 64) {
    return V{_mm512_range_ps(far.raw, _mm512_reduce_ps(x.raw, kNearest),
                             kMagnitudes)};
  } else {
    return V{_mm256_range_ps(far.raw, _mm256_reduce_ps(x.raw, kNearest),
                             kMagnitudes)};
  }
#else
  const hn::DFromV<V> d;
  return hn::Max(far, hn::Abs(hn::Sub(x, hn::ConvertTo(d, whole))));
#endif
}

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

#endif  // MUNJA_KERNELS_NARROW_INL_H_
