#include "kernels/gemm/arg_max_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class ArgMaxScoreTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ArgMaxScoreTest);

void ExpectSame(const ArgMaxScore& got, const ArgMaxScore& want,
                float tolerance = 3e-6f) {
  EXPECT_EQ(got.index, want.index);
  if (std::isnan(want.probability)) {
    EXPECT_TRUE(std::isnan(got.probability));
  } else {
    EXPECT_NEAR(got.probability, want.probability,
                tolerance * (want.probability + 1e-6f));
  }
}

TEST_P(ArgMaxScoreTest, OfRowsOfEveryLength) {
  for (size_t n = 1; n < 1100; n += n < 80 ? 1 : 37) {
    SCOPED_TRACE(n);
    for (const float spread : {0.5f, 20.0f, 300.0f}) {
      const auto row = Random(n, static_cast<uint32_t>(n), spread);
      ExpectSame(SoftmaxBest(row.data(), n),
                 reference::SoftmaxBest(row.data(), n));
    }
  }
}

TEST_P(ArgMaxScoreTest, TheFirstOfEquals) {
  for (size_t n = 2; n < 1200; n += 29) {
    for (size_t at = 0; at < n; at += 1 + n / 7) {
      std::vector<float> row(n, -2.0f);
      row[at] = row[n - 1] = 3.0f;
      const ArgMaxScore got = SoftmaxBest(row.data(), n);
      EXPECT_EQ(got.index, static_cast<float>(at)) << n;
      ExpectSame(got, reference::SoftmaxBest(row.data(), n));
    }
  }
}

TEST_P(ArgMaxScoreTest, NanAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  for (size_t n = 1; n < 1200; n += n < 40 ? 1 : 97) {
    SCOPED_TRACE(n);
    for (const float odd : {NAN, inf}) {
      for (const float others : {-inf, -1.0f, 200.0f}) {
        std::vector<float> row(n, others);
        row[n / 3] = odd;
        const ArgMaxScore got = SoftmaxBest(row.data(), n);
        EXPECT_EQ(got.index, 0.0f);
        EXPECT_TRUE(std::isnan(got.probability));
      }
    }
    std::vector<float> row(n, -inf);
    EXPECT_TRUE(std::isnan(SoftmaxBest(row.data(), n).probability));
    // What is impossible leaves the others as they are.
    row[n - 1] = -500.0f;
    ExpectSame(SoftmaxBest(row.data(), n), {static_cast<float>(n - 1), 1.0f});
  }
}

TEST_P(ArgMaxScoreTest, AgreesWithItsTwin) {
  struct Case {
    size_t m, k, n;
  };
  for (const Case& c :
       {Case{1, 1, 1}, Case{3, 5, 40}, Case{25, 80, 513}, Case{13, 7, 2772},
        Case{40, 16, 6906}, Case{2, 3, 100}, Case{0, 4, 9}}) {
    SCOPED_TRACE(::testing::Message() << c.m << "x" << c.k << "x" << c.n);
    const size_t lda = c.k + 3;
    const auto a = Random(c.m * lda + 1, 1, 2.0f);
    const auto b = Random(c.n * c.k, 2, 2.0f), bias = Random(c.n, 3, 2.0f);
    const auto packed = PackedMatrix::Pack(b.data(), c.k, c.n, 1, c.k);
    ASSERT_TRUE(packed.ok());
    for (const float* const add : {bias.data(), (const float*)nullptr}) {
      std::vector<ArgMaxScore> want(c.m), got(c.m), alone(1);
      std::vector<float> row(c.n);
      reference::LinearArgMaxScore(a.data(), lda, c.m, b.data(), c.k, c.n, 1,
                                   c.k, add, row.data(), want.data());
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        auto scratch =
            Buffer::Allocate(ArgMaxScoreScratchBytes(c.m, c.n, threads));
        ASSERT_TRUE(scratch.ok());
        LinearArgMaxScore(a.data(), lda, c.m, packed->view(), add, got.data(),
                          scratch->data(), pool);
        // Scores of about 100 are rounded to about 1e-5.
        for (size_t r = 0; r < c.m; ++r) ExpectSame(got[r], want[r], 5e-5f);
        // A row alone gives the same bits.
        if (c.m == 0) continue;
        LinearArgMaxScore(a.data() + (c.m - 1) * lda, lda, 1, packed->view(),
                          add, alone.data(), scratch->data(), pool);
        EXPECT_EQ(alone[0].index, got[c.m - 1].index);
        EXPECT_EQ(alone[0].probability, got[c.m - 1].probability);
      }
    }
  }
}

}  // namespace
}  // namespace munja::kernels
