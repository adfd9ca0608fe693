#include "kernels/conv/lateral_conv.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class LateralConvTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(LateralConvTest);

std::vector<int32_t> Indices(int32_t count, int32_t below) {
  std::vector<int32_t> v(count);
  for (int32_t i = 0; i < count; ++i) v[i] = i * below / count;
  return v;
}

struct What {
  bool has_bias = true, has_gate = true, has_level = true;
  Activation activation;
  int32_t enlarged = 3;  // Pixels of a line to one of the level, about.
};

std::vector<float> Run(const LateralConvShape& s, const What& what, int threads,
                       bool reference_kernels) {
  const size_t in_c = s.in_c, out_c = s.out_c, batch = s.batch;
  const size_t pixels = static_cast<size_t>(s.height) * s.width;
  const auto in = Random(batch * pixels * in_c, 1);
  const auto weights = Random(in_c * out_c, 2), bias = Random(out_c, 3);
  const auto gate = Random(batch * out_c, 4);
  CoarseLevel level;
  level.height = (s.height + 1) / 2;
  level.width = (s.width + what.enlarged - 1) / what.enlarged;
  const auto rows = Indices(s.height, level.height),
             columns = Indices(s.width, level.width);
  const auto coarse = Random(batch * level.height * level.width * out_c, 5);
  if (what.has_level) level.data = coarse.data();
  level.rows = rows.data();
  level.columns = columns.data();
  const float* const used_bias = what.has_bias ? bias.data() : nullptr;
  std::vector<float> out(batch * pixels * out_c, 77.0f);
  if (reference_kernels) {
    reference::LateralConv(s, in.data(), weights.data(), used_bias,
                           what.has_gate ? gate.data() : nullptr, out_c, level,
                           what.activation, out.data());
    return out;
  }
  const auto bytes = ScaledLateralBytes(s);
  EXPECT_TRUE(bytes.ok());
  auto memory = Buffer::Allocate(*bytes);
  auto scratch = Buffer::Allocate(LateralConvScratchBytes(s, threads));
  auto packed = PackedMatrix::Pack(weights.data(), in_c, out_c, 1, in_c);
  EXPECT_TRUE(memory.ok() && scratch.ok() && packed.ok());
  ThreadPool pool(threads);
  for (size_t n = 0; n < batch; ++n) {
    LateralWeights own{packed->view(), used_bias};
    if (what.has_gate) {
      own = ScaleLateralWeights(s, weights.data(), used_bias,
                                gate.data() + n * out_c, memory->data());
    }
    LateralConv(s, n, in.data(), own, level, what.activation, out.data(),
                scratch->data(), pool);
  }
  return out;
}

void CheckLateral(const LateralConvShape& s, const What& what) {
  SCOPED_TRACE(::testing::Message()
               << s.batch << "x" << s.height << "x" << s.width << "x" << s.in_c
               << " to " << s.out_c << " bias " << what.has_bias << " gate "
               << what.has_gate << " level " << what.has_level);
  const auto got = Run(s, what, 1, false), want = Run(s, what, 1, true);
  // in_c + 2 terms of size at most 1; each of them and each sum is rounded.
  const float terms = static_cast<float>(s.in_c + 2);
  const float tolerance =
      std::numeric_limits<float>::epsilon() * (terms * terms + 16.0f);
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
  EXPECT_EQ(got, Run(s, what, 3, false));
}

// Two pixels 1 2 and 3 4, weights [1 10] and bias 5, gate 2, level 100.
TEST_P(LateralConvTest, SmallCase_MatchesHandComputation) {
  const LateralConvShape s{1, 1, 2, 2, 1};
  const float in[] = {1, 2, 3, 4}, weights[] = {1, 10}, bias[] = {5},
              gate[] = {2}, coarse[] = {100};
  const int32_t zeros[] = {0, 0};
  const CoarseLevel level{coarse, 1, 1, zeros, zeros};
  auto memory = Buffer::Allocate(*ScaledLateralBytes(s));
  auto scratch = Buffer::Allocate(LateralConvScratchBytes(s, 1));
  ASSERT_TRUE(memory.ok() && scratch.ok());
  ThreadPool pool(1);
  std::vector<float> out(2);
  LateralConv(s, 0, in,
              ScaleLateralWeights(s, weights, bias, gate, memory->data()),
              level, {}, out.data(), scratch->data(), pool);
  EXPECT_EQ(out, (std::vector<float>{152, 196}));
  reference::LateralConv(s, in, weights, bias, gate, 1, level, {}, out.data());
  EXPECT_EQ(out, (std::vector<float>{152, 196}));
}

TEST_P(LateralConvTest, RandomCases_MatchReference) {
  for (const bool has_bias : {false, true}) {
    for (const bool has_gate : {false, true}) {
      for (const bool has_level : {false, true}) {
        const What what{has_bias, has_gate, has_level, {ActivationKind::kRelu}};
        CheckLateral({2, 5, 7, 9, 13}, what);
        CheckLateral({1, 3, 100, 32, 64}, what);
      }
    }
  }
}

// A level half as wide is added as it lies.
TEST_P(LateralConvTest, DoubledPixels_MatchReference) {
  for (const int32_t width : {2, 6, 46, 96, 98, 200}) {
    CheckLateral({2, 5, width, 9, 13}, {.activation = {}, .enlarged = 2});
    CheckLateral({1, 3, width, 32, 64},
                 {.activation = {ActivationKind::kGelu}, .enlarged = 2});
  }
}

TEST_P(LateralConvTest, EveryWidth_MatchesReference) {
  for (int32_t width = 1; width <= 110; width += 3)
    CheckLateral({1, 2, width, 3, 5}, {});
  for (int32_t out_c = 1; out_c <= 70; ++out_c)
    CheckLateral({1, 2, 3, 4, out_c},
                 {true, true, true, {ActivationKind::kGelu}});
}

}  // namespace
}  // namespace munja::kernels
