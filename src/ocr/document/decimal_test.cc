#include "document/decimal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>

namespace munja::document {
namespace {

std::string Text(double value, int digits) {
  std::string out;
  AppendDecimal(value, digits, out);
  return out;
}

TEST(Decimal, Text_HasNoMoreDigitsThanNeeded) {
  EXPECT_EQ(Text(0, 2), "0");
  EXPECT_EQ(Text(12, 2), "12");
  EXPECT_EQ(Text(0.98f, 4), "0.98");
  EXPECT_EQ(Text(1.005, 1), "1");
  EXPECT_EQ(Text(-3.456, 2), "-3.46");
  EXPECT_EQ(Text(-0.001, 2), "0");
  EXPECT_EQ(Text(0.05, 2), "0.05");
  EXPECT_EQ(Text(9.999, 2), "10");
  EXPECT_EQ(Text(1e300, 0), "9000000000000000");
  EXPECT_EQ(Text(std::numeric_limits<double>::quiet_NaN(), 2), "0");
}

TEST(Decimal, Text_ReadsBackAsTheRoundedValue) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> numbers(-5000, 5000);
  for (int i = 0; i < 100'000; ++i) {
    const double value = numbers(random);
    const int digits = i % 5;
    ASSERT_EQ(std::strtod(Text(value, digits).c_str(), nullptr),
              RoundedDecimal(value, digits));
  }
}

}  // namespace
}  // namespace munja::document
