#include "kernels/gemm/half_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/conv/conv_2d.h"
#include "kernels/conv/lateral_conv.h"
#include "kernels/cpu/simd.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class HalfGemmTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (HalfTypeInUse() == ElementType::kFloat32)
      GTEST_SKIP() << "this processor multiplies no 16-bit floats";
  }
};

// Half a unit in the last place, as a part of the number: 8 and 11 bits.
float Rounding() {
  return HalfTypeInUse() == ElementType::kBFloat16 ? 0x1p-8f : 0x1p-11f;
}
// Rounding error of sums over a run of products in the format itself.
float SumRounding() {
  return HalfTypeInUse() == ElementType::kBFloat16
             ? 0.0f
             : 0x1p-11f * static_cast<float>(kFloat16Run);
}

std::vector<uint16_t> RoundedMatrix(const std::vector<float>& v) {
  std::vector<uint16_t> halves(v.size());
  RoundToHalf(v.data(), v.size(), halves.data());
  return halves;
}

PackedMatrix Pack(const std::vector<float>& b, size_t k, size_t n,
                  size_t k_stride, size_t n_stride) {
  auto packed =
      PackedMatrix::Pack(b.data(), k, n, k_stride, n_stride, Product::kHalf);
  EXPECT_TRUE(packed.ok());
  EXPECT_TRUE(packed->view().is_half());
  return std::move(*packed);
}

// All rows, block by block.
void MultiplyHalf(const RowView& a, size_t m, const MatrixView& b,
                  const Epilogue& epilogue, const MutableRowView& c) {
  for (size_t row = 0; row < m; row += kGemmBlockRows) {
    const size_t count = std::min(kGemmBlockRows, m - row);
    Epilogue here = epilogue;
    here.residual = RowsFrom(epilogue.residual, row);
    const RowView left = RowsFrom(a, row);
    if (a.is_half()) {
      const auto* first = static_cast<const uint16_t*>(left.data);
      MultiplyBlock({&first, count, 1, HalfDepth(b.k), true, a.stride}, b, 0,
                    PanelCount(b.n), here, RowsFrom(c, row));
    } else {
      const auto* first = static_cast<const float*>(left.data);
      MultiplyBlock({&first, count, 1, b.k, true, a.stride}, b, 0,
                    PanelCount(b.n), here, RowsFrom(c, row));
    }
  }
}

struct HalfGemmCase {
  size_t m, k, n;
};

struct Storage {
  bool in, residual, out;  // True: halves.
};

void CheckHalfGemm(const HalfGemmCase& c, ActivationKind kind,
                   Storage storage) {
  SCOPED_TRACE(::testing::Message()
               << c.m << "x" << c.k << "x" << c.n << " activation "
               << static_cast<int>(kind) << " halves " << storage.in
               << storage.residual << storage.out);
  const ElementType format = HalfTypeInUse();
  const size_t lda = HalfDepth(c.k) + 2, ldc = c.n + 5;
  auto a = Random(c.m * lda, 1);
  // Where rows are halves, the number that fills the last pair up.
  for (size_t row = 0; row < c.m; ++row)
    for (size_t i = c.k; i < HalfDepth(c.k); ++i) a[row * lda + i] = 0.0f;
  const auto b = Random(c.n * c.k, 2), bias = Random(c.n, 3);
  auto residual = Random(c.m * ldc, 4);
  const auto half_a = RoundedMatrix(a), half_residual = RoundedMatrix(residual);
  if (storage.residual)
    WidenHalf(half_residual.data(), residual.size(), residual.data());
  const Activation activation{kind, 0.25f, 0.5f};
  const PackedMatrix packed = Pack(b, c.k, c.n, 1, c.k);
  constexpr float kUntouched = 77.0f;
  std::vector<float> got(c.m * ldc, kUntouched), want(got), exact(got),
      bound(got);
  auto half_got = RoundedMatrix(got);

  const auto rows = [](const std::vector<float>& floats,
                       const std::vector<uint16_t>& halves, size_t stride,
                       bool is_half) -> RowView {
    if (is_half) return {halves.data(), stride, HalfTypeInUse()};
    return {floats.data(), stride};
  };
  const Epilogue epilogue{bias.data(),
                          rows(residual, half_residual, ldc, storage.residual),
                          activation};
  MutableRowView out{got.data(), ldc};
  if (storage.out) out = {half_got.data(), ldc, HalfTypeInUse()};
  MultiplyHalf(rows(a, half_a, lda, storage.in), c.m, packed.view(), epilogue,
               out);
  if (storage.out) WidenHalf(half_got.data(), got.size(), got.data());

  const Epilogue plain{bias.data(), residual.data(), activation};
  reference::HalfGemm(format, a.data(), lda, c.m, b.data(), c.k, c.n, 1, c.k,
                      plain, want.data(), ldc);
  reference::Gemm(a.data(), lda, c.m, b.data(), c.k, c.n, 1, c.k, plain,
                  exact.data(), ldc);
  const auto abs_a = Absolute(a), abs_b = Absolute(b),
             abs_bias = Absolute(bias), abs_residual = Absolute(residual);
  reference::Gemm(abs_a.data(), lda, c.m, abs_b.data(), c.k, c.n, 1, c.k,
                  {abs_bias.data(), abs_residual.data(), {}}, bound.data(),
                  ldc);
  const float epsilon = std::numeric_limits<float>::epsilon();
  for (size_t row = 0; row < c.m; ++row) {
    for (size_t column = 0; column < ldc; ++column) {
      const size_t i = row * ldc + column;
      if (column >= c.n) {
        ASSERT_EQ(got[i], kUntouched) << "wrote past row " << row;
        continue;
      }
      // Sums as in gemm_test.cc; the GELU of halves is right to 5e-5.
      const float sums =
          1.13f * (epsilon * static_cast<float>(c.k + 2) + SumRounding()) *
              bound[i] +
          5.1e-5f;
      const float stored = storage.out ? Rounding() * std::fabs(want[i]) : 0.0f;
      ASSERT_NEAR(got[i], want[i], sums + 1.01f * stored)
          << row << ", " << column;
      // Both operands are rounded once.
      ASSERT_NEAR(got[i], exact[i],
                  sums + 1.01f * stored + 1.13f * 2.01f * Rounding() * bound[i])
          << row << ", " << column;
    }
  }
}

TEST_F(HalfGemmTest, EveryTail_MatchesReference) {
  const HalfGemmCase cases[] = {
      {1, 1, 1},
      {2, 3, 5},
      {12, 8, 16},
      {13, 9, 17},
      {48, 32, 64},
      {49, 27, 33},
      {25, 64, 31},
      {7, 130, 48},
      {100, 5, 100},
      // Few columns with pairs in groups, and without.
      {25, 64, 8},
      {13, 36, 3},
      {50, 47, 16},
      {11, 18, 4},
      {26, 22, 12},
      {17, 40, 41}};
  for (const HalfGemmCase& c : cases) {
    for (const int halves : {0, 7, 1, 2, 4}) {
      CheckHalfGemm(c, ActivationKind::kNone,
                    {(halves & 1) != 0, (halves & 2) != 0, (halves & 4) != 0});
    }
    CheckHalfGemm(c, ActivationKind::kRelu, {false, false, true});
    CheckHalfGemm(c, ActivationKind::kGelu, {false, false, true});
    CheckHalfGemm(c, ActivationKind::kGelu, {true, true, false});
    CheckHalfGemm(c, ActivationKind::kHardSwish, {false, true, true});
  }
}

// A row is the same whatever is computed with it, and by how many threads.
TEST_F(HalfGemmTest, RowsAndThreads_DoNotChangeTheBits) {
  const size_t m = 1000, k = 96, n = 80;
  const auto a = Random(m * k, 1), b = Random(k * n, 2);
  const PackedMatrix packed = Pack(b, k, n, n, 1);
  const Epilogue epilogue{nullptr, nullptr, {ActivationKind::kGelu}};
  std::vector<float> one(m * n), three(m * n), alone(n);
  ThreadPool single(1), pool(3);
  Gemm(a.data(), k, m, packed.view(), epilogue, one.data(), n, single);
  Gemm(a.data(), k, m, packed.view(), epilogue, three.data(), n, pool);
  EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(float)),
            0);
  for (const size_t row : {size_t{0}, size_t{17}, m - 1}) {
    Gemm(a.data() + row * k, k, 1, packed.view(), epilogue, alone.data(), n,
         single);
    EXPECT_EQ(
        std::memcmp(alone.data(), &one[row * n], alone.size() * sizeof(float)),
        0)
        << row;
  }
}

// Weights are scaled by the gates before they are rounded: by powers of two
// numbers of the format stay such.
TEST_F(HalfGemmTest, LateralConvolution_RoundsLikeAProduct) {
  LateralConvShape shape{1, 5, 61, 32, 40};
  shape.product = Product::kHalf;
  const size_t pixels = 5 * 61, in_c = 32, out_c = 40;
  auto in = Random(pixels * in_c, 1), weights = Random(in_c * out_c, 2);
  for (auto* list : {&in, &weights}) {
    const auto halves = RoundedMatrix(*list);
    WidenHalf(halves.data(), halves.size(), list->data());
  }
  const auto bias = Random(out_c, 3), coarse = Random(3 * 31 * out_c, 4);
  std::vector<float> gate(out_c);
  for (size_t i = 0; i < out_c; ++i) gate[i] = i % 3 == 0 ? 0.5f : 1.0f;
  std::vector<int32_t> rows(5), columns(61);
  for (int32_t i = 0; i < 5; ++i) rows[i] = i / 2;
  for (int32_t i = 0; i < 61; ++i) columns[i] = i / 2;
  const CoarseLevel level{coarse.data(), 3, 31, rows.data(), columns.data()};
  std::vector<float> got(pixels * out_c), want(got);
  reference::LateralConv(shape, in.data(), weights.data(), bias.data(),
                         gate.data(), 0, level, {}, want.data());
  ThreadPool pool(2);
  auto memory = Buffer::Allocate(*ScaledLateralBytes(shape));
  auto scratch = Buffer::Allocate(LateralConvScratchBytes(shape, 2));
  ASSERT_TRUE(memory.ok() && scratch.ok());
  const LateralWeights scaled = ScaleLateralWeights(
      shape, weights.data(), bias.data(), gate.data(), memory->data());
  ASSERT_TRUE(scaled.matrix.is_half());
  LateralConv(shape, 0, in.data(), scaled, level, {}, got.data(),
              scratch->data(), pool);
  const float bound = static_cast<float>(in_c + 2);
  const float tolerance =
      bound * (bound * std::numeric_limits<float>::epsilon() + SumRounding());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance) << i;
}

// Rows of 4096 numbers are rounded a few at a time; longer ones are not taken.
TEST_F(HalfGemmTest, LongRows_MatchReference) {
  const size_t m = 50, k = kMaxHalfDepth, n = 20;
  const auto a = Random(m * k, 1), b = Random(k * n, 2);
  const PackedMatrix packed = Pack(b, k, n, n, 1);
  std::vector<float> got(m * n), want(m * n);
  ThreadPool pool(1);
  Gemm(a.data(), k, m, packed.view(), {}, got.data(), n, pool);
  reference::HalfGemm(HalfTypeInUse(), a.data(), k, m, b.data(), k, n, n, 1, {},
                      want.data(), n);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-2f + 100 * SumRounding()) << i;
  const std::vector<float> longer(kMaxHalfDepth + 1);
  const auto plain =
      PackedMatrix::Pack(longer.data(), longer.size(), 1, 1, 1, Product::kHalf);
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain->view().is_half());
}

// Windows as pieces, with rows of zeros and copied ends, in short lines and in
// long ones, one beside the other or apart.
TEST_F(HalfGemmTest, Convolutions_MatchReference) {
  struct Window {
    int32_t dilation, stride;
  };
  for (const int32_t width : {11, 150, 330}) {
    for (const int32_t channels : {6, 5, 3, 8}) {
      for (const Window window :
           {Window{1, 1}, Window{2, 1}, Window{1, 2}, Window{1, 3}}) {
        const int32_t dilation = window.dilation;
        Conv2dShape s;
        s.batch = 2;
        s.in_h = 5;
        s.in_w = width;
        s.stride_h = s.stride_w = window.stride;
        s.out_h = (5 - 1) / window.stride + 1;
        s.out_w = (width - 1) / window.stride + 1;
        s.in_c = channels;
        s.out_c = 20;
        s.kernel_h = s.kernel_w = 3;
        s.dilation_h = s.dilation_w = dilation;
        s.pad_top = s.pad_left = dilation;
        const size_t k = 9 * static_cast<size_t>(channels);
        auto in = Random(static_cast<size_t>(2 * 5 * width * channels), 1);
        auto weights = Random(k * 20, 2);
        // Numbers of the format: what is left is the rounding of sums.
        for (auto* list : {&in, &weights}) {
          const auto halves = RoundedMatrix(*list);
          WidenHalf(halves.data(), halves.size(), list->data());
        }
        const auto bias = Random(20, 3);
        const Epilogue epilogue{bias.data(), nullptr, {ActivationKind::kRelu}};
        std::vector<float> got(static_cast<size_t>(2 * s.out_h * s.out_w * 20));
        auto want = got;
        reference::Conv2d(s, in.data(), weights.data(), epilogue, want.data());
        const auto packed =
            PackedConv2d::Pack(weights.data(), s, Product::kHalf);
        ASSERT_TRUE(packed.ok());
        ASSERT_TRUE(packed->group(0).is_half());
        ThreadPool pool(3);
        auto scratch = Buffer::Allocate(*Conv2dScratchBytes(s, 3));
        ASSERT_TRUE(scratch.ok());
        Conv2d(s, in.data(), *packed, epilogue, got.data(), scratch->data(),
               pool);
        const auto bound = static_cast<float>(k);
        const float tolerance =
            bound *
            (bound * std::numeric_limits<float>::epsilon() + SumRounding());
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_NEAR(got[i], want[i], tolerance)
              << i << " width " << width << " channels " << channels
              << " stride " << window.stride;
      }
    }
  }
}

TEST_F(HalfGemmTest, NanAndInfinity_AreKept) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const float a[] = {nan, infinity, -infinity, 1.0f};
  const PackedMatrix packed = Pack({1.0f}, 1, 1, 1, 1);
  ThreadPool pool(1);
  for (const ActivationKind kind :
       {ActivationKind::kNone, ActivationKind::kRelu, ActivationKind::kGelu}) {
    float c[4];
    Gemm(a, 1, 4, packed.view(), {nullptr, nullptr, {kind}}, c, 1, pool);
    EXPECT_TRUE(std::isnan(c[0]));
    EXPECT_EQ(c[1], infinity);
    if (kind == ActivationKind::kNone)
      EXPECT_EQ(c[2], -infinity);
    else  // The GELU tail at its end contributes less than 1e-8.
      EXPECT_NEAR(c[2], 0.0f, kind == ActivationKind::kGelu ? 1e-8f : 0.0f);
  }
}

TEST_F(HalfGemmTest, Rounding_MatchesReference) {
  const ElementType format = HalfTypeInUse();
  std::vector<float> in = {0.0f,           -0.0f,  1.0f,     1.00390625f,
                           1.01171875f,    -3.14f, 65504.0f, 1e-30f,
                           0x1.fffffep-3f, 1e4f};
  for (const float x : Random(41, 9)) in.push_back(x);
  const auto halves = RoundedMatrix(in);
  std::vector<float> wide(in.size());
  WidenHalf(halves.data(), halves.size(), wide.data());
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(halves[i], reference::RoundToHalf(format, in[i])) << in[i];
    EXPECT_EQ(wide[i], reference::WidenHalf(format, halves[i])) << in[i];
  }
}

TEST(HalfType, OlderInstructionSet_HasNoFormat) {
  if (SimdNames().size() < 2) GTEST_SKIP();
  ASSERT_TRUE(SelectSimd(SimdNames().back()).ok());
  EXPECT_EQ(HalfTypeInUse(), ElementType::kFloat32);
  ASSERT_TRUE(SelectSimd("").ok());
}

}  // namespace
}  // namespace munja::kernels
