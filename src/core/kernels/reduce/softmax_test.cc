#include "kernels/reduce/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class SoftmaxKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(SoftmaxKernelTest);

TEST_P(SoftmaxKernelTest, EveryTail_MatchesReference) {
  for (size_t n = 0; n < 70; ++n) {
    std::vector<float> in(n), got(n + 1, -77.0f), want(n);
    for (size_t i = 0; i < n; ++i)
      in[i] = static_cast<float>(i * 37 % 23) * 0.71f - 100.0f;
    Softmax(in.data(), n, 1.5f, got.data());
    reference::Softmax(in.data(), n, 1.5f, want.data());
    EXPECT_EQ(got[n], -77.0f);
    // 1e-6: exponents up to 25 that were themselves rounded.
    for (size_t i = 0; i < n; ++i)
      EXPECT_NEAR(got[i], want[i], 1e-6f * want[i]) << n << "@" << i;
    LogSoftmax(in.data(), n, got.data());
    reference::LogSoftmax(in.data(), n, want.data());
    for (size_t i = 0; i < n; ++i)
      EXPECT_NEAR(got[i], want[i], 1e-6f * (1 + std::abs(want[i]))) << n;
    Softmax(in.data(), n, 1.0f, in.data());
    float sum = 0.0f;
    for (const float v : in) sum += v;
    if (n > 0) {
      EXPECT_NEAR(sum, 1.0f, 1e-6f);
    }
  }
}

TEST_P(SoftmaxKernelTest, Extremes_DoNotOverflow) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> in(21, -inf), out(21);
  in[5] = 3e38f;
  in[6] = -3e38f;
  Softmax(in.data(), in.size(), 1.0f, out.data());
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i == 5 ? 1.0f : 0);
  in[20] = NAN;
  Softmax(in.data(), in.size(), 1.0f, out.data());
  for (const float v : out) EXPECT_TRUE(std::isnan(v));
}

}  // namespace
}  // namespace munja::kernels
