// The best classes of each row of scores and their shares of the softmax, found
// while the scores are made, so that the rows are never stored: a recognizer
// of text has thousands of classes and needs one of them a step, or a few.
#ifndef MUNJA_KERNELS_CLASSES_ARG_MAX_SCORE_H_
#define MUNJA_KERNELS_CLASSES_ARG_MAX_SCORE_H_

#include <cstddef>

#include "base/thread_pool.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {

// As rows of an output tensor hold it. Classes below 2^24 are exact.
struct ArgMaxScore {
  float index = 0.0f;
  float probability = 0.0f;
};

// Maximum k of the top-k classes.
inline constexpr size_t kMostBest = 5;
// A class whose share is not above this part of the best one's is no choice.
inline constexpr float kLeastOfBest = 1e-4f;

// `out`: the first of the largest of n >= 1 scores, with exp(largest) over the
// sum of all exp(score), and `count` - 1 <= kMostBest - 1 more by falling
// score, of equals the first; zeros where there are no more above kLeastOfBest.
// Class 0 with NaN, and zeros, when that quotient is none: a score is NaN or
// +infinity, or all are -infinity.
void SoftmaxBest(const float* scores, size_t n, size_t count, ArgMaxScore* out);

// The same of the scores themselves: the first as ArgMax (kernels/reduce) gives
// it, then those above -infinity.
void BestScores(const float* scores, size_t n, size_t count, ArgMaxScore* out);

// SoftmaxBest of each row r < m of a * b + bias; the bias may be null. A share
// of the row does not depend on m or on the threads. `scratch`: as many bytes
// as ArgMaxScoreScratchBytes says, aligned to 64.
void LinearArgMaxScore(const float* a, size_t lda, size_t m,
                       const MatrixView& b, const float* bias, size_t count,
                       ArgMaxScore* out, void* scratch, ThreadPool& pool);
// For at most m rows of n >= 1 scores on that many threads.
size_t ArgMaxScoreScratchBytes(size_t m, size_t n, int threads);

// The same bits of rows that lie anywhere, on the calling thread.
void ArgMaxScoreOfRows(const float* const* rows, size_t m, const MatrixView& b,
                       const float* bias, size_t count, ArgMaxScore* const* out,
                       void* scratch);
size_t ArgMaxScoreOfRowsBytes(size_t n);

namespace reference {
void SoftmaxBest(const float* scores, size_t n, size_t count, ArgMaxScore* out);
void BestScores(const float* scores, size_t n, size_t count, ArgMaxScore* out);
// b is not packed, as in reference::Gemm. `row` holds n floats.
void LinearArgMaxScore(const float* a, size_t lda, size_t m, const float* b,
                       size_t k, size_t n, size_t k_stride, size_t n_stride,
                       const float* bias, float* row, size_t count,
                       ArgMaxScore* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CLASSES_ARG_MAX_SCORE_H_
