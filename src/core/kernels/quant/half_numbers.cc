#include "kernels/quant/half_numbers.h"

#include <cstring>

#include "tensor/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/half_numbers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#ifndef MUNJA_KERNELS_HALF_NUMBERS_ONCE
#define MUNJA_KERNELS_HALF_NUMBERS_ONCE
namespace munja::kernels::reference {

void HalvesToFloats(const uint8_t* halves, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) {
    uint16_t half;
    std::memcpy(&half, halves + 2 * i, sizeof half);
    out[i] = HalfToFloat(half);
  }
}

void FloatsToHalves(const float* numbers, size_t count, uint8_t* halves) {
  for (size_t i = 0; i < count; ++i) {
    const uint16_t half = FloatToHalf(numbers[i]);
    std::memcpy(halves + 2 * i, &half, sizeof half);
  }
}

}  // namespace munja::kernels::reference
#endif

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void HalvesToFloats(const uint8_t* halves, size_t count, float* out) {
  size_t i = 0;
// Where the CPU has instructions for it.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const hn::Rebind<uint8_t, hn::Repartition<uint8_t, decltype(d16)>> d8;
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::BitCast(d16, hn::LoadU(d8, halves + 2 * i));
    hn::StoreU(hn::PromoteTo(d, bits), d, out + i);
  }
#endif
  reference::HalvesToFloats(halves + 2 * i, count - i, out + i);
}

void FloatsToHalves(const float* numbers, size_t count, uint8_t* halves) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const hn::Rebind<uint8_t, hn::Repartition<uint8_t, decltype(d16)>> d8;
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::BitCast(d8, hn::DemoteTo(d16, hn::LoadU(d, numbers + i))),
               d8, halves + 2 * i);
#endif
  reference::FloatsToHalves(numbers + i, count - i, halves + 2 * i);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(HalvesToFloats);
HWY_EXPORT(FloatsToHalves);

void HalvesToFloats(const uint8_t* halves, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(HalvesToFloats)(halves, count, out);
}

void FloatsToHalves(const float* numbers, size_t count, uint8_t* halves) {
  HWY_DYNAMIC_DISPATCH(FloatsToHalves)(numbers, count, halves);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
