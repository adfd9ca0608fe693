// The dot product of bytes as a vector operation. What uses it is compiled for
// MUNJA_BYTE_DOT_ATTR and runs only where HasByteDot() says so. Included once
// for each SIMD target; MUNJA_HAS_BYTE_DOT is 1 where the target may have it.
#if defined(MUNJA_KERNELS_CPU_BYTE_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_CPU_BYTE_DOT_INL_H_
#undef MUNJA_KERNELS_CPU_BYTE_DOT_INL_H_
#else
#define MUNJA_KERNELS_CPU_BYTE_DOT_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

#undef MUNJA_HAS_BYTE_DOT
#undef MUNJA_BYTE_DOT_ATTR
#undef MUNJA_HAS_PAIR_DOT
#if HWY_TARGET == HWY_AVX3
#define MUNJA_HAS_BYTE_DOT 1
#define MUNJA_BYTE_DOT_ATTR \
  __attribute__((target(HWY_TARGET_STR ",avx512vnni")))
#elif HWY_TARGET == HWY_AVX2
#define MUNJA_HAS_BYTE_DOT 1
#define MUNJA_BYTE_DOT_ATTR __attribute__((target(HWY_TARGET_STR ",avxvnni")))
// Clang before 16 has the function only if -march allows it to all code.
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64 && \
    (!HWY_COMPILER_CLANG || HWY_COMPILER_CLANG >= 1600)
#define MUNJA_HAS_BYTE_DOT 1
#define MUNJA_BYTE_DOT_ATTR \
  __attribute__((target("arch=armv8.2-a+crypto+dotprod")))
#else
#define MUNJA_HAS_BYTE_DOT 0
#define MUNJA_BYTE_DOT_ATTR
#endif

// The same for pairs of int16, wherever HasByteDot() says so.
#define MUNJA_HAS_PAIR_DOT (MUNJA_HAS_BYTE_DOT && HWY_ARCH_X86)

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sum + the products of four bytes in each lane, exact modulo 2^32. x has
// unsigned bytes on x86, signed ones on Arm; those of w are signed. PairDot has
// the products of two pairs instead.
#if HWY_TARGET == HWY_AVX3
static HWY_INLINE MUNJA_BYTE_DOT_ATTR hn::Vec512<int32_t> ByteDot(
    hn::Vec512<int32_t> sum, hn::Vec512<int32_t> x, hn::Vec512<int32_t> w) {
  return hn::Vec512<int32_t>{_mm512_dpbusd_epi32(sum.raw, x.raw, w.raw)};
}
static HWY_INLINE MUNJA_BYTE_DOT_ATTR hn::Vec512<int32_t> PairDot(
    hn::Vec512<int32_t> sum, hn::Vec512<int32_t> x, hn::Vec512<int32_t> w) {
  return hn::Vec512<int32_t>{_mm512_dpwssd_epi32(sum.raw, x.raw, w.raw)};
}
static HWY_INLINE MUNJA_BYTE_DOT_ATTR hn::Vec256<int32_t> PairDot(
    hn::Vec256<int32_t> sum, hn::Vec256<int32_t> x, hn::Vec256<int32_t> w) {
  return hn::Vec256<int32_t>{_mm256_dpwssd_epi32(sum.raw, x.raw, w.raw)};
}
static HWY_INLINE MUNJA_BYTE_DOT_ATTR hn::Vec256<int32_t> ByteDot(
    hn::Vec256<int32_t> sum, hn::Vec256<int32_t> x, hn::Vec256<int32_t> w) {
  return hn::Vec256<int32_t>{_mm256_dpbusd_epi32(sum.raw, x.raw, w.raw)};
}
#elif HWY_TARGET == HWY_AVX2
static HWY_INLINE MUNJA_BYTE_DOT_ATTR hn::Vec256<int32_t> ByteDot(
    hn::Vec256<int32_t> sum, hn::Vec256<int32_t> x, hn::Vec256<int32_t> w) {
  return hn::Vec256<int32_t>{_mm256_dpbusd_avx_epi32(sum.raw, x.raw, w.raw)};
}
static HWY_INLINE MUNJA_BYTE_DOT_ATTR hn::Vec256<int32_t> PairDot(
    hn::Vec256<int32_t> sum, hn::Vec256<int32_t> x, hn::Vec256<int32_t> w) {
  return hn::Vec256<int32_t>{_mm256_dpwssd_avx_epi32(sum.raw, x.raw, w.raw)};
}
#elif MUNJA_HAS_BYTE_DOT
static HWY_INLINE MUNJA_BYTE_DOT_ATTR hn::Vec128<int32_t> ByteDot(
    hn::Vec128<int32_t> sum, hn::Vec128<int32_t> x, hn::Vec128<int32_t> w) {
  return hn::Vec128<int32_t>{vdotq_s32(sum.raw, vreinterpretq_s8_s32(x.raw),
                                       vreinterpretq_s8_s32(w.raw))};
}
#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_CPU_BYTE_DOT_INL_H_
