#include "kernels/spatial/int_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class IntPoolTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(IntPoolTest);

template <class T>
void ExpectTwins(const PoolShape& s, int32_t low, int32_t high) {
  std::mt19937 random(5);
  std::vector<T> in(static_cast<size_t>(s.in_h) * s.in_w * s.channels);
  for (T& x : in) x = static_cast<T>(random());
  std::vector<T> got(static_cast<size_t>(s.out_h) * s.out_w * s.channels);
  std::vector<T> want(got.size());
  for (const PoolKind kind : {PoolKind::kMaximum, PoolKind::kAverage}) {
    IntPool(kind, s, low, high, in.data(), 0, s.out_h, got.data());
    reference::IntPool(kind, s, low, high, in.data(), 0, s.out_h, want.data());
    EXPECT_EQ(got, want) << s.channels << " channels, stride " << s.stride_w
                         << ", pad " << s.pad_left << ", window " << s.kernel_w;
  }
}

TEST_P(IntPoolTest, RandomCases_MatchReference) {
  for (const int32_t channels : {1, 3, 16, 24, 65, 300}) {
    for (const int32_t kernel : {1, 2, 3, 9}) {
      for (const int32_t stride : {1, 2, 3}) {
        for (const int32_t pad : {0, 1}) {
          PoolShape s;
          s.in_h = 7;
          s.in_w = 11;
          s.channels = channels;
          s.kernel_h = std::min(kernel, 4);
          s.kernel_w = kernel;
          s.stride_h = 1;
          s.stride_w = stride;
          s.pad_top = s.pad_left = kernel > pad ? pad : 0;
          // Windows have a pixel of the image at least.
          s.out_h = s.in_h - 1 + s.pad_top;
          s.out_w = (s.in_w - 1 + s.pad_left) / stride + 1;
          ExpectTwins<int8_t>(s, -128, 127);
          ExpectTwins<uint8_t>(s, 3, 250);
          ExpectTwins<int16_t>(s, -30000, 32767);
        }
      }
    }
  }
}

// Windows of more pixels than sums in floats are for, just as many, and fewer.
TEST_P(IntPoolTest, LargeWindows_MatchReference) {
  for (const auto& [height, width] :
       {std::pair{128, 128}, {128, 129}, {8, 8}, {8, 9}, {127, 113}}) {
    PoolShape s;
    s.in_h = height;
    s.in_w = width + 2;
    s.channels = 5;
    s.kernel_h = height;
    s.kernel_w = width;
    s.stride_h = s.stride_w = 1;
    s.out_h = 1;
    s.out_w = 3;
    ExpectTwins<int8_t>(s, -128, 127);
    ExpectTwins<uint8_t>(s, 0, 255);
    ExpectTwins<int16_t>(s, -32768, 32767);
  }
}

}  // namespace
}  // namespace munja::kernels
