#include "kernels/elementwise/unary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class UnaryKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(UnaryKernelTest);

void ExpectMatch(UnaryKind kind, const std::vector<float>& in) {
  std::vector<float> got(in.size() + 1, -77.0f), want = got;
  Unary(kind, in.data(), in.size(), got.data());
  reference::Unary(kind, in.data(), in.size(), want.data());
  EXPECT_EQ(got.back(), -77.0f);
  for (size_t i = 0; i < in.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << static_cast<int>(kind) << " " << in[i];
    } else if (std::isinf(want[i])) {
      EXPECT_EQ(got[i], want[i]) << static_cast<int>(kind) << " " << in[i];
    } else {
      // 2.5e-7: two units in the last place, for the exponential and for the
      // two rounded steps of a reciprocal root. The smallest float stands for
      // results that are not normal.
      EXPECT_NEAR(got[i], want[i], 2.5e-7f * std::abs(want[i]) + 1.5e-45f)
          << static_cast<int>(kind) << " " << in[i];
    }
  }
}

TEST_P(UnaryKernelTest, WholeRange_MatchesReference) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> in{0.0f,  -0.0f, 0.5f,   1.5f,       2.5f, -0.5f, -1.5f,
                        -2.5f, 1e30f, -1e30f, 8388609.0f, inf,  -inf,  NAN};
  for (float x = -110.0f; x < 110.0f; x += 0.137f) in.push_back(x);
  for (const UnaryRow& row : kUnaryRows) ExpectMatch(row.kind, in);
}

TEST_P(UnaryKernelTest, EveryTail_MatchesReference) {
  for (size_t n = 0; n < 40; ++n) {
    std::vector<float> in(n);
    for (size_t i = 0; i < n; ++i) in[i] = static_cast<float>(i) * 0.3f - 2.0f;
    for (const UnaryRow& row : kUnaryRows) ExpectMatch(row.kind, in);
  }
}

}  // namespace
}  // namespace munja::kernels
