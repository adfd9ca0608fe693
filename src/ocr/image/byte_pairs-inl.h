// Per-target: weighted sums of pairs of bytes, the inner step of scaling and
// warping. 128-bit vectors on every target: a pixel is what is worked on.
// No include guard by name: included once for each target.
#if defined(MUNJA_IMAGE_BYTE_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_IMAGE_BYTE_PAIRS_INL_H_
#undef MUNJA_IMAGE_BYTE_PAIRS_INL_H_
#else
#define MUNJA_IMAGE_BYTE_PAIRS_INL_H_
#endif

#include "hwy/highway.h"

// Whether this target has vectors; if not, callers keep to their plain loops.
#undef MUNJA_BYTE_PAIRS
#define MUNJA_BYTE_PAIRS (HWY_TARGET != HWY_SCALAR)

HWY_BEFORE_NAMESPACE();
namespace munja::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if MUNJA_BYTE_PAIRS

using Tag8 = hn::FixedTag<uint8_t, 16>;
using Tag16 = hn::FixedTag<int16_t, 8>;
using Tag32 = hn::FixedTag<int32_t, 4>;
using Vec8 = hn::Vec<Tag8>;
using Vec16 = hn::Vec<Tag16>;
using Vec32 = hn::Vec<Tag32>;

// Lane i: a[2i] * b[2i] + a[2i + 1] * b[2i + 1] + sum[i].
HWY_INLINE Vec32 AddPairProducts(Vec16 a, Vec16 b, Vec32 sum) {
  const Tag32 d32;
#if (HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128) || HWY_TARGET == HWY_WASM
  Vec32 unused = hn::Zero(d32);  // The instruction adds neighbors.
  return hn::ReorderWidenMulAccumulate(d32, a, b, sum, unused);
#else
  const auto even = [&](Vec16 v) HWY_ATTR {
    return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(d32, v)));
  };
  const auto odd = [&](Vec16 v) HWY_ATTR {
    return hn::ShiftRight<16>(hn::BitCast(d32, v));
  };
  return hn::Add(sum,
                 hn::Add(hn::Mul(even(a), even(b)), hn::Mul(odd(a), odd(b))));
#endif
}

// The lower, or upper, eight of 16 bytes as 16-bit lanes.
HWY_INLINE Vec16 WidenLower(Vec8 v) {
  return hn::BitCast(Tag16(), hn::InterleaveLower(Tag8(), v, hn::Zero(Tag8())));
}
HWY_INLINE Vec16 WidenUpper(Vec8 v) {
  return hn::BitCast(Tag16(), hn::InterleaveUpper(Tag8(), v, hn::Zero(Tag8())));
}

// Two 16-bit weights in every 32-bit lane; the first in the low half.
HWY_INLINE Vec16 BroadcastPair(const int16_t* weights) {
  const uint32_t low = static_cast<uint16_t>(weights[0]);
  const uint32_t high = static_cast<uint16_t>(weights[1]);
  return hn::BitCast(Tag16(),
                     hn::Set(Tag32(), static_cast<int32_t>(low | high << 16)));
}

#endif  // MUNJA_BYTE_PAIRS

}  // namespace munja::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
