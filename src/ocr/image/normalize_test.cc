#include "image/normalize.h"

#include <gtest/gtest.h>

#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "image/testing.h"

namespace munja::image {
namespace {

class NormalizeTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(NormalizeTest);

constexpr float kMean[3] = {123.675f, 116.28f, 103.53f};
constexpr float kScale[3] = {0.017124753f, 0.017507f, 0.0174291939f};

// Two rounded operations, in this order, on every target: equal to the bit.
TEST_P(NormalizeTest, EveryWidth_IsExact) {
  for (int width = 1; width < 70; ++width) {
    const Image in = test_pictures::Pattern(width, 3);
    for (const bool swap : {false, true}) {
      const size_t stride = static_cast<size_t>(width) * 3 + 5;
      std::vector<float> out(stride * 3, -77.0f);
      NormalizeToFloat(in.view(), kMean, kScale, swap, out.data(), stride);
      for (size_t y = 0; y < 3; ++y) {
        for (size_t x = 0; x < static_cast<size_t>(width); ++x) {
          for (size_t c = 0; c < 3; ++c) {
            const uint8_t level =
                in.row(static_cast<int>(y))[3 * x + (swap ? 2 - c : c)];
            const float centered = static_cast<float>(level) - kMean[c];
            ASSERT_EQ(out[y * stride + 3 * x + c], centered * kScale[c])
                << width << " " << x << " " << c;
          }
        }
        for (size_t i = static_cast<size_t>(width) * 3; i < stride; ++i)
          ASSERT_EQ(out[y * stride + i], -77.0f) << "padding was written";
      }
    }
  }
}

TEST(Normalize, Result_DoesNotDependOnThreads) {
  const Image in = test_pictures::Pattern(101, 150);
  std::vector<float> one(101 * 150 * 3), many(one.size());
  NormalizeToFloat(in.view(), kMean, kScale, true, one.data(), 303);
  ThreadPool pool(3);
  NormalizeToFloat(in.view(), kMean, kScale, true, many.data(), 303, &pool);
  EXPECT_EQ(one, many);
}

}  // namespace
}  // namespace munja::image
