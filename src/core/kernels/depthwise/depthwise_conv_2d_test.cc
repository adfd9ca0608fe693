#include "kernels/depthwise/depthwise_conv_2d.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class DepthwiseConv2dTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(DepthwiseConv2dTest);

Conv2dShape DepthwiseShape(int32_t in_h, int32_t in_w, int32_t in_c,
                           int32_t kernel_h, int32_t kernel_w, int32_t stride,
                           int32_t dilation, int32_t pad_before,
                           int32_t pad_after, int32_t multiplier = 1,
                           int32_t batch = 1) {
  Conv2dShape s;
  s.batch = batch;
  s.in_h = in_h;
  s.in_w = in_w;
  s.in_c = in_c;
  s.out_c = in_c * multiplier;
  s.kernel_h = kernel_h;
  s.kernel_w = kernel_w;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = s.pad_left = pad_before;
  const int32_t pads = pad_before + pad_after;
  s.out_h = (in_h + pads - (kernel_h - 1) * dilation - 1) / stride + 1;
  s.out_w = (in_w + pads - (kernel_w - 1) * dilation - 1) / stride + 1;
  return s;
}

std::vector<float> ConvolveDepthwise(const Conv2dShape& s,
                                     const std::vector<float>& in,
                                     const std::vector<float>& weights,
                                     const Epilogue& epilogue, int threads) {
  std::vector<float> out(static_cast<size_t>(s.batch) * s.out_h * s.out_w *
                         s.out_c);
  const auto packed = PackedDepthwise::Pack(
      weights.data(), static_cast<size_t>(s.kernel_h) * s.kernel_w, s.out_c);
  EXPECT_TRUE(packed.ok());
  ThreadPool pool(threads);
  DepthwiseConv2d(s, in.data(), *packed, epilogue, out.data(), pool);
  return out;
}

void CheckDepthwise(const Conv2dShape& s, const Activation& activation = {}) {
  SCOPED_TRACE(::testing::Message()
               << s.in_h << "x" << s.in_w << "x" << s.in_c << " -> " << s.out_h
               << "x" << s.out_w << "x" << s.out_c << " kernel " << s.kernel_h
               << "x" << s.kernel_w << " stride " << s.stride_h << " dilation "
               << s.dilation_h << " pad " << s.pad_top);
  const size_t pixels = static_cast<size_t>(s.batch) * s.out_h * s.out_w;
  const auto in =
      Random(static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c, 1);
  const size_t taps = static_cast<size_t>(s.kernel_h) * s.kernel_w;
  const auto weights = Random(taps * s.out_c, 2);
  const auto bias = Random(s.out_c, 3), residual = Random(pixels * s.out_c, 4);
  const Epilogue epilogue{bias.data(), residual.data(), activation};
  const auto got = ConvolveDepthwise(s, in, weights, epilogue, 1);
  std::vector<float> want(got.size());
  reference::DepthwiseConv2d(s, in.data(), weights.data(), epilogue,
                             want.data());
  for (size_t i = 0; i < got.size(); ++i) {
    // taps + 2 terms, each at most 1 in size: every addition errs by at most
    // half an ulp of a partial sum, and the activation adds a few ulp.
    const float terms = static_cast<float>(taps + 2);
    const float tolerance =
        std::numeric_limits<float>::epsilon() * (terms * terms + 16.0f);
    ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
  }
  EXPECT_EQ(got, ConvolveDepthwise(s, in, weights, epilogue, 3))
      << "threads change bits";
}

// Two channels, 1x3 kernel, one pixel of padding on each side, by hand.
TEST_P(DepthwiseConv2dTest, SmallCase_MatchesHandComputation) {
  Conv2dShape s = DepthwiseShape(1, 3, 2, 1, 3, 1, 1, 0, 0);
  s.pad_left = 1;
  s.out_w = 3;
  const std::vector<float> in = {1, 10, 2, 20, 3, 30};
  const std::vector<float> weights = {1, -1, 2, 0, 3, 1};  // [tap][channel]
  EXPECT_EQ(ConvolveDepthwise(s, in, weights, {}, 1),
            (std::vector<float>{8, 20, 14, 20, 8, -20}));
}

TEST_P(DepthwiseConv2dTest, ChannelTails_MatchReference) {
  for (int32_t channels = 1; channels <= 40; ++channels)
    CheckDepthwise(DepthwiseShape(4, 13, channels, 3, 3, 1, 1, 1, 1));
}

TEST_P(DepthwiseConv2dTest, WidthTails_MatchReference) {
  for (int32_t width = 1; width <= 24; ++width) {
    for (int32_t stride : {1, 2}) {
      CheckDepthwise(DepthwiseShape(5, width, 18, 3, 3, stride, 1, 1, 1));
      CheckDepthwise(DepthwiseShape(5, width, 18, 5, 5, stride, 1, 2, 2));
    }
  }
}

TEST_P(DepthwiseConv2dTest, KernelsStridesPadsAndDilation_MatchReference) {
  for (int32_t kernel : {1, 2, 3, 4, 5, 7}) {
    for (int32_t stride : {1, 2, 3}) {
      for (int32_t before : {0, 1, 3}) {
        for (int32_t after : {0, 2})
          CheckDepthwise(DepthwiseShape(9, 15, 6, kernel, kernel, stride, 1,
                                        before, after));
      }
    }
  }
  for (int32_t dilation : {2, 3})
    CheckDepthwise(
        DepthwiseShape(9, 15, 20, 3, 3, 1, dilation, dilation, dilation));
  CheckDepthwise(DepthwiseShape(3, 20, 33, 1, 5, 1, 1, 0, 0));
  CheckDepthwise(DepthwiseShape(3, 20, 33, 1, 5, 1, 1, 2, 2));
}

TEST_P(DepthwiseConv2dTest, DepthMultiplier_MatchesReference) {
  for (int32_t multiplier : {2, 3, 30}) {
    CheckDepthwise(DepthwiseShape(6, 7, 5, 3, 3, 1, 1, 1, 1, multiplier, 2),
                   {ActivationKind::kRelu6});
  }
}

TEST_P(DepthwiseConv2dTest, WindowsOutsideTheImage_MatchReference) {
  CheckDepthwise(DepthwiseShape(2, 2, 17, 3, 3, 1, 1, 4, 4));
  CheckDepthwise(DepthwiseShape(1, 1, 17, 5, 5, 1, 1, 2, 2));
}

// Images narrower than the kernel, padded on either side or on both.
TEST_P(DepthwiseConv2dTest, NarrowUnevenlyPaddedImages_MatchReference) {
  for (const int32_t kernel : {2, 3, 5, 7}) {
    for (const int32_t stride : {1, 2, 3}) {
      for (int32_t size = 1; size <= kernel + 1; ++size) {
        for (int32_t before = 0; before < kernel; ++before) {
          for (int32_t after = 0; after < kernel; ++after) {
            if (size + before + after < kernel) continue;
            CheckDepthwise(DepthwiseShape(size, size, 17, kernel, kernel,
                                          stride, 1, before, after));
          }
        }
      }
    }
  }
}

// Lines that are made strip by strip, of several lines each.
TEST_P(DepthwiseConv2dTest, WideRowsOfManyChannels_MatchReference) {
  for (const int32_t height : {1, 2, 3, 6}) {
    CheckDepthwise(DepthwiseShape(height, 43, 160, 3, 3, 1, 1, 1, 1, 1, 2),
                   {ActivationKind::kRelu6});
    CheckDepthwise(DepthwiseShape(height, 37, 100, 5, 5, 1, 1, 2, 2),
                   {ActivationKind::kGelu});
    CheckDepthwise(DepthwiseShape(height, 61, 70, 3, 3, 2, 1, 1, 1));
    CheckDepthwise(DepthwiseShape(height, 50, 96, 3, 3, 1, 2, 2, 2));
  }
}

TEST_P(DepthwiseConv2dTest, ManyImagesAndTasks_MatchReference) {
  CheckDepthwise(DepthwiseShape(60, 70, 32, 3, 3, 1, 1, 1, 1, 1, 2),
                 {ActivationKind::kGelu});
  CheckDepthwise(DepthwiseShape(60, 70, 32, 5, 5, 1, 1, 2, 2, 1, 2),
                 {ActivationKind::kRelu});
}

}  // namespace
}  // namespace munja::kernels
