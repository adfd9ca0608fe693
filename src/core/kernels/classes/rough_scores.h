// Int8 pre-screening of top-k candidates: most classes of a row have a
// negligible share of the softmax. Products of bytes find those that may
// matter, four times as fast, and only these are multiplied in float32.
#ifndef MUNJA_KERNELS_CLASSES_ROUGH_SCORES_H_
#define MUNJA_KERNELS_CLASSES_ROUGH_SCORES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "kernels/classes/arg_max_score.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/int_gemm.h"

namespace munja::kernels {

// The weights of classes in bytes, each column with a scale of its own.
class RoughWeights {
 public:
  // b as PackMatrix takes it; the bias may be null. Nothing where approximate
  // scores would not pay, or bound nothing: with few classes, or numbers that
  // are not finite. kOutOfMemory.
  static Result<std::optional<RoughWeights>> Make(const float* b, size_t k,
                                                  size_t n, size_t k_stride,
                                                  size_t n_stride,
                                                  const float* bias);

  // Columns that are multiplied at a time.
  static constexpr size_t kGroup = 256;
  size_t k() const { return k_; }
  size_t n() const { return n_; }
  size_t groups() const { return (n() + kGroup - 1) / kGroup; }
  IntMatrixView group(size_t i) const;
  // Scales of sums, and biases, that turn scores into binary logarithms; one
  // for each column of all groups.
  const float* scales() const { return scales_.data(); }
  const float* biases() const { return biases_.data(); }
  // How far such a score may be off, for a row that was rounded to multiples of
  // `step` whose absolute values sum up to `sum`.
  float Reach(float step, float sum) const {
    return 0.5f * (step * heaviest_ + widest_ * sum);
  }
  size_t bytes() const {
    return packed_.size() + (scales_.size() + biases_.size()) * sizeof(float);
  }

 private:
  Buffer packed_;
  size_t k_ = 0, n_ = 0, group_words_ = 0;
  IntFormat format_ = IntFormat::kInt16;
  std::vector<float> scales_, biases_;
  float heaviest_ = 0.0f;  // The largest sum of a column's absolute weights.
  float widest_ = 0.0f;    // The largest scale.
};

// As LinearArgMaxScore (arg_max_score.h) with float32 weights, of which `rough`
// was made, too. The classes of a row and their order are the same. So are
// their scores; but of the sum of all exp(score) the part of the classes that
// are not candidates is made of approximate scores, at most about a thousandth
// of it: where it is more, the row is multiplied in float32 altogether.
void ScreenedArgMaxScore(const float* a, size_t lda, size_t m,
                         const MatrixView& b, const float* bias,
                         const RoughWeights& rough, size_t count,
                         ArgMaxScore* out, void* scratch, ThreadPool& pool);
// On that many threads.
size_t ScreenedScratchBytes(const RoughWeights& rough, int threads);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CLASSES_ROUGH_SCORES_H_
