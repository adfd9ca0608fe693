#include "kernels/quant/quantize.h"

#include <cmath>
#include <limits>

#include "kernels/quant/fixed_point.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/quantize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/quant/narrow-inl.h"
#include "kernels/quant/near_whole-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// As many whole groups of four vectors as there are, to bytes; gives the
// numbers done. The product with the inverse of the scale is near enough to the
// quotient unless that lies halfway between two integers.
template <class T, class Convert>
HWY_INLINE size_t QuantizeGroups(const float* in, size_t count, float scale,
                                 int32_t zero, T* out, const Convert& convert) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  const D32 d32;
  const hn::Repartition<T, D32> bytes;
  const hn::Rebind<T, D32> dt;
  const size_t lanes = hn::Lanes(d);
  const float inverse = 1.0f / scale;
  if (!std::isnormal(inverse) || zero < std::numeric_limits<T>::min() ||
      zero > std::numeric_limits<T>::max())
    return 0;
  // The inverse and the product are rounded; results below 384 count.
  ByteRounder<decltype(d)> rounder(5e-5);
  const auto factor = hn::Set(d, inverse),
             base = hn::Set(d, rounder.Base(zero));
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    hn::Vec<D32> q[4];
    rounder.Begin();
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) {
      const auto x = hn::MulAdd(hn::LoadU(d, in + i + v * lanes), factor, base);
      // All quotients beyond that are stored as the lowest or the highest
      // value.
      q[v] = rounder.Round(rounder.Limit(x));
    }
    if (HWY_UNLIKELY(!rounder.AreSure())) {
      for (size_t v = 0; v < 4; ++v)
        hn::StoreU(convert(hn::LoadU(d, in + i + v * lanes)), dt,
                   out + i + v * lanes);
      continue;
    }
    hn::StoreU(NarrowFour<T>(d32, q[0], q[1], q[2], q[3]), bytes, out + i);
  }
  return i;
}
#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// The same to int16, whose quotients float has few bits more than.
template <class Convert>
HWY_INLINE size_t QuantizeVectors(const float* in, size_t count, float scale,
                                  int32_t zero, int16_t* out,
                                  const Convert& convert) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  const hn::Rebind<int16_t, D32> dt;
  const size_t lanes = hn::Lanes(d);
  const float inverse = 1.0f / scale;
  if (!std::isnormal(inverse)) return 0;
  const WholeNumbers<decltype(d)> whole(0.0);
  const auto factor = hn::Set(d, inverse);
  const auto offset = hn::Set(D32(), zero);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::LoadU(d, in + i), quotient = hn::Mul(x, factor);
    const auto rounded = whole.Round(quotient);
    auto stored = hn::DemoteTo(dt, hn::Add(rounded, offset));
    if (HWY_UNLIKELY(!whole.AreSure(quotient, hn::Abs(quotient), rounded)))
      stored = convert(x);
    hn::StoreU(stored, dt, out + i);
  }
  return i;
}
#endif

template <class T>
void QuantizeOf(const float* in, size_t count, float scale, int32_t zero,
                T* out) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  const hn::Rebind<T, D32> dt;
  const size_t lanes = hn::Lanes(d);
  const auto divisor = hn::Set(d, scale);
  const auto offset = hn::Set(d, static_cast<float>(zero));
  const auto low =
      hn::Set(d, static_cast<float>(std::numeric_limits<T>::min()));
  const auto high =
      hn::Set(d, static_cast<float>(std::numeric_limits<T>::max()));
  const auto half = hn::Set(d, 0.5f), one = hn::Set(d, 1.0f);
  const auto convert = [&](auto x) HWY_ATTR {
    const auto v = hn::Div(x, divisor);
    // Half away from zero; adding a half first would round 0.49999997 up.
    const auto whole = hn::Trunc(v);
    const auto is_more = hn::Ge(hn::Abs(hn::Sub(v, whole)), half);
    const auto rounded =
        hn::Add(whole, hn::IfThenElseZero(is_more, hn::CopySign(one, v)));
    const auto stored = hn::Add(rounded, offset);
    // Not greater than the lowest, or NaN.
    const auto clamped =
        hn::IfThenElse(hn::Gt(stored, low), hn::Min(stored, high), low);
    return hn::DemoteTo(dt, hn::ConvertTo(D32(), clamped));
  };
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  if constexpr (sizeof(T) == 1)
    i = QuantizeGroups(in, count, scale, zero, out, convert);
  else
    i = QuantizeVectors(in, count, scale, zero, out, convert);
#endif
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(convert(hn::LoadU(d, in + i)), dt, out + i);
  if (i < count) {
    const size_t rest = count - i;
    StoreTail(convert(LoadTail(d, in + i, rest)), dt, out + i, rest);
  }
}

template <class T>
void DequantizeOf(const T* in, size_t count, float scale, int32_t zero,
                  float* out) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  const D32 d32;
  const hn::Rebind<T, D32> dt;
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  const auto offset = hn::Set(d32, zero);
  const auto convert = [&](auto v) HWY_ATTR {
    const auto x = hn::Sub(hn::PromoteTo(d32, v), offset);
    return hn::Mul(hn::ConvertTo(d, x), factor);
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(convert(hn::LoadU(dt, in + i)), d, out + i);
  if (i < count) {
    const size_t rest = count - i;
    StoreTail(convert(LoadTail(dt, in + i, rest)), d, out + i, rest);
  }
}

#define MUNJA_QUANTIZE_OF(name, type)                              \
  void Quantize##name(const float* in, size_t count, float scale,  \
                      int32_t zero, type* out) {                   \
    QuantizeOf(in, count, scale, zero, out);                       \
  }                                                                \
  void Dequantize##name(const type* in, size_t count, float scale, \
                        int32_t zero, float* out) {                \
    DequantizeOf(in, count, scale, zero, out);                     \
  }
MUNJA_QUANTIZE_OF(Int8, int8_t)
MUNJA_QUANTIZE_OF(UInt8, uint8_t)
MUNJA_QUANTIZE_OF(Int16, int16_t)
#undef MUNJA_QUANTIZE_OF

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

#define MUNJA_QUANTIZE_OF(name, type)                                      \
  HWY_EXPORT(Quantize##name);                                              \
  template <>                                                              \
  void Quantize(const float* in, size_t count, float scale, int32_t zero,  \
                type* out) {                                               \
    HWY_DYNAMIC_DISPATCH(Quantize##name)(in, count, scale, zero, out);     \
  }                                                                        \
  HWY_EXPORT(Dequantize##name);                                            \
  template <>                                                              \
  void Dequantize(const type* in, size_t count, float scale, int32_t zero, \
                  float* out) {                                            \
    HWY_DYNAMIC_DISPATCH(Dequantize##name)(in, count, scale, zero, out);   \
  }
MUNJA_QUANTIZE_OF(Int8, int8_t)
MUNJA_QUANTIZE_OF(UInt8, uint8_t)
MUNJA_QUANTIZE_OF(Int16, int16_t)
#undef MUNJA_QUANTIZE_OF

template <>
void Dequantize(const int32_t* in, size_t count, float scale, int32_t zero,
                float* out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>((static_cast<double>(in[i]) - zero) * scale);
}

namespace reference {

template <class T>
void Quantize(const float* in, size_t count, float scale, int32_t zero,
              T* out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(kernels::Quantize(in[i], scale, zero,
                                              std::numeric_limits<T>::min(),
                                              std::numeric_limits<T>::max()));
}

template void Quantize(const float*, size_t, float, int32_t, int8_t*);
template void Quantize(const float*, size_t, float, int32_t, uint8_t*);
template void Quantize(const float*, size_t, float, int32_t, int16_t*);

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
