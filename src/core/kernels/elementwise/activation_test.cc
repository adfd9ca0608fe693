#include "kernels/elementwise/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Case {
  std::string name;
  Activation activation;
};

// All activations, with values for their parameters.
const std::vector<Case>& Cases() {
  static const auto* cases = [] {
    auto* all = new std::vector<Case>;
    for (const ActivationRow& row : ActivationRows())
      all->push_back({std::string(row.name),
                      {static_cast<ActivationKind>(all->size()), 0.2f, 0.5f}});
    return all;
  }();
  return *cases;
}

class ActivationTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ActivationTest);

// Relative 4e-7 is 3.4 to 7 ULP: two rounded divisions or products on top of
// an exponential of 2 ULP. Absolute 5e-8: hard-swish, hard-sigmoid and the
// tails of GELU pass through a difference of numbers near 1, or an exponent of
// up to -40 that was itself rounded, where the result is below 1e-6.
void ExpectClose(float got, float want, float x, const std::string& name) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << name << "(" << x << ")";
  } else if (std::isinf(want)) {
    EXPECT_EQ(got, want) << name << "(" << x << ")";
  } else {
    EXPECT_NEAR(got, want, 4e-7 * std::abs(want) + 5e-8)
        << name << "(" << x << ")";
  }
}

TEST_P(ActivationTest, WholeRange_MatchesDoublePrecision) {
  std::vector<float> in;
  for (float x = -20.0f; x <= 20.0f; x += 0.00173f) in.push_back(x);
  for (float x = 1e-40f; x < 1e38f; x *= 1.37f) {
    in.push_back(x);
    in.push_back(-x);
  }
  for (float x : {0.0f, -0.0f, 3.0f, -3.0f, 6.0f, 1.0f, -1.0f, kInf, -kInf})
    in.push_back(x);
  in.push_back(std::numeric_limits<float>::max());
  in.push_back(std::numeric_limits<float>::lowest());
  in.push_back(std::numeric_limits<float>::quiet_NaN());
  std::vector<float> got(in.size());
  for (const Case& c : Cases()) {
    Activate(c.activation, in.data(), in.size(), got.data());
    for (size_t i = 0; i < in.size(); ++i)
      ExpectClose(got[i], reference::Activate(c.activation, in[i]), in[i],
                  c.name);
  }
}

// Where the curve leaves 0 the result must keep its digits, not only its size.
TEST_P(ActivationTest, NearZero_KeepsRelativeAccuracy) {
  for (const Case& c : Cases()) {
    const ActivationKind kind = c.activation.kind;
    if (kind == ActivationKind::kHardSwish) continue;
    for (float x = 1e-30f; x < 0.5f; x *= 1.7f) {
      for (float sign : {1.0f, -1.0f}) {
        const float in = sign * x;
        float got;
        Activate(c.activation, &in, 1, &got);
        const float want = reference::Activate(c.activation, in);
        EXPECT_NEAR(got, want, 6e-7 * std::abs(want)) << c.name << " " << in;
      }
    }
  }
}

// A result must not depend on where in a vector, or in which tail, its input
// stands.
TEST_P(ActivationTest, EveryTail_GivesTheSameValuesAndStaysInBounds) {
  for (const Case& c : Cases()) {
    for (size_t n = 0; n < 40; ++n) {
      std::vector<float> in(n), got(n + 1, -77.0f);
      for (size_t i = 0; i < n; ++i)
        in[i] = static_cast<float>(i) * 0.37f - 5.0f;
      Activate(c.activation, in.data(), n, got.data());
      EXPECT_EQ(got[n], -77.0f) << c.name;
      for (size_t i = 0; i < n; ++i) {
        float alone;
        Activate(c.activation, &in[i], 1, &alone);
        EXPECT_EQ(got[i], alone) << c.name << " " << n << "@" << i;
      }
      Activate(c.activation, in.data(), n, in.data());
      for (size_t i = 0; i < n; ++i) EXPECT_EQ(in[i], got[i]) << c.name;
    }
  }
}

// The reference itself, against values worked out by hand.
TEST(ReferenceActivationTest, KnownInputs_GiveKnownValues) {
  const auto at = [](ActivationKind kind, float x, float alpha = 0,
                     float beta = 0) {
    return reference::Activate({kind, alpha, beta}, x);
  };
  EXPECT_EQ(at(ActivationKind::kHardSwish, 1.0f), 2.0f / 3.0f);
  EXPECT_EQ(at(ActivationKind::kHardSwish, -4.0f), 0.0f);
  EXPECT_EQ(at(ActivationKind::kHardSwish, 5.0f), 5.0f);
  EXPECT_EQ(at(ActivationKind::kHardSigmoid, 1.0f, 0.25f, 0.5f), 0.75f);
  EXPECT_EQ(at(ActivationKind::kLeakyRelu, -2.0f, 0.25f), -0.5f);
  EXPECT_EQ(at(ActivationKind::kRelu6, 7.0f), 6.0f);
  EXPECT_EQ(at(ActivationKind::kReluN1To1, -7.0f), -1.0f);
  EXPECT_EQ(at(ActivationKind::kSigmoid, 0.0f), 0.5f);
  EXPECT_FLOAT_EQ(at(ActivationKind::kElu, -1.0f), -0.63212056f);
  EXPECT_FLOAT_EQ(at(ActivationKind::kGelu, 1.0f), 0.84134475f);
  EXPECT_FLOAT_EQ(at(ActivationKind::kGeluTanh, 1.0f), 0.84119199f);
  EXPECT_FLOAT_EQ(at(ActivationKind::kTanh, 0.5f), 0.46211716f);
}

}  // namespace
}  // namespace munja::kernels
