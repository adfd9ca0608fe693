#include "kernels/quant/int_epilogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/quant/fixed_point.h"

namespace munja::kernels {
namespace {

class IntEpilogueTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(IntEpilogueTest);

// Sums whose results lie halfway between integers, or next to that, and those
// that are the farthest from 0.
std::vector<int32_t> Sums(double scale) {
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  std::vector<int32_t> sums;
  for (int half = -700; half <= 700; ++half) {
    const double tie = (half + 0.5) / scale;
    for (const double near : {-1.0, 0.0, 1.0})
      sums.push_back(
          static_cast<int32_t>(std::clamp(tie + near, -kMost, kMost)));
  }
  for (const double far : {1500.0, 1600.0, 4000.0, 1e6, 1e30})
    for (const double sign : {-1.0, 1.0})
      sums.push_back(
          static_cast<int32_t>(std::clamp(sign * far / scale, -kMost, kMost)));
  sums.push_back(std::numeric_limits<int32_t>::min());
  return sums;
}

// Rows of `columns` sums, each column with a multiplier near `scale`.
void ExpectTwins(double scale, ElementType type, size_t columns) {
  std::vector<int32_t> mantissas, exponents;
  for (size_t c = 0; c < columns; ++c) {
    const Multiplier m =
        QuantizeMultiplier(scale * (1 + 1e-7 * static_cast<double>(c)));
    mantissas.push_back(m.mantissa);
    exponents.push_back(m.exponent);
  }
  const std::vector<int32_t> sums = Sums(scale);
  const size_t rows = sums.size() / columns, stride = columns;
  std::vector<RowTarget> targets(rows);
  // Not all rows follow one another.
  for (size_t r = 0; r < rows; ++r)
    targets[r].offset = r * columns + (r < 8 ? 0 : 3);
  const size_t count = rows * columns + 3;
  std::vector<uint8_t> got(count, 0x55), want = got;
  IntEpilogue epilogue;
  epilogue.type = type;
  epilogue.mantissas = mantissas.data();
  epilogue.exponents = exponents.data();
  epilogue.zero = type == ElementType::kUInt8 ? 255 : -128;
  epilogue.low = type == ElementType::kUInt8 ? 0 : -128;
  epilogue.high = type == ElementType::kUInt8 ? 255 : 127;
  epilogue.out = got.data();
  StoreSums(epilogue, sums.data(), stride, targets.data(), rows, 0, columns);
  epilogue.out = want.data();
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c)
      reference::StoreSum(epilogue, sums[r * stride + c], targets[r], c);
  }
  EXPECT_EQ(got, want) << "scale " << scale << ", " << columns << " columns";
}

TEST_P(IntEpilogueTest, SumsNearTies_MatchReference) {
  for (const double scale : {0.49, 0.25, 0.1, 0.0123, 3.1e-4, 7e-6}) {
    for (const size_t columns : {1, 5, 8, 16, 20, 32, 48}) {
      ExpectTwins(scale, ElementType::kInt8, columns);
      ExpectTwins(scale, ElementType::kUInt8, columns);
    }
  }
}

// int16 with sums of 64 bits: ties, the largest sums, and biases and
// multipliers beyond what double precision takes.
TEST_P(IntEpilogueTest, WideSums_MatchReference) {
  constexpr size_t kColumns = 83, kRows = 19;
  std::mt19937_64 generator(3);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(generator);
  };
  for (const int32_t exponent : {-31, -24, -16, -13, -5, -1, 0, 14}) {
    for (const int64_t most :
         {int64_t{0}, int64_t{1} << 31, int64_t{1} << 45}) {
      std::vector<int32_t> mantissas, exponents(kColumns, exponent), sums;
      std::vector<int64_t> bias;
      for (size_t c = 0; c < kColumns; ++c) {
        mantissas.push_back(
            c % 5 == 0 ? 1 << 30
                       : static_cast<int32_t>(draw(1 << 30, INT32_MAX)));
        bias.push_back(draw(-most, most));
      }
      mantissas[1] = 0;
      for (size_t i = 0; i < kRows * kColumns; ++i) {
        // Results near halves, then any.
        const double scale = std::ldexp(mantissas[i % kColumns], exponent - 31);
        const double tie = (static_cast<double>(draw(-40000, 40000)) + 0.5) /
                           std::max(scale, 1e-9);
        sums.push_back(static_cast<int32_t>(
            i % 3 == 0 ? draw(INT32_MIN, INT32_MAX)
                       : std::clamp(tie, -2147483648.0, 2147483645.0) + i % 3));
      }
      std::vector<RowTarget> targets(kRows);
      for (size_t r = 0; r < kRows; ++r) targets[r].offset = r * kColumns;
      std::vector<int16_t> got(kRows * kColumns, 77), want = got;
      IntEpilogue epilogue;
      epilogue.type = ElementType::kInt16;
      epilogue.is_wide = true;
      epilogue.mantissas = mantissas.data();
      epilogue.exponents = exponents.data();
      if (most != 0) epilogue.wide_bias = bias.data();
      epilogue.low = -30000;
      epilogue.high = 32767;
      epilogue.out = got.data();
      StoreSums(epilogue, sums.data(), kColumns, targets.data(), kRows, 0,
                kColumns);
      epilogue.out = want.data();
      for (size_t i = 0; i < sums.size(); ++i) {
        reference::StoreSum(epilogue, sums[i], targets[i / kColumns],
                            i % kColumns);
      }
      EXPECT_EQ(got, want) << exponent << ", biases of " << most;
    }
  }
}

}  // namespace
}  // namespace munja::kernels
