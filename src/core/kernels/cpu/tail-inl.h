// Loads and stores of the last few lanes of an array. Included once for each
// SIMD target.
#if defined(MUNJA_KERNELS_CPU_TAIL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_CPU_TAIL_INL_H_
#undef MUNJA_KERNELS_CPU_TAIL_INL_H_
#else
#define MUNJA_KERNELS_CPU_TAIL_INL_H_
#endif

#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first `count` < Lanes(d) lanes from p, the others 0. Reads nothing
// beyond. p need not be aligned.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadTail(D d, const T* HWY_RESTRICT p, size_t count) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  // These have loads that do not touch what the mask leaves out.
  if constexpr (sizeof(T) >= 4) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, p);
  }
#endif
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)] = {};
  std::memcpy(buffer, p, count * sizeof(T));
  return hn::Load(d, buffer);
}

// Writes the first `count` < Lanes(d) lanes of v to p, and nothing beyond.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void StoreTail(hn::Vec<D> v, D d, T* HWY_RESTRICT p, size_t count) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(T) >= 4) {
    hn::BlendedStore(v, hn::FirstN(d, count), d, p);
    return;
  }
#endif
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(v, d, buffer);
  std::memcpy(p, buffer, count * sizeof(T));
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_CPU_TAIL_INL_H_
