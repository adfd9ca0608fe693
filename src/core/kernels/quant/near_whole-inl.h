// Rounding to integers by way of float, where the errors of float cannot change
// the result. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_QUANT_NEAR_WHOLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_QUANT_NEAR_WHOLE_INL_H_
#undef MUNJA_KERNELS_QUANT_NEAR_WHOLE_INL_H_
#else
#define MUNJA_KERNELS_QUANT_NEAR_WHOLE_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Results are sums of terms that were rounded three times at most, and differ
// by `slack` at most from what is to be rounded.
template <class DF>
class WholeNumbers {
 public:
  using VF = hn::Vec<DF>;
  using D = hn::RebindToSigned<DF>;
  explicit WholeNumbers(double slack)
      : reach_(hn::Set(DF(), static_cast<float>(0.5 - slack - 0x1p-20))) {}
  // The integer nearest to each x; undefined for |x| >= 2^31, which AreSure
  // rejects.
  HWY_INLINE hn::Vec<D> Round(VF x) const {
#if HWY_TARGET == HWY_AVX3
    return hn::Vec<D>{_mm512_cvtps_epi32(x.raw)};
#elif HWY_TARGET == HWY_AVX2
    return hn::Vec<D>{_mm256_cvtps_epi32(x.raw)};
#else
    return hn::NearestInt(x);
#endif
  }
  // Whether all values are far enough from halfway between two integers.
  // `terms`: sums of the magnitudes of the terms of x. False where x is NaN.
  HWY_INLINE bool AreSure(VF x, VF terms, hn::Vec<D> rounded) const {
    const DF d;
    const VF off = hn::Abs(hn::Sub(x, hn::ConvertTo(d, rounded)));
    const VF reach = hn::NegMulAdd(terms, hn::Set(d, 0x1p-22f), reach_);
    return hn::AllTrue(d, hn::Lt(off, reach));
  }

 private:
  VF reach_;
};

#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_QUANT_NEAR_WHOLE_INL_H_
