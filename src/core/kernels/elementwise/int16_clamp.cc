#include "kernels/elementwise/int16_clamp.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/int16_clamp.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void ClampInt16(const int16_t* in, size_t count, int16_t low, int16_t high,
                int16_t* out) {
  const hn::ScalableTag<int16_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto least = hn::Set(d, low), most = hn::Set(d, high);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Min(hn::Max(hn::LoadU(d, in + i), least), most), d, out + i);
  }
  for (; i < count; ++i) out[i] = HWY_MIN(HWY_MAX(in[i], low), high);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(ClampInt16);

void Clamp(const int16_t* in, size_t count, int16_t low, int16_t high,
           int16_t* out) {
  HWY_DYNAMIC_DISPATCH(ClampInt16)(in, count, low, high, out);
}

namespace reference {

void Clamp(const int16_t* in, size_t count, int16_t low, int16_t high,
           int16_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = std::clamp(in[i], low, high);
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
