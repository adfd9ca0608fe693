#include "kernels/reduce/arg_max.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/arg_max.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/reduce/largest_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two passes, the value and then its place: the row is in the cache by then,
// and neither pass carries indices along.
ArgMaxResult ArgMax(const float* in, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto best = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto best2 = best;
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto x = hn::LoadU(d, in + i);
    const auto y = hn::LoadU(d, in + i + lanes);
    best = hn::IfThenElse(hn::Gt(x, best), x, best);
    best2 = hn::IfThenElse(hn::Gt(y, best2), y, best2);
  }
  float value = LargestLane(d, hn::Max(best, best2));
  for (; i < count; ++i)
    if (in[i] > value) value = in[i];
  const auto wanted = hn::Set(d, value);
  for (i = 0; i + lanes <= count; i += lanes) {
    const auto found =
        hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, in + i), wanted));
    if (found >= 0) {
      return {i + static_cast<size_t>(found), value};
    }
  }
  for (; i < count; ++i)
    if (in[i] == value) return {i, value};
  return {0, in[0]};
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(ArgMax);
ArgMaxResult ArgMax(const float* in, size_t count) {
  return HWY_DYNAMIC_DISPATCH(ArgMax)(in, count);
}

namespace reference {

ArgMaxResult ArgMax(const float* in, size_t count) {
  ArgMaxResult best{0, in[0]};
  for (size_t i = 1; i < count; ++i) {
    // The second: every number beats NaN.
    if (in[i] > best.value || (best.value != best.value && in[i] == in[i]))
      best = {i, in[i]};
  }
  return best;
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
