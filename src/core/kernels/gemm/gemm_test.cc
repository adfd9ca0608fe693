#include "kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class GemmTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GemmTest);

struct GemmCase {
  size_t m, k, n;
};

void CheckGemm(const GemmCase& c, const Activation& activation, bool with_bias,
               bool with_residual, int threads) {
  SCOPED_TRACE(::testing::Message()
               << c.m << "x" << c.k << "x" << c.n << " activation "
               << static_cast<int>(activation.kind) << " threads " << threads);
  const size_t lda = c.k + 3, ldc = c.n + 5;
  const auto a = Random(c.m * lda, 1), b = Random(c.n * c.k, 2);
  const auto bias = Random(c.n, 3), residual = Random(c.m * ldc, 4);
  Epilogue epilogue{with_bias ? bias.data() : nullptr,
                    with_residual ? residual.data() : nullptr, activation};
  // b is given transposed, as the weights of layers are.
  const auto packed = PackedMatrix::Pack(b.data(), c.k, c.n, 1, c.k);
  ASSERT_TRUE(packed.ok());
  constexpr float kUntouched = 77.0f;
  std::vector<float> got(c.m * ldc, kUntouched), want(got), bound(got);
  ThreadPool pool(threads);
  Gemm(a.data(), lda, c.m, packed->view(), epilogue, got.data(), ldc, pool);
  reference::Gemm(a.data(), lda, c.m, b.data(), c.k, c.n, 1, c.k, epilogue,
                  want.data(), ldc);
  const auto abs_a = Absolute(a), abs_b = Absolute(b),
             abs_bias = Absolute(bias), abs_residual = Absolute(residual);
  const Epilogue abs_epilogue{abs_bias.data(), abs_residual.data(), {}};
  reference::Gemm(abs_a.data(), lda, c.m, abs_b.data(), c.k, c.n, 1, c.k,
                  abs_epilogue, bound.data(), ldc);
  for (size_t row = 0; row < c.m; ++row) {
    for (size_t column = 0; column < ldc; ++column) {
      const size_t i = row * ldc + column;
      if (column >= c.n) {
        ASSERT_EQ(got[i], kUntouched) << "wrote past row " << row;
        continue;
      }
      // Each of the k + 2 additions may err by half an ulp of a partial sum,
      // which the sum of absolute values bounds; activations (slope at most
      // 1.13) are themselves right to a few ulp.
      const float epsilon = std::numeric_limits<float>::epsilon();
      const float tolerance =
          epsilon * (static_cast<float>(c.k + 2) * bound[i] + 16.0f);
      ASSERT_NEAR(got[i], want[i], tolerance) << row << ", " << column;
    }
  }
}

// By hand: [1 2; 3 4] [5 6 7; 8 9 10] + [1 0 -100], RELU.
TEST_P(GemmTest, SmallCase_MatchesHandComputation) {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8, 9, 10},
              bias[] = {1, 0, -100};
  const auto packed = PackedMatrix::Pack(b, 2, 3, 3, 1);
  ASSERT_TRUE(packed.ok());
  float c[6];
  ThreadPool pool(1);
  Gemm(a, 2, 2, packed->view(), {bias, nullptr, {ActivationKind::kRelu}}, c, 3,
       pool);
  EXPECT_EQ(std::vector<float>(c, c + 6),
            (std::vector<float>{22, 24, 0, 48, 54, 0}));
}

TEST_P(GemmTest, EveryWidthAndHeight_MatchesReference) {
  for (size_t n = 1; n <= 70; ++n) CheckGemm({13, 5, n}, {}, true, false, 1);
  for (size_t m = 1; m <= 60; ++m) CheckGemm({m, 7, 40}, {}, true, true, 1);
}

TEST_P(GemmTest, LayerSizes_MatchReference) {
  const GemmCase cases[] = {{1, 160, 40},  {1, 40, 160},  {120, 160, 320},
                            {97, 320, 33}, {40, 80, 900}, {5000, 8, 12},
                            {3, 1, 1},     {2, 0, 9}};
  for (const GemmCase& c : cases) {
    CheckGemm(c, {ActivationKind::kRelu}, true, false, 1);
    CheckGemm(c, {ActivationKind::kGelu}, true, false, 3);
    CheckGemm(c, {}, false, true, 3);
  }
}

TEST_P(GemmTest, EveryActivation_IsApplied) {
  for (size_t kind = 0; kind < ActivationRows().size(); ++kind) {
    const Activation activation{static_cast<ActivationKind>(kind), 0.25f, 0.5f};
    CheckGemm({14, 9, 37}, activation, true, true, 1);
  }
}

// Few columns are made in groups of k: runs that are no multiple of a group,
// and LHS rows whose segments are no runs.
TEST_P(GemmTest, ScatteredSegments_AreSupported) {
  struct PieceCase {
    size_t run, pieces, length;  // k = pieces * length, a multiple of run.
  };
  const PieceCase cases[] = {{9, 3, 9}, {9, 9, 3}, {6, 9, 2},
                             {5, 2, 5}, {3, 2, 9}, {4, 6, 2}};
  for (const PieceCase& c : cases) {
    for (const size_t n : {1, 2, 3, 5, 8, 12, 16, 37}) {
      SCOPED_TRACE(::testing::Message() << c.run << ", " << c.pieces << " x "
                                        << c.length << ", " << n);
      const size_t k = c.pieces * c.length, m = 13, step = 4;
      const auto a = Random(c.pieces * 100 + m * step, 1), b = Random(n * k, 2);
      MatrixView matrix{nullptr, k, n, Product::kFloat32, c.run};
      Buffer memory = Buffer::Allocate(PackedMatrixBytes(matrix)).value();
      PackMatrix(b.data(), matrix, 1, k, memory.data());
      matrix.packed = memory.data();
      // One piece, not the first, stands for zeros.
      std::vector<const float*> first, all;
      for (size_t i = 0; i < c.pieces; ++i)
        first.push_back(i == 1 ? nullptr : a.data() + i * 100);
      const std::vector<float> zeros(c.length);
      std::vector<float> rows(m * k), want(m * n), stepped(want), single(want);
      for (size_t r = 0; r < m; ++r) {
        for (size_t i = 0; i < c.pieces; ++i) {
          all.push_back(i == 1 ? zeros.data() : first[i] + r * step);
          std::copy_n(all.back(), c.length, &rows[r * k + i * c.length]);
        }
      }
      reference::Gemm(rows.data(), k, m, b.data(), k, n, 1, k, {}, want.data(),
                      n);
      MultiplyBlock({first.data(), m, c.pieces, c.length, true, step}, matrix,
                    0, PanelCount(n), {}, {stepped.data(), n});
      MultiplyBlock({all.data(), m, c.pieces, c.length}, matrix, 0,
                    PanelCount(n), {}, {single.data(), n});
      for (size_t i = 0; i < want.size(); ++i) {
        ASSERT_NEAR(stepped[i], want[i], 1e-5f);
        ASSERT_EQ(stepped[i], single[i]);
      }
    }
  }
}

TEST_P(GemmTest, AnyThreadsAndRows_GiveTheSameBits) {
  const size_t m = 700, k = 160, n = 320;
  const auto a = Random(m * k, 1), b = Random(n * k, 2);
  const auto packed = PackedMatrix::Pack(b.data(), k, n, 1, k);
  ASSERT_TRUE(packed.ok());
  std::vector<float> one(m * n), three(m * n), single(n);
  ThreadPool pool1(1), pool3(3);
  Gemm(a.data(), k, m, packed->view(), {}, one.data(), n, pool1);
  Gemm(a.data(), k, m, packed->view(), {}, three.data(), n, pool3);
  EXPECT_EQ(one, three);
  for (size_t row : {size_t{0}, size_t{13}, m - 1}) {
    Gemm(a.data() + row * k, k, 1, packed->view(), {}, single.data(), n, pool1);
    EXPECT_EQ(single, std::vector<float>(one.begin() + row * n,
                                         one.begin() + (row + 1) * n));
  }
}

TEST_P(GemmTest, Residual_MayBeTheOutput) {
  const size_t m = 60, k = 24, n = 40;
  const auto a = Random(m * k, 1), b = Random(n * k, 2), r = Random(m * n, 3);
  const auto packed = PackedMatrix::Pack(b.data(), k, n, 1, k);
  ASSERT_TRUE(packed.ok());
  ThreadPool pool(1);
  const Activation gelu{ActivationKind::kGelu};
  std::vector<float> want(m * n), got(r);
  Gemm(a.data(), k, m, packed->view(), {nullptr, r.data(), gelu}, want.data(),
       n, pool);
  Gemm(a.data(), k, m, packed->view(), {nullptr, got.data(), gelu}, got.data(),
       n, pool);
  EXPECT_EQ(got, want);
}

// Rows of the residual that lie closer, or farther apart, than those of c.
TEST_P(GemmTest, Residual_MayHaveItsOwnStride) {
  const size_t k = 11;
  for (const size_t n : {3, 8, 16, 33, 64}) {
    for (const size_t m : {1, 5, 40}) {
      SCOPED_TRACE(::testing::Message() << m << "x" << n);
      const size_t ldc = 2 * n + 1;
      const auto a = Random(m * k, 1), b = Random(n * k, 2);
      const auto packed = PackedMatrix::Pack(b.data(), k, n, 1, k);
      ASSERT_TRUE(packed.ok());
      const float* const first = a.data();
      for (const size_t stride : {n, ldc + 4}) {
        const auto close = Random(m * stride, 3);
        std::vector<float> wide(m * ldc);
        for (size_t r = 0; r < m; ++r)
          std::copy_n(&close[r * stride], n, &wide[r * ldc]);
        std::vector<float> want(m * ldc), got(m * ldc);
        MultiplyBlock({&first, m, 1, k, true, k}, packed->view(), 0,
                      PanelCount(n), {nullptr, wide.data(), {}},
                      {want.data(), ldc});
        MultiplyBlock({&first, m, 1, k, true, k}, packed->view(), 0,
                      PanelCount(n), {nullptr, {close.data(), stride}, {}},
                      {got.data(), ldc});
        EXPECT_EQ(got, want);
      }
    }
  }
}

TEST_P(GemmTest, Nan_IsKept) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float a[] = {nan}, b[] = {1, 2};
  const auto packed = PackedMatrix::Pack(b, 1, 2, 2, 1);
  ASSERT_TRUE(packed.ok());
  ThreadPool pool(1);
  for (auto kind : {ActivationKind::kNone, ActivationKind::kRelu6}) {
    float c[2];
    Gemm(a, 1, 1, packed->view(), {nullptr, nullptr, {kind}}, c, 2, pool);
    EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  }
}

TEST(PackedMatrixTest, SizesBeyondMemory_AreRefused) {
  const auto packed =
      PackedMatrix::Pack(nullptr, size_t{1} << 40, size_t{1} << 40, 1, 1);
  EXPECT_EQ(packed.status().code(), Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::kernels
