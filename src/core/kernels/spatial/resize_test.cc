#include "kernels/spatial/resize.h"

#include <gtest/gtest.h>

#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

TEST(ResizeTapsTest, Taps_StayInsideTheImage) {
  for (int32_t in = 1; in < 12; ++in) {
    for (int32_t out = 1; out < 30; ++out) {
      for (const auto& [align, half] :
           {std::pair{false, false}, {true, false}, {false, true}}) {
        for (const LinearTap& tap : LinearTaps(in, out, align, half)) {
          EXPECT_GE(tap.lower, 0);
          EXPECT_LE(tap.lower, tap.upper);
          EXPECT_LT(tap.upper, in);
          EXPECT_GE(tap.weight, 0.0f);
          EXPECT_LE(tap.weight, 1.0f);
        }
        for (const int32_t i : NearestIndices(in, out, align, half)) {
          EXPECT_GE(i, 0);
          EXPECT_LT(i, in);
        }
      }
    }
  }
}

class ResizeKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ResizeKernelTest);

TEST_P(ResizeKernelTest, BilinearRow_MatchesReferenceForEveryChannelCount) {
  constexpr int32_t kIn = 5, kOut = 9;
  const std::vector<LinearTap> taps = LinearTaps(kIn, kOut, false, true);
  for (int32_t channels = 1; channels < 37; ++channels) {
    const auto count = static_cast<size_t>(kIn * channels);
    std::vector<float> above(count), below(count);
    for (size_t i = 0; i < count; ++i) {
      above[i] = static_cast<float>(i * 29 % 31);
      below[i] = static_cast<float>(i * 17 % 23) - 11.0f;
    }
    const auto out_count = static_cast<size_t>(kOut * channels);
    std::vector<float> got(out_count + 1, -77.0f), want = got;
    ResizeBilinearRow(above.data(), below.data(), 0.3f, taps.data(), kOut,
                      channels, got.data());
    reference::ResizeBilinearRow(above.data(), below.data(), 0.3f, taps.data(),
                                 kOut, channels, want.data());
    EXPECT_EQ(got[out_count], -77.0f);
    // 1e-5: three mixtures of numbers up to 31, rounded each.
    for (size_t i = 0; i < out_count; ++i) EXPECT_NEAR(got[i], want[i], 1e-5f);
  }
}

}  // namespace
}  // namespace munja::kernels
