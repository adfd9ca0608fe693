#include "kernels/reduce/quantized_softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace munja::kernels {
namespace {

template <class Out>
Out Saturate(float v, int32_t zero) {
  constexpr float kLow = std::numeric_limits<Out>::min();
  constexpr float kHigh = std::numeric_limits<Out>::max();
  const float stored = v + static_cast<float>(zero);
  if (!(stored > kLow)) return std::numeric_limits<Out>::min();
  return static_cast<Out>(std::min(stored, kHigh));
}

// The table shifted so that a quantized value is its index: the largest of the
// row stands at exp(0).
template <class In>
const float* TableFor(const ExpTable& table, In largest) {
  return table.data() + 255 - largest;
}

template <class In>
float SumOfExp(const float* table, const In* in, size_t count) {
  float sum = 0.0f;
  for (size_t i = 0; i < count; ++i) sum += table[in[i]];
  return sum;
}

}  // namespace

ExpTable MakeExpTable(float scale) {
  ExpTable table;
  for (int i = 0; i < 256; ++i) {
    const float x = -scale * static_cast<float>(255 - i);
    table[i] = static_cast<float>(std::exp(static_cast<double>(x)));
  }
  return table;
}

template <class In, class Out>
void SoftmaxByTable(const ExpTable& table, const In* in, size_t count,
                    float out_scale, int32_t out_zero, Out* out) {
  if (count == 0) return;
  const float* exp = TableFor(table, *std::max_element(in, in + count));
  const float to_stored = 1.0f / (SumOfExp(exp, in, count) * out_scale);
  for (size_t i = 0; i < count; ++i)
    out[i] = Saturate<Out>(std::round(exp[in[i]] * to_stored), out_zero);
}

template void SoftmaxByTable(const ExpTable&, const int8_t*, size_t, float,
                             int32_t, int8_t*);
template void SoftmaxByTable(const ExpTable&, const uint8_t*, size_t, float,
                             int32_t, uint8_t*);
template void SoftmaxByTable(const ExpTable&, const int8_t*, size_t, float,
                             int32_t, int16_t*);
template void SoftmaxByTable(const ExpTable&, const uint8_t*, size_t, float,
                             int32_t, int16_t*);

template <class T>
void LogSoftmaxByTable(const ExpTable& table, float in_scale, const T* in,
                       size_t count, float out_scale, int32_t out_zero,
                       T* out) {
  if (count == 0) return;
  const T largest = *std::max_element(in, in + count);
  const float sum = SumOfExp(TableFor(table, largest), in, count);
  const float log_sum = static_cast<float>(std::log(static_cast<double>(sum)));
  const float scale = in_scale / out_scale;
  const float offset =
      (in_scale * static_cast<float>(largest) + log_sum) / out_scale;
  for (size_t i = 0; i < count; ++i) {
    const float v = scale * static_cast<float>(in[i]) - offset;
    out[i] = Saturate<T>(std::nearbyint(v), out_zero);
  }
}

template void LogSoftmaxByTable(const ExpTable&, float, const int8_t*, size_t,
                                float, int32_t, int8_t*);
template void LogSoftmaxByTable(const ExpTable&, float, const uint8_t*, size_t,
                                float, int32_t, uint8_t*);

Softmax16::Softmax16(float in_scale)
    : to_table(
          QuantizeMultiplier(static_cast<double>(in_scale) / (10.0 / 65535.0))),
      exp(MakeInterpolationTable<double>(10.0 / 65535.0, 32767, 2.0 / 65535.0,
                                         [](double x) { return std::exp(x); })),
      one_over_one_plus(MakeInterpolationTable<double>(
          1.0 / 65535.0, -32768, 2.0 / 65535.0,
          [](double x) { return 1.0 / (1.0 + x); })) {}

void Softmax16::Row(const int16_t* in, size_t count, int16_t* out) const {
  if (count == 0) return;
  const int32_t largest = *std::max_element(in, in + count);
  // The exponentials, 15 bits behind the point, wait in the output.
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const int32_t x = Rescale(in[i] - largest, to_table, 32767, -32768, 32767);
    out[i] = Interpolate(exp, static_cast<int16_t>(x));
    sum += out[i];
  }
  // sum = (1 + x) * 2^bits; x goes into the table from -32768 to 32767.
  const auto sum32 = static_cast<uint32_t>(
      std::clamp<int64_t>(sum, 1, std::numeric_limits<int32_t>::max()));
  const int zeros = std::countl_zero(sum32);
  const int64_t shifted =
      ((static_cast<int64_t>(sum32) << (zeros - 1)) + (1 << 13)) >> 14;
  const int64_t x =
      std::clamp<int64_t>(shifted - (1 << 15) - (1 << 16), -32768, 32767);
  const int64_t reciprocal =
      Interpolate(one_over_one_plus, static_cast<int16_t>(x));
  const int shift = 31 - zeros;
  const int64_t round = shift > 0 ? int64_t{1} << (shift - 1) : 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t v = (out[i] * reciprocal + round) >> shift;
    out[i] = static_cast<int16_t>(std::clamp<int64_t>(v, 0, 32767));
  }
}

}  // namespace munja::kernels
