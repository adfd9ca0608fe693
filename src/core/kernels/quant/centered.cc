#include "kernels/quant/centered.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/centered.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void CenterAs(const T* in, size_t count, int16_t zero, int16_t* out) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<T, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  const auto offset = hn::Set(d, zero);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::PromoteTo(d, hn::LoadU(narrow, in + i));
    hn::StoreU(hn::Sub(x, offset), d, out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<int16_t>(in[i] - zero);
}

void CenterInt8(const int8_t* in, size_t count, int16_t zero, int16_t* out) {
  CenterAs(in, count, zero, out);
}
void CenterUInt8(const uint8_t* in, size_t count, int16_t zero, int16_t* out) {
  CenterAs(in, count, zero, out);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(CenterInt8);
HWY_EXPORT(CenterUInt8);

void Center(const int8_t* in, size_t count, int32_t zero, int16_t* out) {
  HWY_DYNAMIC_DISPATCH(CenterInt8)(in, count, static_cast<int16_t>(zero), out);
}

void Center(const uint8_t* in, size_t count, int32_t zero, int16_t* out) {
  HWY_DYNAMIC_DISPATCH(CenterUInt8)(in, count, static_cast<int16_t>(zero), out);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
