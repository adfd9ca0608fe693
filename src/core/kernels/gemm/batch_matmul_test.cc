#include "kernels/gemm/batch_matmul.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/buffer.h"
#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class BatchMatMulTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BatchMatMulTest);

std::vector<float> Multiply(const BatchMatMulShape& s,
                            const std::vector<float>& x,
                            const std::vector<float>& y,
                            const std::vector<size_t>& x_of,
                            const std::vector<size_t>& y_of, int threads) {
  std::vector<float> out(x_of.size() * s.m * s.n);
  const auto bytes = BatchMatMulScratchBytes(s, x_of.size(), threads);
  EXPECT_TRUE(bytes.ok());
  auto scratch = Buffer::Allocate(*bytes);
  EXPECT_TRUE(scratch.ok());
  ThreadPool pool(threads);
  BatchMatMul(s, x.data(), y.data(), x_of, y_of, out.data(), scratch->data(),
              pool);
  return out;
}

// [1 2] [3; 4] = 11, and its transpose stored the other way around.
TEST_P(BatchMatMulTest, SmallCase_MatchesHandComputation) {
  EXPECT_EQ(Multiply({1, 2, 1, false, false}, {1, 2}, {3, 4}, {0}, {0}, 1),
            std::vector<float>{11});
  EXPECT_EQ(Multiply({2, 1, 2, true, true}, {1, 2}, {3, 4}, {0}, {0}, 1),
            (std::vector<float>{3, 4, 6, 8}));
}

TEST_P(BatchMatMulTest, RandomCases_MatchReference) {
  const std::vector<size_t> x_of = {0, 1, 2, 0}, y_of = {1, 1, 0, 0};
  for (const bool adj_x : {false, true}) {
    for (const bool adj_y : {false, true}) {
      for (size_t m : {1, 13, 50}) {
        for (size_t n : {1, 17, 40}) {
          const BatchMatMulShape s{m, 21, n, adj_x, adj_y};
          const auto x = Random(3 * m * s.k, 1), y = Random(2 * n * s.k, 2);
          const auto got = Multiply(s, x, y, x_of, y_of, 1);
          std::vector<float> want(got.size());
          reference::BatchMatMul(s, x.data(), y.data(), x_of, y_of,
                                 want.data());
          // k terms of size at most 1: half an ulp of a partial sum each.
          const float terms = static_cast<float>(s.k);
          for (size_t i = 0; i < got.size(); ++i) {
            ASSERT_NEAR(got[i], want[i],
                        terms * terms * std::numeric_limits<float>::epsilon());
          }
          EXPECT_EQ(got, Multiply(s, x, y, x_of, y_of, 3));
        }
      }
    }
  }
}

}  // namespace
}  // namespace munja::kernels
