#include "kernels/quant/half_numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class HalfNumbersTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(HalfNumbersTest);

// All 65,536 numbers, from an odd address.
TEST_P(HalfNumbersTest, AreExact) {
  constexpr size_t kAll = 65536;
  std::vector<uint8_t> bytes(2 * kAll + 1);
  for (size_t i = 0; i < kAll; ++i) {
    const auto half = static_cast<uint16_t>(i);
    std::memcpy(&bytes[2 * i + 1], &half, sizeof half);
  }
  std::vector<float> got(kAll), want(kAll);
  HalvesToFloats(bytes.data() + 1, kAll, got.data());
  reference::HalvesToFloats(bytes.data() + 1, kAll, want.data());
  for (size_t i = 0; i < kAll; ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(got[i]),
                std::bit_cast<uint32_t>(want[i]))
          << i;
  }
}

TEST_P(HalfNumbersTest, EveryTail) {
  for (size_t n = 0; n < 40; ++n) {
    std::vector<uint8_t> ones(2 * n);
    for (size_t i = 0; i < n; ++i) ones[2 * i + 1] = 0x3c;
    std::vector<float> got(n + 1, 7.0f);
    HalvesToFloats(ones.data(), n, got.data());
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(got[i], 1.0f);
    EXPECT_EQ(got[n], 7.0f);
  }
}

}  // namespace
}  // namespace munja::kernels
