#include "kernels/conv/transpose_conv.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class TransposeConvTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(TransposeConvTest);

std::vector<float> ConvolveTransposed(const Conv2dShape& s,
                                      const std::vector<float>& in,
                                      const std::vector<float>& weights,
                                      const std::vector<float>& bias,
                                      const Activation& activation,
                                      int threads) {
  std::vector<float> out(static_cast<size_t>(s.batch) * s.out_h * s.out_w *
                         s.out_c);
  const auto packed = PackedTransposeConv::Pack(
      weights.data(), bias.empty() ? nullptr : bias.data(), s);
  const auto bytes = TransposeConvScratchBytes(s, threads);
  EXPECT_TRUE(packed.ok() && bytes.ok());
  auto scratch = Buffer::Allocate(*bytes);
  EXPECT_TRUE(scratch.ok());
  ThreadPool pool(threads);
  TransposeConv(s, in.data(), *packed, activation, out.data(), scratch->data(),
                pool);
  return out;
}

void CheckTransposed(Conv2dShape s, int32_t crop,
                     const Activation& activation) {
  s.out_h = (s.in_h - 1) * s.stride_h + s.kernel_h - crop;
  s.out_w = (s.in_w - 1) * s.stride_w + s.kernel_w - crop;
  if (s.out_h < 1 || s.out_w < 1) return;
  SCOPED_TRACE(::testing::Message()
               << s.in_h << "x" << s.in_w << "x" << s.in_c << " -> " << s.out_h
               << "x" << s.out_w << "x" << s.out_c << " kernel " << s.kernel_h
               << "x" << s.kernel_w << " stride " << s.stride_h << "x"
               << s.stride_w << " pad " << s.pad_top);
  const auto in =
      Random(static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c, 1);
  const size_t k = static_cast<size_t>(s.kernel_h) * s.kernel_w * s.in_c;
  const auto weights = Random(k * s.out_c, 2), bias = Random(s.out_c, 3);
  const auto got = ConvolveTransposed(s, in, weights, bias, activation, 1);
  std::vector<float> want(got.size());
  reference::TransposeConv(s, in.data(), weights.data(), bias.data(),
                           activation, want.data());
  for (size_t i = 0; i < got.size(); ++i) {
    // At most k + 1 terms of size at most 1: each addition errs by at most
    // half an ulp of a partial sum; the activation adds a few ulp.
    const float terms = static_cast<float>(k + 1);
    const float tolerance =
        std::numeric_limits<float>::epsilon() * (terms * terms + 16.0f);
    ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
  }
  EXPECT_EQ(got, ConvolveTransposed(s, in, weights, bias, activation, 3));
}

// 1x2 image [1 2], kernel 2x2 [1 2; 3 4], stride 1: by hand
// [1 2] + [. 2 4] and [3 4] + [. 6 8].
TEST_P(TransposeConvTest, SmallCase_MatchesHandComputation) {
  Conv2dShape s;
  s.in_w = 2;
  s.kernel_h = s.kernel_w = 2;
  s.out_h = 2;
  s.out_w = 3;
  EXPECT_EQ(ConvolveTransposed(s, {1, 2}, {1, 2, 3, 4}, {}, {}, 1),
            (std::vector<float>{1, 4, 4, 3, 10, 8}));
  // Stride 2: nothing overlaps; bias 1 and RELU behind a negative input.
  s.stride_h = s.stride_w = 2;
  s.out_w = 4;
  EXPECT_EQ(ConvolveTransposed(s, {1, -2}, {1, 2, 3, 4}, {1},
                               {ActivationKind::kRelu}, 1),
            (std::vector<float>{2, 3, 0, 0, 4, 5, 0, 0}));
}

TEST_P(TransposeConvTest, RandomCases_MatchReference) {
  for (int32_t kernel_h : {1, 2, 3, 4}) {
    for (int32_t kernel_w : {1, 2, 3, 4}) {
      for (int32_t stride : {1, 2, 3}) {
        for (int32_t pad : {0, 1}) {
          for (int32_t crop : {0, 1, 2}) {
            Conv2dShape s;
            s.batch = 2;
            s.in_h = 4;
            s.in_w = 5;
            s.in_c = 6;
            s.out_c = 3;
            s.kernel_h = kernel_h;
            s.kernel_w = kernel_w;
            s.stride_h = s.stride_w = stride;
            s.pad_top = s.pad_left = pad;
            CheckTransposed(s, crop, {ActivationKind::kRelu});
          }
        }
      }
    }
  }
}

TEST_P(TransposeConvTest, ChannelTailsAndManyTasks_MatchReference) {
  for (int32_t out_c : {1, 2, 8, 9, 16, 24}) {
    Conv2dShape s;
    s.in_h = 40;
    s.in_w = 61;
    s.in_c = 16;
    s.out_c = out_c;
    s.kernel_h = s.kernel_w = s.stride_h = s.stride_w = 2;
    CheckTransposed(s, 0, {ActivationKind::kSigmoid});
  }
}

// More rows in the kernel than the stride: lines are added up in place.
TEST_P(TransposeConvTest, TallKernelOnDisjointColumns_MatchesReference) {
  Conv2dShape s;
  s.in_h = 7;
  s.in_w = 9;
  s.in_c = 5;
  s.out_c = 4;
  s.kernel_h = 5;
  s.stride_h = 2;
  s.kernel_w = s.stride_w = 2;
  CheckTransposed(s, 0, {ActivationKind::kGelu});
}

}  // namespace
}  // namespace munja::kernels
