#include "kernels/reduce/column_sums.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class ColumnSumsTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ColumnSumsTest);

template <class T>
void ExpectTwins(size_t rows, size_t columns, bool is_extreme) {
  std::mt19937 random(3);
  std::vector<T> in(rows * columns);
  for (T& x : in)
    x = is_extreme ? std::numeric_limits<T>::lowest()
                   : static_cast<T>(random());
  if (is_extreme && T(-1) > T(0)) in.assign(in.size(), T(255));
  std::vector<int64_t> got(columns, 5), want = got;
  AddColumns(in.data(), rows, columns, got.data());
  reference::AddColumns(in.data(), rows, columns, want.data());
  EXPECT_EQ(got, want) << rows << " x " << columns;
}

// More rows of the least number than 32 bits hold the sum of.
TEST_P(ColumnSumsTest, ManyRows_AreSummed) {
  ExpectTwins<int16_t>(140000, 3, true);
}

TEST_P(ColumnSumsTest, RandomCases_MatchReference) {
  for (const size_t columns : {1, 7, 16, 33, 48, 100, 256}) {
    for (const size_t rows : {0, 1, 255, 256, 1000, 3001}) {
      for (const bool is_extreme : {false, true}) {
        ExpectTwins<int8_t>(rows, columns, is_extreme);
        ExpectTwins<uint8_t>(rows, columns, is_extreme);
        ExpectTwins<int16_t>(rows, columns, is_extreme);
      }
    }
  }
}

template <class T>
void ExpectScaledTwins(size_t rows, size_t columns, const SumScale& scale) {
  std::mt19937 random(4);
  std::vector<T> in(rows * columns);
  for (T& x : in) x = static_cast<T>(random());
  // Sums that 16 bits just hold.
  for (size_t i = 0; i < in.size(); i += columns)
    in[i] = std::is_signed_v<T> ? T(-128) : T(255);
  std::vector<T> got(columns + 1, 5), want = got;
  ScaleColumnSums(in.data(), rows, columns, scale, got.data());
  reference::ScaleColumnSums(in.data(), rows, columns, scale, want.data());
  EXPECT_EQ(got, want) << rows << " x " << columns;
}

TEST_P(ColumnSumsTest, ScaledSums_MatchReference) {
  for (const size_t columns : {1, 7, 16, 33, 144}) {
    for (const size_t rows :
         {size_t{0}, size_t{1}, size_t{2}, size_t{9}, kMostScaledRows}) {
      for (const double real : {0.4999, 0.031, 1e-5, 7.5}) {
        for (const int32_t zero : {-128, 3, 127}) {
          const SumScale scale = {static_cast<int32_t>(rows) * -31,
                                  QuantizeMultiplier(real), zero};
          ExpectScaledTwins<int8_t>(rows, columns, scale);
          ExpectScaledTwins<uint8_t>(rows, columns, scale);
        }
      }
    }
  }
}

}  // namespace
}  // namespace munja::kernels
