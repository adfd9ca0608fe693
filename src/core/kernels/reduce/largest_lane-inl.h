// The largest lane of a vector. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_REDUCE_LARGEST_LANE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_REDUCE_LARGEST_LANE_INL_H_
#undef MUNJA_KERNELS_REDUCE_LARGEST_LANE_INL_H_
#else
#define MUNJA_KERNELS_REDUCE_LARGEST_LANE_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// -infinity where all lanes are. No lane is NaN.
template <class D>
HWY_INLINE float LargestLane(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_EMU128
  // There MaxOfLanes never gives less than the lowest number.
  float lanes[hn::MaxLanes(D())];
  hn::StoreU(v, d, lanes);
  float largest = -std::numeric_limits<float>::infinity();
  for (const float lane : lanes) largest = HWY_MAX(largest, lane);
  return largest;
#else
  return hn::GetLane(hn::MaxOfLanes(d, v));
#endif
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_REDUCE_LARGEST_LANE_INL_H_
