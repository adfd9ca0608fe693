#include "kernels/row_quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace munja::kernels {
namespace {

TEST(RowQuantization, Symmetric) {
  const std::vector<float> x = {-2.54f, 0.0f, 1.27f, 0.03f, -0.03f, 2.0f};
  std::vector<int8_t> q(x.size());
  const RowScale row = QuantizeRow(x.data(), x.size(), q.data());
  EXPECT_FLOAT_EQ(row.scale, 0.02f);
  EXPECT_EQ(row.zero, 0);
  EXPECT_EQ(q[0], -127);
  EXPECT_EQ(q[1], 0);
  EXPECT_EQ(q[5], 100);
}

TEST(RowQuantization, Asymmetric) {
  const std::vector<float> x = {-0.5f, 0.0f, 1.0f, 2.05f};
  std::vector<int8_t> q(x.size());
  const RowScale row = QuantizeRowAsymmetric(x.data(), x.size(), q.data());
  EXPECT_FLOAT_EQ(row.scale, 0.01f);
  EXPECT_EQ(row.zero, -78);
  EXPECT_EQ(q, (std::vector<int8_t>{-128, -78, 22, 127}));
}

TEST(RowQuantization, OneSidedRowsReachZero) {
  const std::vector<float> x = {1.0f, 2.55f};
  std::vector<int8_t> q(x.size());
  const RowScale row = QuantizeRowAsymmetric(x.data(), x.size(), q.data());
  EXPECT_EQ(row.zero, -128);
  EXPECT_EQ(q, (std::vector<int8_t>{-28, 127}));
}

TEST(RowQuantization, NothingAndNoNumbers) {
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

TEST(RowQuantization, DotAndSum) {
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
