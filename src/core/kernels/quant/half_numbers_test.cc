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
TEST_P(HalfNumbersTest, Widening_IsExact) {
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

TEST_P(HalfNumbersTest, EveryTail_MatchesReference) {
  for (size_t n = 0; n < 40; ++n) {
    std::vector<uint8_t> ones(2 * n);
    for (size_t i = 0; i < n; ++i) ones[2 * i + 1] = 0x3c;
    std::vector<float> got(n + 1, 7.0f);
    HalvesToFloats(ones.data(), n, got.data());
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(got[i], 1.0f);
    EXPECT_EQ(got[n], 7.0f);
  }
}

// Around each half: itself, its neighbours in float32, and the middle between
// two of them, which goes to the even one.
TEST_P(HalfNumbersTest, Rounding_IsToNearest) {
  std::vector<float> numbers;
  for (uint32_t half = 0; half < 65536; ++half) {
    const auto h = static_cast<uint16_t>(half);
    float x = 0;
    reference::HalvesToFloats(reinterpret_cast<const uint8_t*>(&h), 1, &x);
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    for (const uint32_t step : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu})
      numbers.push_back(std::bit_cast<float>(bits + step));
  }
  for (const float x : {65519.996f, 65520.0f, 1e30f, 1e-8f, 2.9802322e-8f,
                        2.9802326e-8f, 1e-40f})
    for (const float sign : {1.0f, -1.0f}) numbers.push_back(sign * x);
  std::vector<uint8_t> got(2 * numbers.size() + 1), want(2 * numbers.size());
  FloatsToHalves(numbers.data(), numbers.size(), got.data() + 1);
  reference::FloatsToHalves(numbers.data(), numbers.size(), want.data());
  for (size_t i = 0; i < numbers.size(); ++i) {
    uint16_t a = 0, b = 0;
    std::memcpy(&a, &got[2 * i + 1], sizeof a);
    std::memcpy(&b, &want[2 * i], sizeof b);
    if (std::isnan(numbers[i])) {
      EXPECT_GT(a & 0x7fff, 0x7c00);
    } else {
      EXPECT_EQ(a, b) << numbers[i];
    }
  }
}

}  // namespace
}  // namespace munja::kernels
