#include "kernels/quant/centered.h"

#include <gtest/gtest.h>

#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class CenteredTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(CenteredTest);

TEST_P(CenteredTest, EveryValueAndTail_IsExact) {
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

}  // namespace
}  // namespace munja::kernels
