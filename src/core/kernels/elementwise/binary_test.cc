#include "kernels/elementwise/binary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

constexpr BinaryKind kKinds[] = {BinaryKind::kAdd,
                                 BinaryKind::kSub,
                                 BinaryKind::kMul,
                                 BinaryKind::kDiv,
                                 BinaryKind::kMinimum,
                                 BinaryKind::kMaximum,
                                 BinaryKind::kSquaredDifference,
                                 BinaryKind::kPrelu};

class BinaryKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BinaryKernelTest);

// Each of these is one rounded operation (the squared difference two), so the
// kernel and its reference agree exactly, with every tail and every way of
// repeating.
TEST_P(BinaryKernelTest, EveryTail_MatchesReference) {
  for (size_t cols = 0; cols < 37; ++cols) {
    constexpr size_t kRows = 3;
    std::vector<float> a(kRows * cols + kRows), b(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 11) - 5.0f;
      b[i] = static_cast<float>(i % 7) * 0.5f - 1.7f;
    }
    for (int form = 0; form < 16; ++form) {
      BinaryBlock block;
      block.a = a.data();
      block.b = b.data();
      block.rows = kRows;
      block.cols = cols;
      block.a_repeats = (form & 1) != 0;
      block.b_repeats = (form & 2) != 0;
      block.a_row_stride = (form & 4) != 0 ? 0 : block.a_repeats ? 1 : cols;
      block.b_row_stride = (form & 8) != 0 ? 0 : block.b_repeats ? 1 : cols;
      for (const BinaryKind kind : kKinds) {
        for (const ActivationKind activation :
             {ActivationKind::kNone, ActivationKind::kRelu,
              ActivationKind::kRelu6, ActivationKind::kReluN1To1}) {
          std::vector<float> got(kRows * cols + 1, -77.0f), want = got;
          block.out = got.data();
          Binary(kind, {activation}, block);
          block.out = want.data();
          reference::Binary(kind, {activation}, block);
          EXPECT_EQ(got, want) << cols << " columns, form " << form << ", kind "
                               << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST_P(BinaryKernelTest, Result_MayReplaceAnOperand) {
  std::vector<float> a(29), b(29);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f;
  }
  BinaryBlock block{.a = a.data(), .b = b.data(), .out = a.data()};
  block.cols = a.size();
  Binary(BinaryKind::kAdd, {}, block);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(a[i], static_cast<float>(i) + 0.5f);
}

}  // namespace
}  // namespace munja::kernels
