#include "compress/calibration/range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "compress/quantization/assignment.h"

namespace munja::compress {
namespace {

TEST(Histogram, Counts_AreIndependentOfOrder) {
  Histogram h;
  h.Add(std::vector<float>{0.001f, -0.002f});
  h.Add(std::vector<float>{100.0f});
  h.Add(
      std::vector<float>{-0.5f, 0.5f, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(h.count(), 5);
  EXPECT_EQ(h.not_finite(), 1);
  EXPECT_EQ(h.low(), -0.5);
  EXPECT_EQ(h.high(), 100.0);
  int64_t sum = 0;
  for (const int64_t n : h.bins()) sum += n;
  EXPECT_EQ(sum, 5);
}

TEST(Histogram, Merged_EqualsOne) {
  const std::vector<float> small = {0.1f, 0.2f, -0.3f}, large = {50.0f, -60.0f};
  Histogram a, b, all;
  a.Add(small);
  b.Add(large);
  a.Merge(b);
  all.Add(small);
  all.Add(large);
  EXPECT_EQ(a.low(), all.low());
  EXPECT_EQ(a.high(), all.high());
  ASSERT_EQ(a.width(), all.width());
  for (int i = 0; i < Histogram::kBins; ++i)
    ASSERT_EQ(a.bins()[static_cast<size_t>(i)],
              all.bins()[static_cast<size_t>(i)]);
}

// Each value is in the bin around it, however the limit grew: it is the least
// power of two above all magnitudes.
TEST(Histogram, Bins_HoldTheValuesWithinThem) {
  std::mt19937 random(7);
  for (const float most : {0.01f, 0.7f, 3.0f, 900.0f}) {
    std::uniform_real_distribution<float> any(-most, most);
    Histogram h;
    std::vector<float> all = {most};
    h.Add(all);
    for (int part = 0; part < 3; ++part) {
      std::vector<float> values(1000);
      for (float& x : values) x = any(random) * (part == 0 ? 0.01f : 1);
      Histogram other;
      other.Add(values);
      part == 1 ? h.Merge(other) : h.Add(values);
      all.insert(all.end(), values.begin(), values.end());
    }
    EXPECT_DOUBLE_EQ(h.width(),
                     2 * std::exp2(std::floor(std::log2(most)) + 1) / 8192);
    std::vector<int64_t> want(Histogram::kBins);
    // In single precision: next to an end either bin is right.
    for (const float x : all)
      ++want[static_cast<size_t>(x / static_cast<float>(h.width()) + 4096)];
    for (int i = 0; i < Histogram::kBins; ++i) {
      ASSERT_EQ(h.bins()[static_cast<size_t>(i)], want[static_cast<size_t>(i)])
          << most << ' ' << h.center(i);
    }
  }
}

// A bell with one value far outside.
Histogram Bell() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.0f, 1.0f);
  std::vector<float> values(1000000);
  for (float& x : values) x = normal(random);
  values.push_back(40.0f);
  Histogram h;
  h.Add(values);
  return h;
}

TEST(Histogram, Empty_TakesOverTheOther) {
  for (const float sign : {1.0f, -1.0f}) {
    Histogram empty, other;
    other.Add(std::vector<float>{sign * 2, sign * 3});
    empty.Merge(other);
    EXPECT_EQ(empty.count(), 2);
    EXPECT_EQ(empty.low(), other.low());
    EXPECT_EQ(empty.high(), other.high());
    other.Merge(Histogram());
    EXPECT_EQ(other.low(), empty.low());
    EXPECT_EQ(other.high(), empty.high());
  }
}

TEST(Range, Methods_ClipDifferently) {
  const Histogram h = Bell();
  EXPECT_EQ(EstimateRange(h, {.method = RangeMethod::kMinMax}).high, 40.0);
  const Range percentile = EstimateRange(
      h, {.method = RangeMethod::kPercentile, .percentile = 99.9});
  // The normal distribution has 0.05 % beyond 3.29 at either end.
  EXPECT_NEAR(percentile.high, 3.29, 0.15);
  EXPECT_NEAR(percentile.low, -3.29, 0.15);
  const Range mse = EstimateRange(h, {.method = RangeMethod::kMse});
  EXPECT_LT(mse.high, 30.0);
  EXPECT_GT(mse.high, 3.0);
  const Range entropy = EstimateRange(h, {.method = RangeMethod::kEntropy});
  EXPECT_LT(entropy.high, 40.0);
}

// Half of what may be cut is cut at either end, to a bin.
TEST(Range, Percentile_IsThatOfTheSortedValues) {
  std::mt19937 random(9);
  std::gamma_distribution<float> skewed(2, 3);
  std::vector<float> values(20000);
  for (float& x : values) x = skewed(random) - 4;
  Histogram h;
  h.Add(values);
  std::sort(values.begin(), values.end());
  for (const double percentile : {99.0, 90.0, 60.0}) {
    const Range r = EstimateRange(
        h, {.method = RangeMethod::kPercentile, .percentile = percentile});
    const auto cut = static_cast<size_t>((100 - percentile) / 200 * 20000);
    EXPECT_NEAR(r.low, values[cut], h.width()) << percentile;
    EXPECT_NEAR(r.high, values[values.size() - 1 - cut], h.width())
        << percentile;
    EXPECT_LE(r.low, values[cut]);
    EXPECT_GE(r.high, values[values.size() - 1 - cut]);
  }
}

// No range that ends at a 48th of the whole has a smaller error when the values
// are rounded and clipped one by one.
TEST(Range, LeastSquares_IsThatOfRoundedValues) {
  std::mt19937 random(10);
  std::normal_distribution<float> normal(0.3f, 1);
  std::vector<float> values(20000);
  for (float& x : values) x = normal(random) * normal(random);
  Histogram h;
  h.Add(values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  for (const int levels : {16, 64}) {
    const auto error = [&](double from, double to) {
      const double step = (to - from) / (levels - 1);
      double sum = 0;
      for (const double x : values) {
        const double steps =
            std::round((std::clamp(x, from, to) - from) / step);
        sum += std::pow(from + steps * step - x, 2);
      }
      return sum;
    };
    double least = INFINITY;
    for (int i = 1; i <= 48; ++i)
      for (int j = 1; j <= 48; ++j)
        least = std::min(least, error(*low * i / 48.0, *high * j / 48.0));
    const Range r = EstimateRange(h, {.levels = levels});
    // Values are not quite spread evenly within their steps.
    EXPECT_LE(error(r.low, r.high), 1.05 * least) << levels;
    EXPECT_LT(r.high, *high) << levels;
    EXPECT_GT(r.low, *low) << levels;
  }
}

TEST(Range, FlatReader_GetsNoLevels) {
  std::vector<float> values;
  for (int i = -2000; i <= 2000; ++i)
    values.push_back(static_cast<float>(i) * 0.02f);  // -40 to 40
  Histogram h;
  h.Add(values);
  RangeOptions options;
  options.reader = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  const Range r = EstimateRange(h, options);
  EXPECT_LT(r.high, 12.0);
  EXPECT_GT(r.low, -12.0);
  EXPECT_GT(r.high, 3.0);
}

TEST(Range, Range_ContainsZero) {
  Histogram h;
  h.Add(std::vector<float>{3.0f, 4.0f, 5.0f});
  for (const RangeMethod method :
       {RangeMethod::kMinMax, RangeMethod::kPercentile, RangeMethod::kMse,
        RangeMethod::kEntropy}) {
    const Range r = EstimateRange(h, {.method = method});
    EXPECT_EQ(r.low, 0.0);
    EXPECT_GT(r.high, 2.9);
  }
  EXPECT_EQ(EstimateRange(Histogram(), {}).high, 0.0);
}

TEST(Encoding, Ends_AreTheRange_ZeroIsExact) {
  const Encoding all = EncodingOf({-1.0, 3.0});
  EXPECT_FLOAT_EQ(all.scale, 4.0f / 255);
  EXPECT_EQ(all.zero, -64);
  const Encoding positive = EncodingOf({0.0, 1.0});
  EXPECT_FLOAT_EQ(positive.scale, 1.0f / 255);
  EXPECT_EQ(positive.zero, -128);
  EXPECT_EQ(EncodingOf({-2.0, 0.0}).zero, 127);
  EXPECT_GT(EncodingOf({0.0, 0.0}).scale, 0.0f);
}

}  // namespace
}  // namespace munja::compress
