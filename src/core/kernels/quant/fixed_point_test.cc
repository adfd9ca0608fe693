#include "kernels/quant/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace munja::kernels {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

TEST(FixedPoint, Multiplier_HasMantissaAndExponent) {
  EXPECT_EQ(QuantizeMultiplier(0.0).mantissa, 0);
  EXPECT_EQ(QuantizeMultiplier(1.0).mantissa, 1 << 30);
  EXPECT_EQ(QuantizeMultiplier(1.0).exponent, 1);
  EXPECT_EQ(QuantizeMultiplier(0.75).mantissa, 1610612736);
  EXPECT_EQ(QuantizeMultiplier(0.75).exponent, 0);
  // Rounds up to 2^31, which is 2^30 with the next exponent.
  EXPECT_EQ(QuantizeMultiplier(1.0 - 1e-12).mantissa, 1 << 30);
  EXPECT_EQ(QuantizeMultiplier(1.0 - 1e-12).exponent, 1);
  EXPECT_EQ(QuantizeMultiplier(std::ldexp(0.5, -32)).mantissa, 0);
  EXPECT_EQ(QuantizeMultiplier(std::nan("")).mantissa, 0);
  for (const double huge : {std::ldexp(1.0, 40), HUGE_VAL}) {
    EXPECT_EQ(QuantizeMultiplier(huge).mantissa, kMax);
    EXPECT_EQ(QuantizeMultiplier(huge).exponent, 30);
  }
}

TEST(FixedPoint, Division_RoundsHalfAwayFromZero) {
  EXPECT_EQ(RoundingDivideByPowerOfTwo(5, 1), 3);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(-5, 1), -3);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(4, 3), 1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(-4, 3), -1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(-3, 3), 0);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(kMin, 31), -1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(kMax, 31), 1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(7, 0), 7);
}

TEST(FixedPoint, HighMul_SaturatesOnce) {
  EXPECT_EQ(RoundingDoublingHighMul(kMin, kMin), kMax);
  EXPECT_EQ(RoundingDoublingHighMul(1 << 30, 1 << 30), 1 << 29);
}

TEST(FixedPoint, Multiply_IsWithinOneOfTheExactProduct) {
  for (const double real : {0.001234, 0.25, 0.9999, 1.7, 12.5}) {
    const Multiplier m = QuantizeMultiplier(real);
    for (const int32_t x : {0, 1, -1, 127, -128, 30000, -70001}) {
      // Two roundings: at most one half and a little more.
      EXPECT_NEAR(Multiply(x, m), x * real, 1.0) << x << " * " << real;
      // A mantissa of 16 bits: relative error 2^-16.
      EXPECT_NEAR(Multiply(int64_t{x}, m), x * real,
                  0.5 + std::abs(x * real) / 32768)
          << x << " * " << real;
    }
  }
}

TEST(FixedPoint, Quantize_RoundsHalfAwayFromZeroAndClamps) {
  EXPECT_EQ(Quantize(1.25f, 0.5f, 3, -128, 127), 6);
  EXPECT_EQ(Quantize(-1.25f, 0.5f, 3, -128, 127), 0);
  EXPECT_EQ(Quantize(1e9f, 0.5f, 3, -128, 127), 127);
  EXPECT_EQ(Quantize(-1e9f, 0.5f, 3, -128, 127), -128);
  EXPECT_EQ(Quantize(std::nanf(""), 0.5f, 3, -128, 127), -128);
}

}  // namespace
}  // namespace munja::kernels
