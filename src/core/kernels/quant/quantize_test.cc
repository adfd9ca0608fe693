#include "kernels/quant/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class QuantizeKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(QuantizeKernelTest);

template <class T>
void ExpectTwins(float scale, int32_t zero) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> in = {0.0f,  -0.0f, 0.49999997f,  -0.49999997f, 0.5f,
                           -0.5f, 2.5f,  -2.5f,        1e30f,        -1e30f,
                           kInf,  -kInf, std::nanf("")};
  for (int i = 0; i < 40; ++i)
    in.push_back(scale * (static_cast<float>(i) * 0.5f - 9.0f));
  for (size_t count = 0; count <= in.size(); ++count) {
    std::vector<T> got(count + 1, T{9}), want = got;
    Quantize(in.data(), count, scale, zero, got.data());
    reference::Quantize(in.data(), count, scale, zero, want.data());
    EXPECT_EQ(got, want) << count;
  }
}

// Differences are exact, however large the numbers are.
TEST(QuantizeKernel, Int32_IsDequantized) {
  const int32_t in[] = {16777217, 2147483647, -2147483647, 5};
  float out[4];
  Dequantize(in, 4, 0.5f, 16777216, out);
  EXPECT_EQ(out[0], 0.5f);
  EXPECT_EQ(out[1], static_cast<float>((2147483647.0 - 16777216) / 2));
  EXPECT_EQ(out[2], static_cast<float>((-2147483647.0 - 16777216) / 2));
  EXPECT_EQ(out[3], static_cast<float>((5.0 - 16777216) / 2));
}

TEST_P(QuantizeKernelTest, RandomCases_MatchReference) {
  for (const float scale : {1.0f, 0.037f, 4.0f}) {
    ExpectTwins<int8_t>(scale, -7);
    ExpectTwins<uint8_t>(scale, 128);
    ExpectTwins<int16_t>(scale, 0);
  }
}

// Halves between quantized values, the numbers next to them, and what lies far
// outside: many, so that all vectors of a group have some.
TEST_P(QuantizeKernelTest, ValuesNearHalves_MatchReference) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float scale : {1.0f, 0.037f, 1.0f / 255, 3e38f, 1e-39f}) {
    std::vector<float> in;
    for (int i = -700; i < 700; ++i) {
      const float half = scale * (static_cast<float>(i) + 0.5f);
      in.insert(in.end(), {half, std::nextafter(half, kInf),
                           std::nextafter(half, -kInf), half * 1.3f});
      if (i % 100 == 0)
        in.insert(in.end(), {kInf, -kInf, std::nanf(""), 1e38f});
    }
    for (const int32_t zero : {-128, 0, 127}) {
      std::vector<int8_t> got(in.size()), want(in.size());
      Quantize(in.data(), in.size(), scale, zero, got.data());
      reference::Quantize(in.data(), in.size(), scale, zero, want.data());
      EXPECT_EQ(got, want) << scale << " " << zero;
    }
  }
}

TEST_P(QuantizeKernelTest, EveryTail_IsDequantized) {
  for (size_t count = 0; count < 40; ++count) {
    std::vector<uint8_t> in(count);
    for (size_t i = 0; i < count; ++i) in[i] = static_cast<uint8_t>(i * 13);
    std::vector<float> got(count + 1, -1.0f);
    Dequantize(in.data(), count, 0.1f, 100, got.data());
    for (size_t i = 0; i < count; ++i)
      EXPECT_EQ(got[i], 0.1f * static_cast<float>(in[i] - 100)) << i;
    EXPECT_EQ(got[count], -1.0f);
  }
}

}  // namespace
}  // namespace munja::kernels
