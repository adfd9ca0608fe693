#include "kernels/centered.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class CenteredTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(CenteredTest);

TEST_P(CenteredTest, EveryValueAndTail) {
  for (const size_t count : {size_t{1}, size_t{31}, size_t{256}}) {
    std::vector<uint8_t> in(count);
    std::vector<int8_t> in_signed(count);
    for (size_t i = 0; i < count; ++i) {
      in[i] = static_cast<uint8_t>(i);
      in_signed[i] = static_cast<int8_t>(in[i]);
    }
    std::vector<int16_t> out(count + 1, 777);
    Center(in.data(), count, 255, out.data());
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], in[i] - 255);
    Center(in_signed.data(), count, -128, out.data());
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], in_signed[i] + 128);
    EXPECT_EQ(out[count], 777);
  }
}

TEST(QuantizeRowsTest, EachRowHasItsScale) {
  const std::vector<float> in = {0, 0, 0, -2, 1, 0.25f};
  std::vector<int16_t> out(6);
  float scales[2] = {};
  ThreadPool pool(1);
  QuantizeRows(in.data(), 2, 3, false, out.data(), scales, pool);
  // 63.5 and 15.875 steps; halves round away from zero.
  EXPECT_EQ(out, (std::vector<int16_t>{0, 0, 0, -127, 64, 16}));
  EXPECT_EQ(scales[0], 1.0f);
  EXPECT_EQ(scales[1], 2.0f / 127);
  // 3 in 255 steps of 1/85: zero point 42, and 21.25 steps.
  QuantizeRows(in.data(), 2, 3, true, out.data(), scales, pool);
  EXPECT_EQ(out, (std::vector<int16_t>{0, 0, 0, -170, 85, 21}));
  EXPECT_FLOAT_EQ(scales[1], 3.0f / 255);
}

// Nothing to promise but that it ends.
TEST(QuantizeRowsTest, InfinityAndNan) {
  const std::vector<float> in = {std::numeric_limits<float>::infinity(), 1,
                                 std::numeric_limits<float>::quiet_NaN(), -1};
  std::vector<int16_t> out(4);
  float scales[2] = {};
  ThreadPool pool(1);
  for (const bool is_asymmetric : {false, true})
    QuantizeRows(in.data(), 2, 2, is_asymmetric, out.data(), scales, pool);
}

}  // namespace
}  // namespace munja::kernels
