// Operations on lanes of 64 bits that Highway 1.0 lacks for WebAssembly, or
// (products of signed numbers) gets wrong there. Included once for each SIMD
// target.
#if defined(MUNJA_KERNELS_CPU_WIDE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_CPU_WIDE_LANES_INL_H_
#undef MUNJA_KERNELS_CPU_WIDE_LANES_INL_H_
#else
#define MUNJA_KERNELS_CPU_WIDE_LANES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ShiftLeftEach, ShiftRightEach: each unsigned lane by its own number.
// SignedMulEven: the products of the even lanes of int32.
#if HWY_TARGET == HWY_WASM
template <class V>
HWY_INLINE V ShiftLeftEach(V v, V by) {
  return V{wasm_i64x2_make(
      wasm_i64x2_extract_lane(v.raw, 0) << wasm_i64x2_extract_lane(by.raw, 0),
      wasm_i64x2_extract_lane(v.raw, 1) << wasm_i64x2_extract_lane(by.raw, 1))};
}
template <class V>
HWY_INLINE V ShiftRightEach(V v, V by) {
  const auto shift = [&](uint64_t lane, int64_t bits) {
    return static_cast<int64_t>(lane >> bits);
  };
  return V{wasm_i64x2_make(
      shift(static_cast<uint64_t>(wasm_i64x2_extract_lane(v.raw, 0)),
            wasm_i64x2_extract_lane(by.raw, 0)),
      shift(static_cast<uint64_t>(wasm_i64x2_extract_lane(v.raw, 1)),
            wasm_i64x2_extract_lane(by.raw, 1)))};
}
template <class V>
HWY_INLINE auto SignedMulEven(V a, V b) {
  using Wide = hn::Vec<hn::RepartitionToWide<hn::DFromV<V>>>;
  return Wide{wasm_i64x2_extmul_low_i32x4(
      wasm_i32x4_shuffle(a.raw, a.raw, 0, 2, 0, 2),
      wasm_i32x4_shuffle(b.raw, b.raw, 0, 2, 0, 2))};
}
#elif HWY_TARGET != HWY_SCALAR
template <class V>
HWY_INLINE V ShiftLeftEach(V v, V by) {
  return v << by;
}
template <class V>
HWY_INLINE V ShiftRightEach(V v, V by) {
  return v >> by;
}
template <class V>
HWY_INLINE auto SignedMulEven(V a, V b) {
  return hn::MulEven(a, b);
}
#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_CPU_WIDE_LANES_INL_H_
