// Sigmoid and tanh of int16 numbers in fixed point, bit for bit as the integer
// recurrent operators of TensorFlow Lite define them. "Q3.12": an
// int16 with 3 integer and 12 fractional bits.
#ifndef MUNJA_KERNELS_QUANT_FIXED_POINT_FUNCTIONS_H_
#define MUNJA_KERNELS_QUANT_FIXED_POINT_FUNCTIONS_H_

#include <algorithm>
#include <cstdint>

namespace munja::kernels {

// x in Q(integer_bits).(15 - integer_bits), integer_bits in [0, 6]; the result
// in Q0.15.
int16_t FixedSigmoid(int16_t x, int integer_bits);
int16_t FixedTanh(int16_t x, int integer_bits);

// a * b / 2^15 for numbers in Q0.15, halves rounded up, saturating.
int16_t FixedProduct(int16_t a, int16_t b);

// Clamped to what an int16 holds.
inline int16_t SaturateToInt16(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, -32768, 32767));
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_FIXED_POINT_FUNCTIONS_H_
