#include "kernels/quant/row_quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class RowQuantizationTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(RowQuantizationTest);

TEST(RowQuantization, Symmetric_UsesTheLargestMagnitude) {
  const std::vector<float> x = {-2.54f, 0.0f, 1.27f, 0.03f, -0.03f, 2.0f};
  std::vector<int8_t> q(x.size());
  const RowScale row = QuantizeRow(x.data(), x.size(), q.data());
  EXPECT_FLOAT_EQ(row.scale, 0.02f);
  EXPECT_EQ(row.zero, 0);
  EXPECT_EQ(q[0], -127);
  EXPECT_EQ(q[1], 0);
  EXPECT_EQ(q[5], 100);
}

TEST(RowQuantization, Asymmetric_UsesTheWholeRange) {
  const std::vector<float> x = {-0.5f, 0.0f, 1.0f, 2.05f};
  std::vector<int8_t> q(x.size());
  const RowScale row = QuantizeRowAsymmetric(x.data(), x.size(), q.data());
  EXPECT_FLOAT_EQ(row.scale, 0.01f);
  EXPECT_EQ(row.zero, -78);
  EXPECT_EQ(q, (std::vector<int8_t>{-128, -78, 22, 127}));
}

TEST(RowQuantization, OneSidedRows_IncludeZero) {
  const std::vector<float> x = {1.0f, 2.55f};
  std::vector<int8_t> q(x.size());
  const RowScale row = QuantizeRowAsymmetric(x.data(), x.size(), q.data());
  EXPECT_EQ(row.zero, -128);
  EXPECT_EQ(q, (std::vector<int8_t>{-28, 127}));
}

TEST(RowQuantization, ZerosAndNan_AreHandled) {
  const std::vector<float> zeros(3);
  std::vector<int8_t> q(3, 5);
  EXPECT_EQ(QuantizeRow(zeros.data(), 3, q.data()).scale, 1.0f);
  EXPECT_EQ(q, std::vector<int8_t>(3));
  q.assign(3, 5);
  EXPECT_EQ(QuantizeRowAsymmetric(zeros.data(), 3, q.data()).scale, 1.0f);
  EXPECT_EQ(q, std::vector<int8_t>(3));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::vector<float>& x :
       {std::vector<float>{nan, 1, -1}, {inf, 1, -1}, {nan, nan, nan}}) {
    QuantizeRow(x.data(), 3, q.data());
    QuantizeRowAsymmetric(x.data(), 3, q.data());
  }
}

// Rows of all lengths and sizes, among them numbers halfway between two steps.
TEST_P(RowQuantizationTest, VectorCode_MatchesReference) {
  std::mt19937 generator(5);
  std::uniform_int_distribution<int> halves(-254, 254);
  std::normal_distribution<float> normal;
  const float kNan = std::numeric_limits<float>::quiet_NaN(),
              kInf = std::numeric_limits<float>::infinity();
  for (const size_t count : {1, 3, 16, 31, 64, 129, 1000}) {
    for (const float size : {1.0f, 1e-38f, 1e-45f, 3e38f, 0.0f}) {
      for (const float special : {0.0f, kNan, kInf, -kInf, -0.0f}) {
        std::vector<float> x(count);
        for (float& v : x) {
          v = (generator() % 2 == 0
                   ? 0.5f * static_cast<float>(halves(generator))
                   : normal(generator)) *
              size;
        }
        x[0] = 127.0f * size;
        if (special != 0.0f) x[count / 2] = special;
        for (const bool is_asymmetric : {false, true}) {
          if (is_asymmetric && count > 2) x[1] = -128.0f * size;
          std::vector<int8_t> want(count + 1, 99), got = want;
          const auto quantize = [&](bool is_fast, int8_t* out) {
            return is_asymmetric
                       ? (is_fast ? QuantizeRowAsymmetric
                                  : reference::QuantizeRowAsymmetric)(
                             x.data(), count, out)
                       : (is_fast ? QuantizeRow : reference::QuantizeRow)(
                             x.data(), count, out);
          };
          const RowScale a = quantize(true, got.data());
          const RowScale b = quantize(false, want.data());
          EXPECT_EQ(got, want) << count << ", " << size << ", " << special;
          EXPECT_EQ(a.zero, b.zero);
          EXPECT_TRUE(a.scale == b.scale ||
                      (std::isnan(a.scale) && std::isnan(b.scale)));
        }
      }
    }
  }
}

// The numbers next to each half: a scale of 1 leaves them as they are.
TEST_P(RowQuantizationTest, ValuesNearHalves_MatchReference) {
  std::vector<float> x = {127.0f};
  for (int i = 0; i < 127; ++i) {
    const float half = static_cast<float>(i) + 0.5f;
    for (const float sign : {1.0f, -1.0f}) {
      x.push_back(sign * std::nextafter(half, 0.0f));
      x.push_back(sign * half);
      if (i < 126) x.push_back(sign * std::nextafter(half, 1000.0f));
    }
  }
  std::vector<int8_t> q(x.size());
  ASSERT_EQ(QuantizeRow(x.data(), x.size(), q.data()).scale, 1.0f);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(q[i], static_cast<int>(std::round(double{x[i]}))) << x[i];
  // Each alone, in every place of a short row: the tail rounds likewise.
  for (const float v : {std::nextafter(0.5f, 0.0f), -0.5f, 2.5f}) {
    for (size_t count = 2; count < 40; ++count) {
      std::vector<float> row(count, v);
      row[0] = 127.0f;
      std::vector<int8_t> out(count);
      QuantizeRow(row.data(), count, out.data());
      for (size_t i = 1; i < count; ++i)
        ASSERT_EQ(out[i], static_cast<int>(std::round(double{v}))) << count;
    }
  }
}

// Short and long rows, by one thread and several.
TEST_P(RowQuantizationTest, Rows_HaveTheirOwnScales) {
  for (const size_t depth : {size_t{37}, size_t{200001}}) {
    std::mt19937 generator(6);
    std::normal_distribution<float> normal;
    std::vector<float> x(3 * depth);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = normal(generator) * static_cast<float>(i / depth);  // First: 0.
    for (const bool is_asymmetric : {false, true}) {
      std::vector<int8_t> want(x.size()), got(x.size());
      std::vector<uint8_t> shifted(x.size());
      float scales[3];
      int32_t zeros[3];
      ThreadPool pool(3);
      QuantizeRows(x.data(), 3, depth, is_asymmetric,
                   {got.data(), false, scales, zeros}, pool);
      for (size_t r = 0; r < 3; ++r) {
        const auto quantize = is_asymmetric ? reference::QuantizeRowAsymmetric
                                            : reference::QuantizeRow;
        const RowScale row =
            quantize(x.data() + r * depth, depth, want.data() + r * depth);
        EXPECT_EQ(scales[r], row.scale);
        EXPECT_EQ(zeros[r], row.zero);
      }
      EXPECT_EQ(got, want);
      QuantizeRows(x.data(), 3, depth, is_asymmetric,
                   {shifted.data(), true, scales, zeros}, pool);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(shifted[i], want[i] + 128) << i;
      EXPECT_EQ(zeros[0], 128);
    }
  }
}

TEST(RowQuantization, DotAndSum_AreExact) {
  std::vector<int8_t> a, b;
  int32_t dot = 0, sum = 0;
  for (int i = 0; i < 300; ++i) {
    a.push_back(static_cast<int8_t>(i * 37));
    b.push_back(static_cast<int8_t>(i * 91 + 5));
    dot += a.back() * b.back();
    sum += a.back();
  }
  EXPECT_EQ(Dot(a.data(), b.data(), a.size()), dot);
  EXPECT_EQ(Sum(a.data(), a.size()), sum);
}

}  // namespace
}  // namespace munja::kernels
