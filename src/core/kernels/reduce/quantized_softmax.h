// Softmax of one row of quantized values.
#ifndef MUNJA_KERNELS_REDUCE_QUANTIZED_SOFTMAX_H_
#define MUNJA_KERNELS_REDUCE_QUANTIZED_SOFTMAX_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/elementwise/interpolation_table.h"
#include "kernels/quant/fixed_point.h"

namespace munja::kernels {

// exp(-scale * (255 - i)) at i: of the differences to the largest of a row.
using ExpTable = std::array<float, 256>;
ExpTable MakeExpTable(float scale);

// From 8 bits: the exponentials come from the table, their sum is a float.
// Rounds half away from zero. In is int8_t or uint8_t, Out those or int16_t.
template <class In, class Out>
void SoftmaxByTable(const ExpTable& table, const In* in, size_t count,
                    float out_scale, int32_t out_zero, Out* out);

// log of the softmax, rounded half to even.
template <class T>
void LogSoftmaxByTable(const ExpTable& table, float in_scale, const T* in,
                       size_t count, float out_scale, int32_t out_zero, T* out);

// int16 to int16 with an output scale of 2^-15, all in integers.
struct Softmax16 {
  // in_scale is the input's scale times beta.
  explicit Softmax16(float in_scale);
  // `in` and `out` may be the same.
  void Row(const int16_t* in, size_t count, int16_t* out) const;

  Multiplier to_table;
  InterpolationTable exp;                // On [-10, 0].
  InterpolationTable one_over_one_plus;  // 1 / (1 + x) on [0, 1].
};

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_REDUCE_QUANTIZED_SOFTMAX_H_
