#include "kernels/row_quantization.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace munja::kernels {
namespace {

// round(x) in [low, 127]; NaN gives the bound below.
int8_t Round(float x, float low) {
  const float rounded = std::round(x);
  if (!(rounded > low)) return static_cast<int8_t>(low);
  return static_cast<int8_t>(std::min(rounded, 127.0f));
}

}  // namespace

RowScale QuantizeRow(const float* x, size_t count, int8_t* out) {
  float range = 0.0f;
  for (size_t i = 0; i < count; ++i) range = std::max(range, std::abs(x[i]));
  if (range == 0.0f) {
    if (count > 0) std::memset(out, 0, count);
    return {};
  }
  const float inverse = 127.0f / range;
  for (size_t i = 0; i < count; ++i) out[i] = Round(x[i] * inverse, -127.0f);
  return {range / 127.0f, 0};
}

RowScale QuantizeRowAsymmetric(const float* x, size_t count, int8_t* out) {
  float least = 0.0f, greatest = 0.0f;
  for (size_t i = 0; i < count; ++i) {
    least = std::min(least, x[i]);
    greatest = std::max(greatest, x[i]);
  }
  if (least == greatest) {
    if (count > 0) std::memset(out, 0, count);
    return {};
  }
  constexpr double kLow = -128.0, kHigh = 127.0;
  const double scale = (static_cast<double>(greatest) - least) / (kHigh - kLow);
  if (!std::isfinite(scale)) {
    std::memset(out, 0, count);
    return {std::numeric_limits<float>::quiet_NaN(), 0};
  }
  // The zero point from the end that is nearer to 0 has the smaller error.
  const double from_least = kLow - least / scale;
  const double from_greatest = kHigh - greatest / scale;
  const double least_error = -kLow + std::abs(least / scale);
  const double greatest_error = kHigh + std::abs(greatest / scale);
  const double zero = std::clamp(
      least_error < greatest_error ? from_least : from_greatest, kLow, kHigh);
  const RowScale row{static_cast<float>(scale),
                     static_cast<int32_t>(std::round(zero))};
  const float inverse = 1.0f / row.scale;
  for (size_t i = 0; i < count; ++i)
    out[i] = Round(static_cast<float>(row.zero) + x[i] * inverse, -128.0f);
  return row;
}

// Unsigned arithmetic: what does not fit wraps instead of being undefined.
int32_t Dot(const int8_t* a, const int8_t* b, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += static_cast<uint32_t>(int32_t{a[i]} * int32_t{b[i]});
  return static_cast<int32_t>(sum);
}

int32_t Sum(const int8_t* a, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += static_cast<uint32_t>(int32_t{a[i]});
  return static_cast<int32_t>(sum);
}

}  // namespace munja::kernels
