// Dot products of the words of kernels/gemm/int_operand.h, lane by lane: the
// first of two sums begins as First says, the second as 0; Dot adds to one of
// them or both, and Total is what they come to. Code that is compiled for all
// kinds uses MUNJA_BYTE_DOT_ATTR where it takes those of `bytes` or
// `added_pairs`. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_GEMM_INT_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_GEMM_INT_DOT_INL_H_
#undef MUNJA_KERNELS_GEMM_INT_DOT_INL_H_
#else
#define MUNJA_KERNELS_GEMM_INT_DOT_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/cpu/byte_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace pairs {
inline constexpr bool kIsOfBytes = false;
// The lanes of the sums are not those of the total, which `start` belongs to.
template <class V>
HWY_INLINE V First(V) {
  return hn::Zero(hn::DFromV<V>());
}
template <class V>
HWY_INLINE V Dot(V x, V w, V sum0, V& sum1) {
  const hn::DFromV<V> d;
  const hn::Repartition<int16_t, decltype(d)> d16;
  return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, x),
                                       hn::BitCast(d16, w), sum0, sum1);
}
template <class V>
HWY_INLINE V Total(V sum0, V sum1, V start) {
  return hn::Add(hn::RearrangeToOddPlusEven(sum0, sum1), start);
}
}  // namespace pairs

// For instructions that add all products to one sum.
namespace one_sum {
template <class V>
HWY_INLINE V First(V start) {
  return start;
}
template <class V>
HWY_INLINE V Total(V sum0, V, V) {
  return sum0;
}
}  // namespace one_sum

#if MUNJA_HAS_BYTE_DOT
namespace bytes {
inline constexpr bool kIsOfBytes = true;
using one_sum::First;
using one_sum::Total;
template <class V>
HWY_INLINE MUNJA_BYTE_DOT_ATTR V Dot(V x, V w, V sum0, V&) {
  return ByteDot(sum0, x, w);
}
}  // namespace bytes
#endif

#if MUNJA_HAS_PAIR_DOT
// As `pairs`, by one instruction.
namespace added_pairs {
inline constexpr bool kIsOfBytes = false;
using one_sum::First;
using one_sum::Total;
template <class V>
HWY_INLINE MUNJA_BYTE_DOT_ATTR V Dot(V x, V w, V sum0, V&) {
  return PairDot(sum0, x, w);
}
}  // namespace added_pairs
#endif
#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_GEMM_INT_DOT_INL_H_
