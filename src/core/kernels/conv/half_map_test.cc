// Convolutions of maps of 16-bit floats, in and out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernels/conv/conv_2d.h"
#include "kernels/conv/half_line_conv.h"
#include "kernels/conv/lateral_conv.h"
#include "kernels/conv/transpose_conv.h"
#include "kernels/depthwise/depthwise_conv_2d.h"
#include "kernels/depthwise/half_depthwise.h"
#include "kernels/gemm/half_gemm.h"
#include "kernels/gemm/half_weights.h"
#include "kernels/spatial/pool.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class HalfMapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (HalfTypeInUse() == ElementType::kFloat32)
      GTEST_SKIP() << "this processor multiplies no 16-bit floats";
  }
};

// A map of both kinds, with the same numbers.
struct Map {
  explicit Map(size_t count) : floats(count), halves(count) {}
  Map(size_t count, uint32_t seed) : floats(Random(count, seed)) {
    halves.resize(count);
    RoundToHalf(floats.data(), count, halves.data());
    WidenHalf(halves.data(), count, floats.data());
  }
  RowView rows(bool is_half) const {
    if (is_half) return {halves.data(), 0, HalfTypeInUse()};
    return {floats.data(), 0};
  }
  MutableRowView out(bool is_half) {
    if (is_half) return {halves.data(), 0, HalfTypeInUse()};
    return {floats.data(), 0};
  }
  std::vector<float> floats;
  std::vector<uint16_t> halves;
};

std::vector<uint16_t> Rounded(const std::vector<float>& v) {
  std::vector<uint16_t> halves(v.size());
  RoundToHalf(v.data(), v.size(), halves.data());
  return halves;
}

std::vector<float> WeightsOf(size_t count, uint32_t seed) {
  return Map(count, seed).floats;
}

float Tolerance(size_t products) {
  const auto bound = static_cast<float>(products);
  const float sums = HalfTypeInUse() == ElementType::kBFloat16
                         ? 0.0f
                         : 0x1p-11f * static_cast<float>(kFloat16Run);
  return bound * (bound * std::numeric_limits<float>::epsilon() + sums);
}

void ExpectNear(const std::vector<float>& got, const std::vector<float>& want,
                float tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance) << i;
}

Conv2dShape MapShape(int32_t h, int32_t w, int32_t in_c, int32_t out_c,
                     int32_t kernel, int32_t stride, int32_t before,
                     int32_t after) {
  Conv2dShape s;
  s.batch = 2;
  s.in_h = h;
  s.in_w = w;
  s.in_c = in_c;
  s.out_c = out_c;
  s.kernel_h = s.kernel_w = kernel;
  s.stride_h = s.stride_w = stride;
  s.pad_top = s.pad_left = before;
  s.out_h = (h + before + after - kernel) / stride + 1;
  s.out_w = (w + before + after - kernel) / stride + 1;
  return s;
}

std::string Name(const Conv2dShape& s) {
  return std::to_string(s.in_h) + " x " + std::to_string(s.in_w) + " x " +
         std::to_string(s.in_c) + " to " + std::to_string(s.out_c) +
         ", kernel " + std::to_string(s.kernel_h) + ", stride " +
         std::to_string(s.stride_h) + ", pad " + std::to_string(s.pad_top);
}

size_t InNumbers(const Conv2dShape& s) {
  return static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c;
}
size_t OutNumbers(const Conv2dShape& s) {
  return static_cast<size_t>(s.batch) * s.out_h * s.out_w * s.out_c;
}

// Against the reference, and the kinds of maps and threads against each other.
void CheckConv(const Conv2dShape& s) {
  SCOPED_TRACE(Name(s));
  const size_t k = static_cast<size_t>(s.kernel_h) * s.kernel_w * s.in_c;
  const Map in(InNumbers(s), 1);
  const auto weights = WeightsOf(k * s.out_c, 2), bias = Random(s.out_c, 3),
             residual = Random(OutNumbers(s), 4);
  const Epilogue epilogue{
      bias.data(), residual.data(), {ActivationKind::kRelu}};
  Map want(OutNumbers(s)), got(OutNumbers(s)), first(OutNumbers(s));
  reference::Conv2d(s, in.floats.data(), weights.data(), epilogue,
                    want.floats.data());
  const auto packed = PackedConv2d::Pack(weights.data(), s, Product::kHalf);
  ASSERT_TRUE(packed.ok() && packed->is_half());
  auto scratch = Buffer::Allocate(*Conv2dScratchBytes(s, 3));
  ASSERT_TRUE(scratch.ok());
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (const bool is_in_half : {false, true}) {
      if (is_in_half && !TakesHalfMap(s, *packed)) continue;
      for (const bool is_out_half : {false, true}) {
        Conv2d(s, in.rows(is_in_half), *packed, epilogue, got.out(is_out_half),
               scratch->data(), pool);
        if (threads == 1 && !is_in_half && !is_out_half) {
          ExpectNear(got.floats, want.floats, Tolerance(k + 2));
          first.floats = got.floats;
          first.halves = Rounded(got.floats);
        }
        if (is_out_half) {
          EXPECT_EQ(got.halves, first.halves);
        } else {
          EXPECT_EQ(got.floats, first.floats);
        }
      }
    }
  }
}

// Each weight becomes one of its two neighbors, and the sums of windows come
// closer than those of the nearest ones.
TEST(HalfWeights, Rounding_KeepsTheSums) {
  const size_t outer = 5, taps = 9, inner = 4;
  for (const ElementType format :
       {ElementType::kBFloat16, ElementType::kFloat16}) {
    const float step = format == ElementType::kBFloat16 ? 0x1p-7f : 0x1p-10f;
    auto weights = Random(outer * taps * inner, 3);
    weights[7] = 0.0f;
    weights[8] = -1.0f;
    const auto rounded =
        RoundKeepingSums(format, weights.data(), outer, taps, inner);
    double error = 0, nearest_error = 0;
    for (size_t o = 0; o < outer; ++o) {
      for (size_t i = 0; i < inner; ++i) {
        double sum = 0, got = 0, nearest = 0;
        for (size_t tap = 0; tap < taps; ++tap) {
          const size_t at = (o * taps + tap) * inner + i;
          const float near = reference::WidenHalf(
              format, reference::RoundToHalf(format, weights[at]));
          EXPECT_EQ(rounded[at],
                    reference::WidenHalf(
                        format, reference::RoundToHalf(format, rounded[at])));
          EXPECT_LT(std::fabs(rounded[at] - weights[at]),
                    step * std::fabs(weights[at]) + 1e-30f);
          sum += weights[at];
          got += rounded[at];
          nearest += near;
        }
        EXPECT_LE(std::fabs(got - sum), std::fabs(nearest - sum));
        error += std::fabs(got - sum);
        nearest_error += std::fabs(nearest - sum);
      }
    }
    EXPECT_LT(error, nearest_error / 2);
    EXPECT_EQ(rounded[7], 0.0f);
    EXPECT_EQ(rounded[8], -1.0f);
    EXPECT_EQ(RoundKeepingSums(format, rounded.data(), outer, taps, inner),
              rounded);
  }
}

TEST_F(HalfMapTest, Images_MatchFloat) {
  for (const int32_t in_c : {1, 2, 3, 4}) {
    for (const int32_t kernel : {2, 3, 4, 7}) {
      for (const int32_t stride : {1, 2, 3}) {
        for (const int32_t pad : {0, 1}) {
          const Conv2dShape s =
              MapShape(11, 37, in_c, 16, kernel, stride, pad, kernel / 2);
          EXPECT_TRUE(TakesHalfLines(s));
          CheckConv(s);
        }
      }
    }
  }
  for (const int32_t out_c : {1, 5, 8, 24, 40})
    CheckConv(MapShape(9, 30, 3, out_c, 3, 2, 0, 1));
  // Padding beyond the kernel, and images smaller than it.
  CheckConv(MapShape(5, 4, 3, 16, 3, 1, 5, 6));
  CheckConv(MapShape(2, 2, 3, 16, 5, 2, 2, 2));
}

TEST_F(HalfMapTest, Convolutions_MatchFloat) {
  for (const int32_t width : {9, 150}) {
    CheckConv(MapShape(7, width, 16, 8, 2, 1, 0, 1));
    CheckConv(MapShape(7, width, 8, 16, 2, 1, 0, 1));
    CheckConv(MapShape(7, width, 16, 16, 3, 2, 1, 1));
    CheckConv(MapShape(7, width, 16, 40, 3, 1, 1, 1));
    CheckConv(MapShape(7, width, 32, 20, 1, 1, 0, 0));
    CheckConv(MapShape(7, width, 48, 5, 1, 1, 0, 0));
    CheckConv(MapShape(7, width, 16, 4, 1, 2, 0, 0));
    CheckConv(MapShape(7, width, 24, 8, 3, 1, 1, 1));  // No whole runs.
  }
}

TEST_F(HalfMapTest, DepthwiseConvolutions_MatchFloat) {
  if (!TakesHalfDepthwise(MapShape(9, 9, 8, 8, 5, 1, 2, 2), {})) GTEST_SKIP();
  EXPECT_FALSE(TakesHalfDepthwise(MapShape(9, 9, 8, 8, 5, 2, 2, 2), {}));
  EXPECT_FALSE(TakesHalfDepthwise(MapShape(9, 9, 8, 16, 5, 1, 2, 2), {}));
  EXPECT_FALSE(TakesHalfDepthwise(MapShape(9, 9, 8, 8, 5, 1, 2, 2),
                                  {ActivationKind::kGelu}));
  for (const int32_t channels : {1, 16, 32, 40, 64, 70}) {
    for (const int32_t kernel_h : {2, 3, 5, 6}) {
      for (const int32_t width : {1, 3, 5, 13, 40}) {
        for (const int32_t pad : {0, 2}) {
          Conv2dShape s =
              MapShape(11, width, channels, channels, 5, 1, pad, pad);
          s.kernel_h = kernel_h;
          s.out_h = 11 + 2 * pad - kernel_h + 1;
          if (s.out_w < 1) continue;
          SCOPED_TRACE(Name(s));
          const size_t taps = static_cast<size_t>(kernel_h) * 5;
          const Map in(InNumbers(s), 1);
          const auto weights = WeightsOf(taps * channels, 2),
                     bias = Random(channels, 3);
          const Epilogue epilogue{
              pad == 0 ? nullptr : bias.data(),
              nullptr,
              {pad == 0 ? ActivationKind::kNone : ActivationKind::kRelu}};
          Map want(OutNumbers(s)), got(OutNumbers(s));
          reference::DepthwiseConv2d(s, in.floats.data(), weights.data(),
                                     epilogue, want.floats.data());
          auto packed = PackHalfDepthwise(s, weights.data());
          auto scratch = Buffer::Allocate(*HalfDepthwiseScratchBytes(s, 3));
          ASSERT_TRUE(packed.ok() && scratch.ok());
          ThreadPool one(1), three(3);
          HalfDepthwiseConv2d(s, in.rows(false), *packed, epilogue,
                              got.out(false), scratch->data(), one);
          ExpectNear(got.floats, want.floats, Tolerance(taps + 2));
          want.halves = Rounded(got.floats);
          HalfDepthwiseConv2d(s, in.rows(true), *packed, epilogue,
                              got.out(true), scratch->data(), three);
          EXPECT_EQ(got.halves, want.halves);
        }
      }
    }
  }
}

TEST_F(HalfMapTest, MaxPools_MatchTheRoundedValues) {
  if (HalfTypeInUse() != ElementType::kBFloat16) GTEST_SKIP();
  for (const int32_t channels : {1, 3, 8, 16, 20}) {
    for (const int32_t kernel : {2, 3}) {
      for (const int32_t stride : {1, 2}) {
        for (const int32_t pad : {0, 1}) {
          for (const int32_t width : {3, 9, 40}) {
            PoolShape s;
            s.in_h = 7;
            s.in_w = width;
            s.channels = channels;
            s.kernel_h = s.kernel_w = kernel;
            s.stride_h = s.stride_w = stride;
            s.pad_top = s.pad_left = pad;
            s.out_h = (7 + 2 * pad - kernel) / stride + 1;
            s.out_w = (width + 2 * pad - kernel) / stride + 1;
            const Map in(static_cast<size_t>(7) * width * channels, 5);
            Map out(static_cast<size_t>(s.out_h) * s.out_w * channels);
            Pool(PoolKind::kMaximum, s, {}, in.floats.data(), 0, s.out_h,
                 out.floats.data());
            MaximumOfBFloat16(s, in.halves.data(), 0, s.out_h,
                              out.halves.data());
            EXPECT_EQ(out.halves, Rounded(out.floats))
                << channels << " channels, kernel " << kernel << ", stride "
                << stride << ", pad " << pad << ", width " << width;
          }
        }
      }
    }
  }
}

TEST_F(HalfMapTest, TransposedConvolutions_MatchFloat) {
  for (const int32_t out_c : {1, 3, 16}) {
    for (const int32_t kernel : {2, 3}) {
      for (const int32_t stride : {kernel, kernel - 1}) {
        Conv2dShape s;
        s.batch = 2;
        s.in_h = 5;
        s.in_w = 61;
        s.in_c = 16;
        s.out_c = out_c;
        s.kernel_h = s.kernel_w = kernel;
        s.stride_h = s.stride_w = stride;
        s.out_h = (s.in_h - 1) * stride + kernel;
        s.out_w = (s.in_w - 1) * stride + kernel;
        SCOPED_TRACE(::testing::Message() << out_c << " channels, kernel "
                                          << kernel << ", stride " << stride);
        const size_t k = static_cast<size_t>(kernel) * kernel * s.in_c;
        const size_t outputs =
            static_cast<size_t>(s.batch) * s.out_h * s.out_w * out_c;
        const Map in(static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c,
                     1);
        const auto weights = WeightsOf(k * out_c, 2), bias = Random(out_c, 3);
        const Activation activation{ActivationKind::kSigmoid};
        Map want(outputs), got(outputs);
        reference::TransposeConv(s, in.floats.data(), weights.data(),
                                 bias.data(), activation, want.floats.data());
        const auto packed = PackedTransposeConv::Pack(
            weights.data(), bias.data(), s, Product::kHalf);
        auto scratch = Buffer::Allocate(*TransposeConvScratchBytes(s, 3));
        ASSERT_TRUE(packed.ok() && scratch.ok());
        ASSERT_TRUE(TakesHalfMap(s, *packed));
        ThreadPool pool(3);
        TransposeConv(s, in.rows(false), *packed, activation, got.out(false),
                      scratch->data(), pool);
        ExpectNear(got.floats, want.floats, Tolerance(k + 2));
        want = got;
        TransposeConv(s, in.rows(true), *packed, activation, got.out(false),
                      scratch->data(), pool);
        EXPECT_EQ(got.floats, want.floats);
        if (!MakesHalfMap(s, *packed)) continue;
        TransposeConv(s, in.rows(true), *packed, activation, got.out(true),
                      scratch->data(), pool);
        EXPECT_EQ(got.halves, Rounded(want.floats));
      }
    }
  }
}

TEST_F(HalfMapTest, LateralConvolutions_MatchFloat) {
  for (const int32_t width : {2, 40, 200}) {
    LateralConvShape s{2, 6, width, 32, 40, Product::kHalf};
    const size_t pixels = static_cast<size_t>(6) * width;
    const Map in(2 * pixels * 32, 1);
    const auto weights = WeightsOf(32 * 40, 2), bias = Random(40, 3),
               coarse = Random(2 * pixels / 4 * 40, 4);
    std::vector<int32_t> rows(6), columns(static_cast<size_t>(width));
    for (int32_t i = 0; i < 6; ++i) rows[i] = i / 2;
    for (int32_t i = 0; i < width; ++i) columns[i] = i / 2;
    const CoarseLevel level{coarse.data(), 3, width / 2, rows.data(),
                            columns.data()};
    ASSERT_TRUE(MakesHalfLateral(s, level));
    Map want(2 * pixels * 40), got(2 * pixels * 40);
    reference::LateralConv(s, in.floats.data(), weights.data(), bias.data(),
                           nullptr, 0, level, {}, want.floats.data());
    const auto packed =
        PackedMatrix::Pack(weights.data(), 32, 40, 1, 32, Product::kHalf);
    auto scratch = Buffer::Allocate(LateralConvScratchBytes(s, 2));
    ASSERT_TRUE(packed.ok() && scratch.ok());
    ThreadPool pool(2);
    for (const bool is_half : {false, true}) {
      for (size_t image = 0; image < 2; ++image) {
        LateralConv(s, image, in.floats.data(), {packed->view(), bias.data()},
                    level, {}, got.out(is_half), scratch->data(), pool);
      }
    }
    ExpectNear(got.floats, want.floats, Tolerance(34));
    EXPECT_EQ(got.halves, Rounded(got.floats));
    columns[1] = 1;
    EXPECT_FALSE(MakesHalfLateral(s, level));
  }
}

}  // namespace
}  // namespace munja::kernels
