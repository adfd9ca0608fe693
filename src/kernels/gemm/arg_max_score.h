// The best class of each row of scores and its share of the softmax, found
// while the scores are made, so that the rows are never stored: a recognizer
// of text has thousands of classes and needs one of them a step.
#ifndef MUNJA_KERNELS_GEMM_ARG_MAX_SCORE_H_
#define MUNJA_KERNELS_GEMM_ARG_MAX_SCORE_H_

#include <cstddef>

#include "base/thread_pool.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {

// As rows of an output tensor hold it. Classes below 2^24 are exact.
struct ArgMaxScore {
  float index = 0.0f;
  float probability = 0.0f;
};

// Of `count` >= 1 scores the first of the largest, and exp(largest) over the
// sum of all exp(score). Class 0 with NaN when that quotient is none: a score
// is NaN or +infinity, or all are -infinity.
ArgMaxScore SoftmaxBest(const float* scores, size_t count);

// Of each row r < m of a * b + bias; the bias may be null. A share of the row
// does not depend on m or on the threads. `scratch`: as many bytes as
// ArgMaxScoreScratchBytes says, aligned to 64.
void LinearArgMaxScore(const float* a, size_t lda, size_t m,
                       const MatrixView& b, const float* bias, ArgMaxScore* out,
                       void* scratch, ThreadPool& pool);
// For at most m rows of n >= 1 scores on that many threads.
size_t ArgMaxScoreScratchBytes(size_t m, size_t n, int threads);

namespace reference {
ArgMaxScore SoftmaxBest(const float* scores, size_t count);
// b is not packed, as in reference::Gemm. `row` holds n floats.
void LinearArgMaxScore(const float* a, size_t lda, size_t m, const float* b,
                       size_t k, size_t n, size_t k_stride, size_t n_stride,
                       const float* bias, float* row, ArgMaxScore* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_ARG_MAX_SCORE_H_
