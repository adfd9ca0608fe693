#include "kernels/conv/conv_2d.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class Conv2dTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Conv2dTest);

// Output size for these pads on both sides.
Conv2dShape Shape(int32_t in_h, int32_t in_w, int32_t in_c, int32_t out_c,
                  int32_t kernel_h, int32_t kernel_w, int32_t stride,
                  int32_t dilation, int32_t pad_before, int32_t pad_after,
                  int32_t groups = 1, int32_t batch = 1) {
  Conv2dShape s;
  s.batch = batch;
  s.in_h = in_h;
  s.in_w = in_w;
  s.in_c = in_c;
  s.out_c = out_c;
  s.kernel_h = kernel_h;
  s.kernel_w = kernel_w;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = s.pad_left = pad_before;
  s.groups = groups;
  const int32_t pads = pad_before + pad_after;
  s.out_h = (in_h + pads - (kernel_h - 1) * dilation - 1) / stride + 1;
  s.out_w = (in_w + pads - (kernel_w - 1) * dilation - 1) / stride + 1;
  return s;
}

std::vector<float> Convolve(const Conv2dShape& s, const std::vector<float>& in,
                            const std::vector<float>& weights,
                            const Epilogue& epilogue, int threads) {
  std::vector<float> out(static_cast<size_t>(s.batch) * s.out_h * s.out_w *
                         s.out_c);
  const auto packed = PackedConv2d::Pack(weights.data(), s);
  const auto bytes = Conv2dScratchBytes(s, threads);
  EXPECT_TRUE(packed.ok() && bytes.ok());
  auto scratch = Buffer::Allocate(*bytes);
  EXPECT_TRUE(scratch.ok());
  ThreadPool pool(threads);
  Conv2d(s, in.data(), *packed, epilogue, out.data(), scratch->data(), pool);
  return out;
}

void Check(const Conv2dShape& s, const Activation& activation = {}) {
  SCOPED_TRACE(::testing::Message()
               << s.in_h << "x" << s.in_w << "x" << s.in_c << " -> " << s.out_h
               << "x" << s.out_w << "x" << s.out_c << " kernel " << s.kernel_h
               << "x" << s.kernel_w << " stride " << s.stride_h << " dilation "
               << s.dilation_h << " pad " << s.pad_top << " groups "
               << s.groups);
  const size_t pixels = static_cast<size_t>(s.batch) * s.out_h * s.out_w;
  const auto in =
      Random(static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c, 1);
  const size_t k =
      static_cast<size_t>(s.kernel_h) * s.kernel_w * (s.in_c / s.groups);
  const auto weights = Random(k * s.out_c, 2);
  const auto bias = Random(s.out_c, 3), residual = Random(pixels * s.out_c, 4);
  const Epilogue epilogue{bias.data(), residual.data(), activation};
  const auto got = Convolve(s, in, weights, epilogue, 1);
  std::vector<float> want(got.size()), bound(got.size());
  reference::Conv2d(s, in.data(), weights.data(), epilogue, want.data());
  const auto abs_in = Absolute(in), abs_weights = Absolute(weights),
             abs_bias = Absolute(bias), abs_residual = Absolute(residual);
  reference::Conv2d(s, abs_in.data(), abs_weights.data(),
                    {abs_bias.data(), abs_residual.data(), {}}, bound.data());
  for (size_t i = 0; i < got.size(); ++i) {
    // Each of the k + 2 additions errs by at most half an ulp of a partial
    // sum, which the sum of absolute values bounds; the activation adds a few
    // ulp of its own.
    const float tolerance = std::numeric_limits<float>::epsilon() *
                            (static_cast<float>(k + 2) * bound[i] + 16.0f);
    ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
  }
  EXPECT_EQ(got, Convolve(s, in, weights, epilogue, 3))
      << "threads change bits";
}

// A 3x3 image of 1..9, kernel 2x2 of ones, padding one after: sums of the
// windows, by hand.
TEST_P(Conv2dTest, SmallCase_MatchesHandComputation) {
  const Conv2dShape s = Shape(3, 3, 1, 1, 2, 2, 1, 1, 0, 1);
  const std::vector<float> in = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(Convolve(s, in, {1, 1, 1, 1}, {}, 1),
            (std::vector<float>{12, 16, 9, 24, 28, 15, 15, 17, 9}));
}

TEST_P(Conv2dTest, OneByOneKernels_MatchReference) {
  Check(Shape(9, 11, 24, 40, 1, 1, 1, 1, 0, 0));
  Check(Shape(9, 11, 24, 17, 1, 1, 2, 1, 0, 0, 1, 2));
  Check(Shape(9, 11, 5, 7, 1, 1, 1, 1, 1, 2));
  Check(Shape(1, 1, 160, 40, 1, 1, 1, 1, 0, 0));
}

TEST_P(Conv2dTest, KernelsStridesAndPads_MatchReference) {
  for (int32_t kernel : {2, 3, 4, 5}) {
    for (int32_t stride : {1, 2, 3}) {
      for (int32_t before : {0, 1, 2}) {
        for (int32_t after : {0, 1, 2}) {
          Check(Shape(7, 13, 3, 9, kernel, kernel, stride, 1, before, after));
        }
      }
    }
  }
  Check(Shape(8, 10, 6, 5, 1, 5, 1, 1, 2, 2));
  Check(Shape(8, 10, 6, 5, 5, 1, 1, 1, 2, 2));
}

TEST_P(Conv2dTest, ChannelTails_MatchReference) {
  for (int32_t out_c : {1, 8, 12, 15, 16, 17, 24, 31, 32, 33, 40, 48})
    Check(Shape(5, 9, 4, out_c, 3, 3, 1, 1, 1, 1));
  for (int32_t in_c : {1, 2, 3, 7, 8, 16})
    Check(Shape(5, 9, in_c, 16, 3, 3, 2, 1, 1, 1));
}

TEST_P(Conv2dTest, DilationAndGroups_MatchReference) {
  for (int32_t dilation : {2, 3}) {
    for (int32_t pad : {0, 1, 3}) {
      Check(Shape(11, 12, 5, 6, 3, 3, 1, dilation, pad, pad));
      Check(Shape(11, 12, 6, 9, 3, 2, 2, dilation, pad, pad, 3));
    }
  }
  Check(Shape(6, 7, 8, 8, 3, 3, 1, 1, 1, 1, 8));
  Check(Shape(6, 7, 4, 34, 1, 1, 1, 1, 0, 0, 2, 2));
}

// Windows that lie wholly outside see zeros only.
TEST_P(Conv2dTest, WindowsOutsideTheImage_MatchReference) {
  Check(Shape(2, 2, 3, 5, 2, 2, 1, 1, 4, 4));
  Check(Shape(1, 1, 3, 5, 3, 3, 1, 1, 1, 1));
  Check(Shape(1, 1, 3, 5, 3, 3, 1, 4, 5, 5));
}

TEST_P(Conv2dTest, ManyImagesAndTasks_MatchReference) {
  Check(Shape(40, 37, 16, 16, 3, 3, 1, 1, 1, 1, 1, 3), {ActivationKind::kGelu});
  Check(Shape(40, 37, 32, 24, 3, 3, 2, 1, 1, 1, 1, 2), {ActivationKind::kRelu});
}

}  // namespace
}  // namespace munja::kernels
