// Fixed-point arithmetic of TensorFlow Lite's 8-bit quantization scheme: real
// multipliers as int32 mantissa and power of two.
//
// Its products are rounded twice (the high half of the product, then the
// shift). The kernels that TensorFlow Lite runs for convolutions and matrix
// products round once; the two differ by one now and then, and by more after
// many layers.
#ifndef MUNJA_KERNELS_QUANT_FIXED_POINT_H_
#define MUNJA_KERNELS_QUANT_FIXED_POINT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace munja::kernels {

// real ~ mantissa * 2^(exponent - 31), mantissa in [2^30, 2^31) or 0.
struct Multiplier {
  int32_t mantissa = 0;
  int32_t exponent = 0;
};

// For real >= 0. Tiny values and NaN give 0; exponents above 30, which no shift
// of 32 bits can hold, and infinity saturate.
inline Multiplier QuantizeMultiplier(double real) {
  if (!(real > 0.0)) return {};
  if (real > 1e30) return {std::numeric_limits<int32_t>::max(), 30};
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  int64_t mantissa = std::llround(fraction * 2147483648.0);
  if (mantissa == int64_t{1} << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  if (exponent > 30) return {std::numeric_limits<int32_t>::max(), 30};
  return {static_cast<int32_t>(mantissa), exponent};
}

// round(a * b / 2^31), half away from zero towards +infinity as the scheme
// has it; saturates for the one product that does not fit.
inline int32_t RoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::max();
  const int64_t product = static_cast<int64_t>(a) * b;
  const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// round(x / 2^exponent), half away from zero; exponent in [0, 31].
inline int32_t RoundingDivideByPowerOfTwo(int32_t x, int exponent) {
  const int32_t mask = static_cast<int32_t>((uint32_t{1} << exponent) - 1u) &
                       std::numeric_limits<int32_t>::max();
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// x * real. The left shift wraps, as it does everywhere else; who scales up
// sees to it that there is room.
inline int32_t Multiply(int32_t x, Multiplier m) {
  const int left = std::max(m.exponent, 0);
  const int right = std::max(-m.exponent, 0);
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(x) << left);
  return RoundingDivideByPowerOfTwo(
      RoundingDoublingHighMul(shifted, m.mantissa), right);
}

// x * real, half up; for sums of products. Wraps where the result has more
// than 32 bits.
inline int32_t MultiplyRoundedOnce(int32_t x, Multiplier m) {
  const int shift = 31 - m.exponent;  // 1 to 62.
  const int64_t product = static_cast<int64_t>(x) * m.mantissa;
  return static_cast<int32_t>((product + (int64_t{1} << (shift - 1))) >> shift);
}

// clamp(x * real + zero, low, high) without overflow in the sum.
inline int32_t Rescale(int32_t x, Multiplier m, int32_t zero, int32_t low,
                       int32_t high) {
  return std::clamp(Multiply(x, m), low - zero, high - zero) + zero;
}

// The 15 bits of the mantissa that accumulators of 48 bits are multiplied by.
inline int32_t WideMantissa(Multiplier m) {
  return m.mantissa < 0x7FFF0000 ? (m.mantissa + (1 << 15)) >> 16 : 0x7FFF;
}

// For accumulators of 48 bits (int16 activations): the mantissa is cut to 16
// bits, one rounding.
inline int32_t Multiply(int64_t x, Multiplier m) {
  const int32_t mantissa = WideMantissa(m);
  const int shift = 15 - m.exponent;
  if (shift <= 0) return 0;  // Exponents above 14 do not occur in models.
  if (shift > 62) return 0;
  const auto product = static_cast<int64_t>(static_cast<uint64_t>(x) *
                                            static_cast<uint64_t>(mantissa));
  const int64_t rounded = static_cast<int64_t>(static_cast<uint64_t>(product) +
                                               (uint64_t{1} << (shift - 1))) >>
                          shift;
  return static_cast<int32_t>(rounded);
}

// round(real / scale) + zero, clamped to the range; half away from zero. NaN
// gives the lower bound.
inline int32_t Quantize(float real, float scale, int32_t zero, int32_t low,
                        int32_t high) {
  const float q = std::round(real / scale) + static_cast<float>(zero);
  if (!(q > static_cast<float>(low))) return low;
  return q < static_cast<float>(high) ? static_cast<int32_t>(q) : high;
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_FIXED_POINT_H_
