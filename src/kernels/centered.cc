#include "kernels/centered.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/centered.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/tail-inl.h"

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

namespace {

// Infinities and NaN take an end of the range.
int32_t ToStep(float x, int32_t low, int32_t high) {
  const float rounded = std::round(x);
  if (!(rounded > static_cast<float>(low))) return low;
  return rounded < static_cast<float>(high) ? static_cast<int32_t>(rounded)
                                            : high;
}

float QuantizeSymmetric(const float* in, size_t depth, float low, float high,
                        int16_t* out) {
  const float range = std::max(std::fabs(low), std::fabs(high));
  if (!(range > 0.0f)) {
    std::fill_n(out, depth, int16_t{0});
    return 1.0f;
  }
  const float inverse = 127.0f / range;
  for (size_t i = 0; i < depth; ++i)
    out[i] = static_cast<int16_t>(ToStep(in[i] * inverse, -127, 127));
  return range / 127.0f;
}

float QuantizeAsymmetric(const float* in, size_t depth, float low, float high,
                         int16_t* out) {
  const double least = std::min(0.0f, low), most = std::max(0.0f, high);
  if (!(most > least)) {
    std::fill_n(out, depth, int16_t{0});
    return 1.0f;
  }
  const double step = (most - least) / 255.0;
  // The zero point from the end of the range where it errs less.
  const double from_low = -128.0 - least / step,
               from_high = 127.0 - most / step;
  const double zero_point =
      128.0 + std::fabs(least / step) < 127.0 + std::fabs(most / step)
          ? from_low
          : from_high;
  // Infinities leave no zero point.
  const auto zero = std::isnan(zero_point)
                        ? 0
                        : static_cast<int32_t>(std::round(
                              std::clamp(zero_point, -128.0, 127.0)));
  const auto scale = static_cast<float>(step);
  const float inverse = 1.0f / scale, offset = static_cast<float>(zero);
  for (size_t i = 0; i < depth; ++i) {
    out[i] = static_cast<int16_t>(ToStep(offset + in[i] * inverse, -128, 127) -
                                  zero);
  }
  return scale;
}

}  // namespace

void QuantizeRows(const float* in, size_t rows, size_t depth,
                  bool is_asymmetric, int16_t* out, float* scales,
                  ThreadPool& pool) {
  constexpr size_t kGrain = size_t{1} << 12;
  pool.ParallelFor(
      rows, std::max<size_t>(1, kGrain / std::max<size_t>(1, depth)),
      [&](size_t begin, size_t end, int) {
        for (size_t r = begin; r < end; ++r) {
          const float* row = in + r * depth;
          float low = 0.0f, high = 0.0f;
          for (size_t i = 0; i < depth; ++i) {
            low = std::min(low, row[i]);
            high = std::max(high, row[i]);
          }
          scales[r] =
              is_asymmetric
                  ? QuantizeAsymmetric(row, depth, low, high, out + r * depth)
                  : QuantizeSymmetric(row, depth, low, high, out + r * depth);
        }
      });
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
