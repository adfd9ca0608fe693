#include "kernels/pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class PoolKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PoolKernelTest);

TEST_P(PoolKernelTest, MatchesReferenceForEveryChannelCount) {
  for (int32_t channels = 1; channels < 37; ++channels) {
    PoolShape s;
    s.in_h = 7;
    s.in_w = 6;
    s.out_h = 4;
    s.out_w = 3;
    s.channels = channels;
    s.kernel_h = 3;
    s.kernel_w = 2;
    s.stride_h = s.stride_w = 2;
    s.pad_top = 1;
    std::vector<float> in(static_cast<size_t>(7 * 6 * channels));
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<float>(i * 29 % 31) - 20.0f;
    const size_t count = static_cast<size_t>(4 * 3 * channels);
    for (const PoolKind kind :
         {PoolKind::kMaximum, PoolKind::kAverage, PoolKind::kL2}) {
      for (const ActivationKind activation :
           {ActivationKind::kNone, ActivationKind::kRelu}) {
        std::vector<float> got(count + 1, -77.0f), want = got;
        Pool(kind, s, {activation}, in.data(), 0, 2, got.data());
        Pool(kind, s, {activation}, in.data(), 2, 4, got.data());
        reference::Pool(kind, s, {activation}, in.data(), 0, 4, want.data());
        EXPECT_EQ(got[count], -77.0f);
        // 1e-6: at most 6 rounded terms, a division, a root.
        for (size_t i = 0; i < count; ++i)
          EXPECT_NEAR(got[i], want[i], 1e-6f * (1 + std::abs(want[i])));
      }
    }
  }
}

}  // namespace
}  // namespace munja::kernels
