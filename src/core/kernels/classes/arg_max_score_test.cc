#include "kernels/classes/arg_max_score.h"

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

ArgMaxScore Best(const float* row, size_t n) {
  ArgMaxScore best;
  SoftmaxBest(row, n, 1, &best);
  return best;
}

ArgMaxScore BestOfTwin(const float* row, size_t n) {
  ArgMaxScore best;
  reference::SoftmaxBest(row, n, 1, &best);
  return best;
}

TEST_P(ArgMaxScoreTest, RowsOfEveryLength_AreExact) {
  for (size_t n = 1; n < 1100; n += n < 80 ? 1 : 37) {
    SCOPED_TRACE(n);
    for (const float spread : {0.5f, 20.0f, 300.0f}) {
      const auto row = Random(n, static_cast<uint32_t>(n), spread);
      ExpectSame(Best(row.data(), n), BestOfTwin(row.data(), n));
    }
  }
}

TEST_P(ArgMaxScoreTest, EqualScores_FirstWins) {
  for (size_t n = 2; n < 1200; n += 29) {
    for (size_t at = 0; at < n; at += 1 + n / 7) {
      std::vector<float> row(n, -2.0f);
      row[at] = row[n - 1] = 3.0f;
      const ArgMaxScore got = Best(row.data(), n);
      EXPECT_EQ(got.index, static_cast<float>(at)) << n;
      ExpectSame(got, BestOfTwin(row.data(), n));
    }
  }
}

TEST_P(ArgMaxScoreTest, NanAndInfinity_AreHandled) {
  const float inf = std::numeric_limits<float>::infinity();
  for (size_t n = 1; n < 1200; n += n < 40 ? 1 : 97) {
    SCOPED_TRACE(n);
    for (const float odd : {NAN, inf}) {
      for (const float others : {-inf, -1.0f, 200.0f}) {
        std::vector<float> row(n, others);
        row[n / 3] = odd;
        const ArgMaxScore got = Best(row.data(), n);
        EXPECT_EQ(got.index, 0.0f);
        EXPECT_TRUE(std::isnan(got.probability));
      }
    }
    std::vector<float> row(n, -inf);
    EXPECT_TRUE(std::isnan(Best(row.data(), n).probability));
    // An impossible class leaves the others unchanged.
    row[n - 1] = -500.0f;
    ExpectSame(Best(row.data(), n), {static_cast<float>(n - 1), 1.0f});
  }
}

TEST_P(ArgMaxScoreTest, RunnersUp_MatchReference) {
  for (size_t n = 1; n < 1300; n += n < 70 ? 1 : 41) {
    SCOPED_TRACE(n);
    // Close together, far apart, and with many equals.
    for (const float spread : {0.5f, 8.0f, 300.0f, -3.0f}) {
      auto row = Random(n, static_cast<uint32_t>(n) + 9, std::abs(spread));
      if (spread < 0)
        for (float& x : row) x = std::round(x);
      for (const size_t count : {size_t{2}, kMostBest}) {
        ArgMaxScore got[kMostBest], want[kMostBest];
        SoftmaxBest(row.data(), n, count, got);
        reference::SoftmaxBest(row.data(), n, count, want);
        for (size_t i = 0; i < count; ++i) ExpectSame(got[i], want[i], 2e-5f);
        BestScores(row.data(), n, count, got);
        reference::BestScores(row.data(), n, count, want);
        for (size_t i = 0; i < count; ++i) {
          EXPECT_EQ(got[i].index, want[i].index);
          EXPECT_EQ(got[i].probability, want[i].probability);
        }
      }
    }
  }
}

TEST_P(ArgMaxScoreTest, ExcludedClasses_AreZeros) {
  const float inf = std::numeric_limits<float>::infinity();
  // The second is exp(-10) of the first: less than 1e-4.
  const std::vector<float> row = {1, 11, -inf, NAN};
  ArgMaxScore best[3];
  SoftmaxBest(row.data(), 2, 3, best);
  ExpectSame(best[0], {1, 1 / (1 + std::exp(-10.0f))});
  ExpectSame(best[1], {0, 0});
  SoftmaxBest(row.data(), 4, 3, best);
  ExpectSame(best[0], {0, NAN});
  ExpectSame(best[1], {0, 0});
  BestScores(row.data(), 4, 3, best);
  ExpectSame(best[0], {1, 11});
  ExpectSame(best[1], {0, 1});
  ExpectSame(best[2], {0, 0});
}

TEST_P(ArgMaxScoreTest, RandomRows_MatchReference) {
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
    for (const size_t count : {size_t{1}, size_t{3}, kMostBest})
      for (const float* const add : {bias.data(), (const float*)nullptr}) {
        std::vector<ArgMaxScore> want(c.m * count), got(c.m * count),
            alone(count);
        std::vector<float> row(c.n);
        reference::LinearArgMaxScore(a.data(), lda, c.m, b.data(), c.k, c.n, 1,
                                     c.k, add, row.data(), count, want.data());
        for (const int threads : {1, 3}) {
          ThreadPool pool(threads);
          auto scratch =
              Buffer::Allocate(ArgMaxScoreScratchBytes(c.m, c.n, threads));
          ASSERT_TRUE(scratch.ok());
          LinearArgMaxScore(a.data(), lda, c.m, packed->view(), add, count,
                            got.data(), scratch->data(), pool);
          // Scores of about 100 are rounded to about 1e-5.
          for (size_t r = 0; r < got.size(); ++r)
            ExpectSame(got[r], want[r], 5e-5f);
          // A row alone gives the same bits.
          if (c.m == 0) continue;
          LinearArgMaxScore(a.data() + (c.m - 1) * lda, lda, 1, packed->view(),
                            add, count, alone.data(), scratch->data(), pool);
          for (size_t i = 0; i < count; ++i) {
            EXPECT_EQ(alone[i].index, got[(c.m - 1) * count + i].index);
            EXPECT_EQ(alone[i].probability,
                      got[(c.m - 1) * count + i].probability);
          }
        }
      }
  }
}

}  // namespace
}  // namespace munja::kernels
