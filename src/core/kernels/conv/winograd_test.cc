#include "kernels/conv/winograd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class WinogradTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(WinogradTest);

Conv2dShape ShapeOf3x3(int32_t in_h, int32_t in_w, int32_t in_c, int32_t out_c,
                       int32_t pad_before = 1, int32_t pad_after = 1,
                       int32_t batch = 1) {
  Conv2dShape s;
  s.batch = batch;
  s.in_h = in_h;
  s.in_w = in_w;
  s.in_c = in_c;
  s.out_c = out_c;
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = pad_before;
  s.out_h = in_h + pad_before + pad_after - 2;
  s.out_w = in_w + pad_before + pad_after - 2;
  return s;
}

size_t InputNumbers(const Conv2dShape& s) {
  return static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c;
}
size_t OutputNumbers(const Conv2dShape& s) {
  return static_cast<size_t>(s.batch) * s.out_h * s.out_w * s.out_c;
}
std::vector<float> WeightsOf3x3(const Conv2dShape& s) {
  return Random(size_t{9} * s.in_c * s.out_c, 2);
}

void RunWinograd(const Conv2dShape& s, const float* in,
                 const std::vector<float>& weights, const Epilogue& epilogue,
                 int threads, float* out) {
  ASSERT_TRUE(TakesWinograd(s));
  const auto packed = PackedWinograd::Pack(weights.data(), s);
  const auto bytes = WinogradScratchBytes(s, threads);
  ASSERT_TRUE(packed.ok() && bytes.ok());
  auto scratch = Buffer::Allocate(*bytes);
  ASSERT_TRUE(scratch.ok());
  ThreadPool pool(threads);
  WinogradConv2d(s, in, *packed, epilogue, out, scratch->data(), pool);
}

float LargestSize(const std::vector<float>& v) {
  float largest = 0;
  for (const float x : v) largest = std::max(largest, std::fabs(x));
  return largest;
}

void CheckSquares(const Conv2dShape& s, const Activation& activation = {}) {
  SCOPED_TRACE(::testing::Message()
               << s.batch << "x" << s.in_h << "x" << s.in_w << "x" << s.in_c
               << " -> " << s.out_h << "x" << s.out_w << "x" << s.out_c
               << " pad " << s.pad_top);
  const auto in = Random(InputNumbers(s), 1);
  const auto weights = WeightsOf3x3(s);
  const auto bias = Random(static_cast<size_t>(s.out_c), 3);
  const auto residual = Random(OutputNumbers(s), 4);
  const Epilogue epilogue{bias.data(), residual.data(), activation};
  std::vector<float> got(OutputNumbers(s)), want(got.size()), sums(got.size());
  RunWinograd(s, in.data(), weights, epilogue, 1, got.data());
  reference::Conv2d(s, in.data(), weights.data(), epilogue, want.data());
  reference::Conv2d(s, in.data(), weights.data(),
                    {bias.data(), residual.data(), {}}, sums.data());
  // The promised error is 1e-4 of the largest sum; the transforms keep a tenth
  // of that with room to spare.
  const float tolerance = 1e-5f * LargestSize(sums);
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
  std::vector<float> threaded(got.size());
  RunWinograd(s, in.data(), weights, epilogue, 3, threaded.data());
  EXPECT_EQ(got, threaded) << "threads change bits";
  std::vector<float> in_place = residual;
  const Epilogue onto{bias.data(), in_place.data(), activation};
  RunWinograd(s, in.data(), weights, onto, 1, in_place.data());
  EXPECT_EQ(got, in_place) << "a residual in the place of the output";
}

TEST_P(WinogradTest, EdgesOfTheImage_MatchReference) {
  for (const int32_t h : {1, 2, 3, 4, 5, 8, 9})
    for (const int32_t w : {1, 3, 4, 6, 7, 8})
      CheckSquares(ShapeOf3x3(h, w, 32, 32));
}

TEST_P(WinogradTest, Pads_MatchReference) {
  for (const int32_t before : {0, 1, 2, 5}) {
    for (const int32_t after : {0, 1, 2, 5})
      CheckSquares(ShapeOf3x3(6, 9, 32, 32, before, after));
  }
}

TEST_P(WinogradTest, ChannelTails_MatchReference) {
  for (const int32_t in_c : {32, 33, 40, 47, 61})
    for (const int32_t out_c : {1, 8, 16, 32, 35, 40, 63, 80})
      CheckSquares(ShapeOf3x3(5, 6, in_c, out_c));
}

TEST_P(WinogradTest, ManyImagesAndTasks_MatchReference) {
  CheckSquares(ShapeOf3x3(37, 41, 32, 48, 1, 1, 3), {ActivationKind::kRelu6});
  CheckSquares(ShapeOf3x3(50, 50, 160, 32), {ActivationKind::kRelu});
}

TEST_P(WinogradTest, Activations_MatchReference) {
  for (const ActivationRow& row : ActivationRows()) {
    SCOPED_TRACE(row.name);
    const auto kind = static_cast<ActivationKind>(&row - &ActivationRows()[0]);
    CheckSquares(ShapeOf3x3(7, 10, 32, 36), {kind, 0.2f, 0.5f});
  }
}

// The transforms lose most where large numbers cancel each other out: a map far
// from zero.
TEST_P(WinogradTest, MapsFarFromZero_StayAccurate) {
  const Conv2dShape s = ShapeOf3x3(12, 12, 64, 32);
  auto in = Random(InputNumbers(s), 1);
  for (float& x : in) x += 100.0f;
  const auto weights = WeightsOf3x3(s);
  std::vector<float> got(OutputNumbers(s)), want(got.size());
  RunWinograd(s, in.data(), weights, {}, 1, got.data());
  reference::Conv2d(s, in.data(), weights.data(), {}, want.data());
  const float tolerance = 1e-4f * LargestSize(want);  // As promised.
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
}

// Rows from a multiple of four on have the bits of the whole map.
TEST_P(WinogradTest, SingleRows_HaveTheSameBits) {
  const Conv2dShape s = ShapeOf3x3(22, 13, 40, 33);
  const auto in = Random(InputNumbers(s), 1);
  const auto weights = WeightsOf3x3(s);
  std::vector<float> whole(OutputNumbers(s));
  RunWinograd(s, in.data(), weights, {}, 1, whole.data());
  const size_t row = static_cast<size_t>(s.out_w) * s.out_c;
  for (const int32_t begin : {0, 4, 12, 20}) {
    Conv2dShape part = s;
    part.out_h = std::min(8, s.out_h - begin);
    const int32_t first = std::max(begin - 1, 0);
    part.pad_top = first - (begin - 1);
    part.in_h = std::min(begin + part.out_h + 1, s.in_h) - first;
    std::vector<float> got(OutputNumbers(part));
    RunWinograd(part, in.data() + static_cast<size_t>(first) * s.in_w * s.in_c,
                weights, {}, 1, got.data());
    const auto begins = whole.begin() + static_cast<ptrdiff_t>(begin * row);
    EXPECT_EQ(got, std::vector<float>(
                       begins, begins + static_cast<ptrdiff_t>(got.size())))
        << "from row " << begin;
  }
}

TEST(WinogradRule, SuitableShapes_AreChosen) {
  EXPECT_TRUE(SuitsWinograd(ShapeOf3x3(40, 40, 32, 32)));
  EXPECT_TRUE(SuitsWinograd(ShapeOf3x3(160, 160, 32, 16)));
  EXPECT_TRUE(SuitsWinograd(ShapeOf3x3(8, 8, 64, 64)));
  Conv2dShape unknown = ShapeOf3x3(40, 40, 32, 32);
  unknown.out_h = unknown.out_w = 0;
  EXPECT_TRUE(SuitsWinograd(unknown));
  // Few channels, squares that are mostly empty, weights that are read for few
  // pixels.
  EXPECT_FALSE(SuitsWinograd(ShapeOf3x3(40, 40, 31, 32)));
  EXPECT_FALSE(SuitsWinograd(ShapeOf3x3(40, 40, 32, 15)));
  EXPECT_FALSE(SuitsWinograd(ShapeOf3x3(1, 40, 64, 64)));
  EXPECT_FALSE(SuitsWinograd(ShapeOf3x3(7, 7, 512, 512)));
  for (int32_t Conv2dShape::*const field :
       {&Conv2dShape::kernel_h, &Conv2dShape::kernel_w, &Conv2dShape::stride_h,
        &Conv2dShape::stride_w, &Conv2dShape::dilation_h,
        &Conv2dShape::dilation_w, &Conv2dShape::groups}) {
    Conv2dShape other = ShapeOf3x3(40, 40, 64, 64);
    other.*field = 2;
    EXPECT_FALSE(TakesWinograd(other));
  }
}

}  // namespace
}  // namespace munja::kernels
