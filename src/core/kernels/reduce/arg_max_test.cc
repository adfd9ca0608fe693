#include "kernels/reduce/arg_max.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class ArgMaxKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ArgMaxKernelTest);

// The maximum at every place of rows of every length, with an equal one behind
// it that must not win.
TEST_P(ArgMaxKernelTest, MaximumAtEveryPlace_IsFoundFirst) {
  for (size_t n = 1; n < 80; ++n) {
    for (size_t at = 0; at < n; ++at) {
      std::vector<float> in(n);
      for (size_t i = 0; i < n; ++i)
        in[i] = -1.0f - static_cast<float>(i * 7 % 5);
      in[at] = -0.5f;
      in[n - 1] = -0.5f;
      const ArgMaxResult got = ArgMax(in.data(), n);
      EXPECT_EQ(got.index, at) << n;
      EXPECT_EQ(got.value, -0.5f);
      EXPECT_EQ(reference::ArgMax(in.data(), n).index, at);
    }
  }
}

TEST_P(ArgMaxKernelTest, NanAndInfinity_AreHandled) {
  const float inf = std::numeric_limits<float>::infinity();
  for (size_t n = 1; n < 40; ++n) {
    std::vector<float> in(n, NAN);
    EXPECT_EQ(ArgMax(in.data(), n).index, 0u);
    in[n / 2] = -inf;
    EXPECT_EQ(ArgMax(in.data(), n).index, n / 2);
    EXPECT_EQ(reference::ArgMax(in.data(), n).index, n / 2);
    in[n - 1] = inf;
    EXPECT_EQ(ArgMax(in.data(), n).index, n - 1);
    EXPECT_EQ(ArgMax(in.data(), n).value, inf);
  }
}

}  // namespace
}  // namespace munja::kernels
