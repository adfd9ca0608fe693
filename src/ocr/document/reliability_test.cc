#include "document/reliability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace munja::document {
namespace {

TEST(Reliability, BinsAndError_MatchHandCounts) {
  Reliability r;
  EXPECT_EQ(r.Error(), 0);
  r.Add(0.95, true);
  r.Add(0.95, false);
  r.Add(1.0, true);
  r.Add(0.0, false);
  r.Add(0.5, true);
  EXPECT_EQ(r.lines(), 5);
  const auto bins = r.Bins();
  EXPECT_EQ(bins[9].lines, 3);
  EXPECT_EQ(bins[9].right, 2);
  EXPECT_DOUBLE_EQ(bins[9].said, 2.9);
  EXPECT_EQ(bins[5].lines, 1);
  EXPECT_EQ(bins[0].lines, 1);
  // |2.9 - 2| + |0.5 - 1| + |0 - 0|, of five lines.
  EXPECT_NEAR(r.Error(), 1.4 / 5, 1e-12);
}

TEST(Reliability, ConfidenceOutOfRange_IsClamped) {
  Reliability r;
  r.Add(7, true);
  r.Add(-1, false);
  r.Add(std::numeric_limits<double>::quiet_NaN(), false);
  EXPECT_EQ(r.Bins()[9].lines, 1);
  EXPECT_EQ(r.Bins()[0].lines, 2);
  EXPECT_EQ(r.Error(), 0);
}

// Lines that are right as often as a known function of what they say.
TEST(Reliability, Fit_FindsTheGeneratingFunction) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  Reliability r;
  Reliability calibrated;
  for (int i = 0; i < 200'000; ++i) {
    const double said = 0.02 + 0.96 * uniform(random);
    const double odds = std::log(said / (1 - said));
    const double p = 1 / (1 + std::exp(-(0.7 * odds - 1.5)));
    const bool is_right = uniform(random) < p;
    r.Add(said, is_right);
    calibrated.Add(p, is_right);
  }
  const auto fit = r.Fit();
  ASSERT_TRUE(fit.has_value());
  // Four standard errors of so many lines.
  EXPECT_NEAR(fit->slope, 0.7, 0.02);
  EXPECT_NEAR(fit->offset, -1.5, 0.03);
  EXPECT_GT(r.Error(), 0.2);
  EXPECT_LT(calibrated.Error(), 0.01);
  const auto again = calibrated.Fit();
  ASSERT_TRUE(again.has_value());
  EXPECT_NEAR(again->slope, 1, 0.03);
  EXPECT_NEAR(again->offset, 0, 0.03);
}

// All right above a limit, all wrong below: the likelihood has no maximum of
// its own, the targets give it one.
TEST(Reliability, FitOfSeparableLines_IsFinite) {
  Reliability r;
  for (int i = 0; i < 20; ++i) r.Add(i < 10 ? 0.2 : 0.8, i >= 10);
  const auto fit = r.Fit();
  ASSERT_TRUE(fit.has_value());
  // 11 of 12 at the log-odds of 0.8, 1 of 12 at those of 0.2.
  EXPECT_NEAR(fit->slope, std::log(11.0) / std::log(4.0), 1e-6);
  EXPECT_NEAR(fit->offset, 0, 1e-6);
}

TEST(Reliability, UninformativeConfidence_HasNoFit) {
  Reliability none, right, upside_down;
  EXPECT_FALSE(none.Fit().has_value());
  for (int i = 0; i < 10; ++i) {
    right.Add(0.1 * i, true);
    upside_down.Add(i < 5 ? 0.2 : 0.8, i < 5);
  }
  EXPECT_FALSE(right.Fit().has_value());
  EXPECT_FALSE(upside_down.Fit().has_value());
}

}  // namespace
}  // namespace munja::document
