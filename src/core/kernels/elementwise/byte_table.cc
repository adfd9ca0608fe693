// Processors that permute bytes across a vector (AVX-512 VBMI, 64-bit Arm)
// hold the table in registers; others go through its sixteenths.
#include "kernels/elementwise/byte_table.h"

#include <algorithm>

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
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && \
    HWY_TARGET != HWY_WASM && !(HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)

// A permutation within 16 bytes looks up a sixteenth of the table. Every byte
// visits those of its half in order, and what it finds there is how one differs
// from the one before (exclusive or), until its index, less 16 each time, is
// negative: then it finds 0, as do bytes of the other half all along.
void LookUpBySixteenths(const uint8_t* table, const uint8_t* in, size_t count,
                        uint8_t* out) {
  const hn::ScalableTag<uint8_t> d;
  const hn::RebindToSigned<decltype(d)> di;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kSixteenths = 16, kOfHalf = 8, kVectors = 2;
  const size_t lanes = hn::Lanes(d), at_once = kVectors * lanes;
  size_t i = 0;
  if (count >= at_once) {
    HWY_ALIGN uint8_t differences[kSixteenths * HWY_MAX_BYTES];
    for (size_t s = 0; s < kSixteenths; ++s) {
      V difference = hn::LoadDup128(d, table + 16 * s);
      if (s % kOfHalf != 0)
        difference =
            hn::Xor(difference, hn::LoadDup128(d, table + 16 * (s - 1)));
      hn::Store(difference, d, differences + s * lanes);
    }
    const auto sixteen = hn::Set(di, int8_t{16});
    const V other_half = hn::Set(d, uint8_t{128});
    for (; i + at_once <= count; i += at_once) {
      V x[kVectors], y[kVectors];
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) {
        x[v] = hn::LoadU(d, in + i + v * lanes);
        y[v] = hn::Zero(d);
      }
      const uint8_t* from = differences;
      for (size_t half = 0; half < 2; ++half) {
        hn::Vec<decltype(di)> at[kVectors];
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v) {
          at[v] = hn::BitCast(di, x[v]);
          x[v] = hn::Xor(x[v], other_half);
        }
        HWY_UNROLL(8)
        for (size_t s = 0; s < kOfHalf; ++s, from += lanes) {
          const V difference = hn::Load(d, from);
          HWY_UNROLL(2)
          for (size_t v = 0; v < kVectors; ++v) {
            y[v] = hn::Xor(y[v], hn::TableLookupBytesOr0(
                                     difference, hn::BitCast(d, at[v])));
            at[v] = hn::SaturatedSub(at[v], sixteen);
          }
        }
      }
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v)
        hn::StoreU(y[v], d, out + i + v * lanes);
    }
  }
  reference::LookUpBytes(table, in + i, count - i, out + i);
}

#endif

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
    LookUpBySixteenths(table, in, count, out);
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

// WebAssembly finds 0 at every index past 15, also at those that a sixteenth
// must repeat at.
#elif HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || \
    HWY_TARGET == HWY_WASM

void LookUp(const uint8_t* table, const uint8_t* in, size_t count,
            uint8_t* out) {
  reference::LookUpBytes(table, in, count, out);
}

#else

void LookUp(const uint8_t* table, const uint8_t* in, size_t count,
            uint8_t* out) {
  LookUpBySixteenths(table, in, count, out);
}

#endif

// Channel by channel, a piece of a row at a time.
void LookUpThree(const uint8_t* tables, const uint8_t* in, size_t pixels,
                 bool swap, uint8_t* out) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  constexpr size_t kPiece = 512;  // A multiple of the bytes of any vector.
  const hn::CappedTag<uint8_t, kPiece> d;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint8_t planes[3][kPiece];
  while (pixels >= lanes) {
    const size_t count = HWY_MIN(pixels / lanes * lanes, kPiece);
    for (size_t i = 0; i < count; i += lanes) {
      hn::Vec<decltype(d)> first, second, third;
      hn::LoadInterleaved3(d, in + 3 * i, first, second, third);
      hn::Store(swap ? third : first, d, planes[0] + i);
      hn::Store(second, d, planes[1] + i);
      hn::Store(swap ? first : third, d, planes[2] + i);
    }
    for (size_t c = 0; c < 3; ++c)
      LookUp(tables + 256 * c, planes[c], count, planes[c]);
    for (size_t i = 0; i < count; i += lanes) {
      hn::StoreInterleaved3(hn::Load(d, planes[0] + i),
                            hn::Load(d, planes[1] + i),
                            hn::Load(d, planes[2] + i), d, out + 3 * i);
    }
    in += 3 * count;
    out += 3 * count;
    pixels -= count;
  }
#endif
  reference::LookUpPixels(tables, in, pixels, swap, out);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(LookUp);
HWY_EXPORT(LookUpThree);

void LookUpBytes(const uint8_t* table, const uint8_t* in, size_t count,
                 uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(LookUp)(table, in, count, out);
}

void LookUpPixels(const uint8_t* tables, const uint8_t* in, size_t pixels,
                  bool swap, uint8_t* out) {
  const bool are_equal = std::equal(tables, tables + 512, tables + 256);
  if (are_equal && !swap)
    LookUpBytes(tables, in, 3 * pixels, out);
  else
    HWY_DYNAMIC_DISPATCH(LookUpThree)(tables, in, pixels, swap, out);
}

namespace reference {

void LookUpBytes(const uint8_t* table, const uint8_t* in, size_t count,
                 uint8_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = table[in[i]];
}

void LookUpPixels(const uint8_t* tables, const uint8_t* in, size_t pixels,
                  bool swap, uint8_t* out) {
  for (size_t i = 0; i < pixels; ++i, in += 3, out += 3)
    for (size_t c = 0; c < 3; ++c)
      out[c] = tables[256 * c + in[swap ? 2 - c : c]];
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
