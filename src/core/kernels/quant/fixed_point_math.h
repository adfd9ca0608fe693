// Reciprocals and inverse square roots in fixed point, bit for bit those of
// TensorFlow Lite's quantized operators: Newton's iteration on int32.
#ifndef MUNJA_KERNELS_QUANT_FIXED_POINT_MATH_H_
#define MUNJA_KERNELS_QUANT_FIXED_POINT_MATH_H_

#include <bit>
#include <cstdint>
#include <limits>

#include "kernels/quant/fixed_point.h"

namespace munja::kernels {

// x * 2^exponent, saturating; exponent in [0, 31].
inline int32_t SaturatingShiftLeft(int32_t x, int exponent) {
  const int64_t wide = static_cast<int64_t>(x) * (int64_t{1} << exponent);
  if (wide > std::numeric_limits<int32_t>::max())
    return std::numeric_limits<int32_t>::max();
  if (wide < std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(wide);
}

// 1 / x for x >= 1 as a multiplier.
inline Multiplier Reciprocal(int32_t x) {
  // x = (1 + rest) * 2^bits; both factors below have 31 bits behind the point,
  // `estimate` has 29.
  const int zeros = std::countl_zero(static_cast<uint32_t>(x));
  const auto rest = static_cast<int32_t>((static_cast<uint32_t>(x) << zeros) -
                                         (uint32_t{1} << 31));
  const int64_t sum =
      static_cast<int64_t>(rest) + std::numeric_limits<int32_t>::max();
  const auto half = static_cast<int32_t>((sum + 1) / 2);  // (1 + rest) / 2
  constexpr int32_t k48Over17 = 1515870810, k32Over17 = 1010580540;
  int32_t estimate = k48Over17 + RoundingDoublingHighMul(half, -k32Over17);
  for (int i = 0; i < 3; ++i) {
    const int32_t error =
        (int32_t{1} << 29) - RoundingDoublingHighMul(half, estimate);
    estimate +=
        SaturatingShiftLeft(RoundingDoublingHighMul(estimate, error), 2);
  }
  // The estimate is of 2 / (1 + rest).
  return {SaturatingShiftLeft(estimate, 1), zeros - 31};
}

// 1 / sqrt(x) for x >= 0 as a multiplier; 0 counts as 1.
inline Multiplier InverseSquareRoot(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  while (x >= 1 << 29) {
    x /= 4;
    ++shift;
  }
  const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  shift -= pairs;
  x <<= 2 * pairs;
  // 28 bits behind the point.
  const int32_t half_x = RoundingDivideByPowerOfTwo(x >> 1, 1);
  constexpr int32_t kThreeHalves = (1 << 28) + (1 << 27);
  int32_t y = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = SaturatingShiftLeft(
        RoundingDoublingHighMul(RoundingDoublingHighMul(y, y), y), 6);
    y = SaturatingShiftLeft(RoundingDoublingHighMul(kThreeHalves, y) -
                                RoundingDoublingHighMul(half_x, cube),
                            3);
  }
  constexpr int32_t kHalfRootTwo = 1518500250;
  y = RoundingDoublingHighMul(y, kHalfRootTwo);
  if (shift < 0) {
    y = static_cast<int32_t>(static_cast<uint32_t>(y) << -shift);
    shift = 0;
  }
  return {y, -shift};
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_FIXED_POINT_MATH_H_
