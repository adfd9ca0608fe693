#include "kernels/int_conv_2d.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "base/buffer.h"
#include "hwy/tests/hwy_gtest.h"
#include "kernels/int_depthwise.h"

namespace munja::kernels {
namespace {

class IntConv2dTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(IntConv2dTest);

template <class T>
std::vector<T> Random(size_t count, int64_t low, int64_t high, uint32_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<int64_t> uniform(low, high);
  std::vector<T> v(count);
  for (T& x : v) x = static_cast<T>(uniform(generator));
  return v;
}

// Random multipliers and biases for `columns` channels, and memory for an
// output of that type.
struct Stage {
  Stage(ElementType type, bool is_wide, size_t columns, size_t elements)
      : mantissas(Random<int32_t>(columns, 1 << 30, INT32_MAX, 1)),
        exponents(Random<int32_t>(columns, -14, 1, 2)),
        bias(Random<int32_t>(columns, -30000, 30000, 3)),
        wide_bias(Random<int64_t>(columns, -300000, 300000, 4)),
        scales(columns, 0.125f),
        float_bias(columns, -1.5f),
        out(elements * 4, 0x55) {
    stage.type = type;
    stage.is_wide = is_wide;
    stage.mantissas = mantissas.data();
    stage.exponents = exponents.data();
    if (is_wide)
      stage.wide_bias = wide_bias.data();
    else
      stage.bias = bias.data();
    stage.scales = scales.data();
    stage.float_bias = float_bias.data();
    stage.activation.kind = ActivationKind::kRelu6;
    stage.zero = type == ElementType::kUInt8 ? 100 : -3;
    stage.low = type == ElementType::kUInt8   ? 7
                : type == ElementType::kInt16 ? -30000
                                              : -120;
    stage.high = type == ElementType::kInt16 ? 31000 : 126;
    stage.out = out.data();
  }
  std::vector<int32_t> mantissas, exponents, bias;
  std::vector<int64_t> wide_bias;
  std::vector<float> scales, float_bias;
  std::vector<uint8_t> out;
  OutputStage stage;
};

struct Type {
  ElementType type;
  bool is_wide;
  int32_t in_range;
};
constexpr Type kTypes[] = {
    {ElementType::kInt8, false, 255},   {ElementType::kUInt8, false, 255},
    {ElementType::kInt16, false, 2000}, {ElementType::kInt16, true, 32767},
    {ElementType::kInt32, false, 255},  {ElementType::kFloat32, false, 127}};

// Fast and reference kernel write the same bytes.
void Check(const Conv2dShape& s, const Type& type, int threads) {
  SCOPED_TRACE(::testing::Message()
               << s.in_h << "x" << s.in_w << "x" << s.in_c << " to " << s.out_c
               << ", kernel " << s.kernel_h << "x" << s.kernel_w << ", type "
               << static_cast<int>(type.type) << (type.is_wide ? " wide" : ""));
  const size_t in_count =
      static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c;
  const size_t weight_count = static_cast<size_t>(s.out_c) * s.kernel_h *
                              s.kernel_w * (s.in_c / s.groups);
  const size_t out_count =
      static_cast<size_t>(s.batch) * s.out_h * s.out_w * s.out_c;
  const auto in = Random<int16_t>(in_count, -type.in_range, type.in_range, 5);
  const auto weights = Random<int16_t>(weight_count, -127, 127, 6);
  std::vector<float> scales(static_cast<size_t>(s.batch));
  for (size_t i = 0; i < scales.size(); ++i)
    scales[i] = 0.001f * static_cast<float>(i + 1);
  const auto columns = static_cast<size_t>(s.out_c);
  Stage want(type.type, type.is_wide, columns, out_count);
  Stage got(type.type, type.is_wide, columns, out_count);
  auto packed = Buffer::Allocate(IntConv2dWeightElements(s) * 2);
  auto scratch = Buffer::Allocate(IntConv2dScratchBytes(s, threads));
  ASSERT_TRUE(packed.ok() && scratch.ok());
  PackIntConv2d(weights.data(), s, packed->as<int16_t>());
  ThreadPool pool(threads);
  IntConv2d(s, in.data(), IntConv2dWeightsAt(s, packed->as<int16_t>()),
            scales.data(), DenseStrides(s), got.stage, scratch->data(), pool);
  reference::IntConv2d(s, in.data(), weights.data(), scales.data(), want.stage);
  EXPECT_EQ(got.out, want.out);
}

// By hand: [1 2; 3 4] times [5 6 7; 8 9 10], halved, plus 1.
TEST_P(IntConv2dTest, HandComputed) {
  Conv2dShape s;
  s.batch = 2;
  s.in_c = 2;
  s.out_c = 3;
  const int16_t in[] = {1, 2, 3, 4}, weights[] = {5, 8, 6, 9, 7, 10};
  const int32_t mantissas[] = {1 << 30, 1 << 30, 1 << 30},
                exponents[] = {0, 0, 0};
  int8_t out[6] = {};
  OutputStage stage;
  stage.mantissas = mantissas;
  stage.exponents = exponents;
  stage.zero = 1;
  stage.low = -128;
  stage.high = 30;
  stage.out = out;
  auto packed = Buffer::Allocate(IntConv2dWeightElements(s) * 2);
  ASSERT_TRUE(packed.ok());
  PackIntConv2d(weights, s, packed->as<int16_t>());
  ThreadPool pool(1);
  IntConv2d(s, in, IntConv2dWeightsAt(s, packed->as<int16_t>()), nullptr,
            DenseStrides(s), stage, nullptr, pool);
  // Sums 21 24 27 47 54 61; halves round away from zero.
  const int8_t want[] = {12, 13, 15, 25, 28, 30};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(out[i], want[i]) << i;
}

TEST_P(IntConv2dTest, MatrixProducts) {
  for (const Type& type : kTypes) {
    for (const int32_t k : {1, 2, 7, 64, 1023}) {
      for (const int32_t n : {1, 5, 16, 33, 70}) {
        Conv2dShape s;
        s.batch = n == 33 ? 50 : 3;
        s.in_c = k;
        s.out_c = n;
        Check(s, type, 2);
      }
    }
  }
}

TEST_P(IntConv2dTest, Windows) {
  for (const Type& type : kTypes) {
    Conv2dShape s;
    s.batch = 2;
    s.in_h = 9;
    s.in_w = 11;
    s.in_c = 6;
    s.out_c = 20;
    s.kernel_h = s.kernel_w = 3;
    s.pad_top = s.pad_left = 1;
    s.out_h = 9;
    s.out_w = 11;
    Check(s, type, 3);
    s.dilation_w = 2;
    s.pad_left = 2;
    Check(s, type, 1);
    s.groups = 2;
    s.stride_w = 2;
    s.out_w = 6;
    Check(s, type, 2);
    s.groups = 1;
    s.in_c = 1;
    s.dilation_w = 1;
    s.out_c = 3;
    Check(s, type, 2);
  }
}

TEST_P(IntConv2dTest, Depthwise) {
  for (const Type& type : kTypes) {
    for (const auto& [in_c, multiplier] :
         {std::pair{1, 1}, {1, 37}, {5, 3}, {19, 1}, {300, 1}, {64, 2}}) {
      Conv2dShape s;
      s.batch = 2;
      s.in_h = 7;
      s.in_w = 6;
      s.in_c = in_c;
      s.out_c = in_c * multiplier;
      s.kernel_h = 3;
      s.kernel_w = 5;
      s.dilation_h = 2;
      s.stride_w = 2;
      s.pad_top = 2;
      s.pad_left = 1;
      s.out_h = 7;
      s.out_w = 3;
      const size_t out_count =
          static_cast<size_t>(s.batch) * s.out_h * s.out_w * s.out_c;
      const auto in = Random<int16_t>(static_cast<size_t>(2 * 7 * 6 * in_c),
                                      -type.in_range, type.in_range, 7);
      const auto weights =
          Random<int16_t>(static_cast<size_t>(15 * s.out_c), -127, 127, 8);
      const float scales[] = {0.5f, 0.25f};
      const auto columns = static_cast<size_t>(s.out_c);
      Stage want(type.type, type.is_wide, columns, out_count);
      Stage got(type.type, type.is_wide, columns, out_count);
      ThreadPool pool(2);
      IntDepthwise(s, in.data(), weights.data(), scales, got.stage, pool);
      reference::IntDepthwise(s, in.data(), weights.data(), scales, want.stage);
      EXPECT_EQ(got.out, want.out) << in_c << " x " << multiplier << ", type "
                                   << static_cast<int>(type.type);
    }
  }
}

// Every exponent, and sums at the ends of 32 bits.
TEST_P(IntConv2dTest, StagesRoundAlike) {
  auto sums = Random<int32_t>(997, INT32_MIN, INT32_MAX, 9);
  sums[0] = INT32_MIN;
  sums[1] = INT32_MAX;
  sums[2] = -1;
  sums[3] = 0;
  for (int32_t exponent = -31; exponent <= 30; ++exponent) {
    for (const ElementType type :
         {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16}) {
      Stage want(type, false, sums.size(), sums.size());
      Stage got(type, false, sums.size(), sums.size());
      for (Stage* stage : {&want, &got})
        stage->exponents.assign(sums.size(), exponent);
      const RowTarget target;
      StoreSums(got.stage, sums.data(), 0, &target, 1, 0, sums.size());
      for (size_t i = 0; i < sums.size(); ++i)
        reference::StoreSum(want.stage, sums[i], target, i);
      EXPECT_EQ(got.out, want.out) << exponent;
    }
  }
}

}  // namespace
}  // namespace munja::kernels
