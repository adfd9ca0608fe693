#include "kernels/reduce/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

constexpr ReduceKind kReduceKinds[] = {ReduceKind::kSum, ReduceKind::kProduct,
                                       ReduceKind::kMaximum,
                                       ReduceKind::kMinimum};

class ReduceKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ReduceKernelTest);

std::vector<float> Values(size_t n) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = (i % 2 == 0 ? 1.0f : -1.0f) *
                (1.0f + static_cast<float>(i * 31 % 17) * 0.01f);
  return values;
}

// 2e-5: 150 terms whose sizes add up to about 170, which 2^-24 makes 1e-5.
void ExpectReducedClose(float got, float want) {
  if (std::isinf(want)) {
    EXPECT_EQ(got, want);
  } else {
    EXPECT_NEAR(got, want, 2e-5f * (1.0f + std::abs(want)));
  }
}

// Nothing changes what it is joined with, infinities included.
TEST_P(ReduceKernelTest, Identity_ChangesNothing) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const ReduceKind kind : kReduceKinds) {
    for (const float x : {-kInf, -2.0f, 0.0f, 3e38f, kInf}) {
      for (size_t n = 1; n < 40; ++n) {
        std::vector<float> row(n, ReduceIdentity(kind));
        row[n / 2] = x;
        EXPECT_EQ(ReduceRow(kind, row.data(), n), x) << static_cast<int>(kind);
      }
    }
  }
}

TEST_P(ReduceKernelTest, RowsOfEveryLength_MatchReference) {
  for (size_t n = 0; n < 150; ++n) {
    const std::vector<float> in = Values(n);
    for (const ReduceKind kind : kReduceKinds)
      ExpectReducedClose(ReduceRow(kind, in.data(), n),
                         reference::ReduceRow(kind, in.data(), n));
  }
}

TEST_P(ReduceKernelTest, ColumnsOfEveryWidth_MatchReference) {
  constexpr size_t kRows = 7;
  for (size_t cols = 0; cols < 150; ++cols) {
    const size_t stride = cols + 3;
    const std::vector<float> in = Values(kRows * stride);
    for (const ReduceKind kind : kReduceKinds) {
      std::vector<float> got(cols + 1, 1.0f), want = got;
      got[cols] = -77.0f;
      ReduceRows(kind, in.data(), kRows, stride, cols, got.data());
      reference::ReduceRows(kind, in.data(), kRows, stride, cols, want.data());
      EXPECT_EQ(got[cols], -77.0f);
      for (size_t c = 0; c < cols; ++c) ExpectReducedClose(got[c], want[c]);
    }
  }
}

}  // namespace
}  // namespace munja::kernels
