// Processors that permute bytes across a vector (AVX-512 VBMI, 64-bit Arm)
// hold the table in registers; others read it from memory.
#include "kernels/elementwise/byte_table.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/byte_table.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#if HWY_ARCH_X86 && !defined(MUNJA_KERNELS_BYTE_TABLE_CPUID)
#define MUNJA_KERNELS_BYTE_TABLE_CPUID
#include <cpuid.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3

bool HasPermutedBytes() {
  static const bool has = [] {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c >> 1 & 1) != 0;
  }();
  return has;
}

__attribute__((target(HWY_TARGET_STR ",avx512vbmi"))) void LookUpPermuted(
    const uint8_t* table, const uint8_t* in, size_t count, uint8_t* out) {
  const __m512i t0 = _mm512_loadu_si512(table),
                t1 = _mm512_loadu_si512(table + 64),
                t2 = _mm512_loadu_si512(table + 128),
                t3 = _mm512_loadu_si512(table + 192);
  for (size_t i = 0; i < count; i += 64) {
    const __mmask64 valid =
        count - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - i)) - 1;
    const __m512i x = _mm512_maskz_loadu_epi8(valid, in + i);
    // Seven bits choose among 128 entries, the eighth the half of the table.
    const __m512i y = _mm512_mask_blend_epi8(
        _mm512_movepi8_mask(x), _mm512_permutex2var_epi8(t0, x, t1),
        _mm512_permutex2var_epi8(t2, x, t3));
    _mm512_mask_storeu_epi8(out + i, valid, y);
  }
}

void LookUp(const uint8_t* table, const uint8_t* in, size_t count,
            uint8_t* out) {
  if (HasPermutedBytes())
    LookUpPermuted(table, in, count, out);
  else
    reference::LookUpBytes(table, in, count, out);
}

#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64

void LookUp(const uint8_t* table, const uint8_t* in, size_t count,
            uint8_t* out) {
  const uint8x16x4_t t0 = vld1q_u8_x4(table), t1 = vld1q_u8_x4(table + 64),
                     t2 = vld1q_u8_x4(table + 128),
                     t3 = vld1q_u8_x4(table + 192);
  const uint8x16_t quarter = vdupq_n_u8(64);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    uint8x16_t x = vld1q_u8(in + i);
    // Indices past a quarter leave the result as it is.
    uint8x16_t y = vqtbl4q_u8(t0, x);
    x = vsubq_u8(x, quarter);
    y = vqtbx4q_u8(y, t1, x);
    x = vsubq_u8(x, quarter);
    y = vqtbx4q_u8(y, t2, x);
    x = vsubq_u8(x, quarter);
    y = vqtbx4q_u8(y, t3, x);
    vst1q_u8(out + i, y);
  }
  reference::LookUpBytes(table, in + i, count - i, out + i);
}

#else

void LookUp(const uint8_t* table, const uint8_t* in, size_t count,
            uint8_t* out) {
  reference::LookUpBytes(table, in, count, out);
}

#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(LookUp);

void LookUpBytes(const uint8_t* table, const uint8_t* in, size_t count,
                 uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(LookUp)(table, in, count, out);
}

namespace reference {

void LookUpBytes(const uint8_t* table, const uint8_t* in, size_t count,
                 uint8_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = table[in[i]];
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
