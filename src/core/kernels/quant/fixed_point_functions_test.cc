#include "kernels/quant/fixed_point_functions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace munja::kernels {
namespace {

TEST(FixedPointFunctions, Sigmoid_IsCloseForAllInputs) {
  for (int x = -32768; x <= 32767; ++x) {
    const double real = 1.0 / (1.0 + std::exp(-x / 4096.0));
    ASSERT_NEAR(FixedSigmoid(static_cast<int16_t>(x), 3), real * 32768.0, 16)
        << x;
  }
  EXPECT_EQ(FixedSigmoid(0, 3), 16384);
}

TEST(FixedPointFunctions, Tanh_IsCloseForAllInputs) {
  for (int bits = 0; bits <= 6; ++bits) {
    for (int x = -32768; x <= 32767; ++x) {
      const double real = std::tanh(x * std::ldexp(1.0, bits - 15));
      ASSERT_NEAR(FixedTanh(static_cast<int16_t>(x), bits), real * 32768.0, 24)
          << x << " with " << bits << " integer bits";
    }
  }
  EXPECT_EQ(FixedTanh(0, 3), 0);
}

TEST(FixedPointFunctions, Tanh_IsOdd) {
  for (int x = 1; x <= 32767; ++x) {
    ASSERT_EQ(FixedTanh(static_cast<int16_t>(x), 4),
              -FixedTanh(static_cast<int16_t>(-x), 4));
  }
}

TEST(FixedPointFunctions, Product_RoundsHalvesUpAndSaturates) {
  EXPECT_EQ(FixedProduct(-32768, -32768), 32767);
  EXPECT_EQ(FixedProduct(1 << 14, 3), 2);
  EXPECT_EQ(FixedProduct(1 << 14, -3), -1);
  EXPECT_EQ(FixedProduct(1 << 13, 1), 0);
}

}  // namespace
}  // namespace munja::kernels
