// Running state of a row of scores: part of the kernels that find the top-k
// classes.
#ifndef MUNJA_KERNELS_CLASSES_PARTIAL_BEST_H_
#define MUNJA_KERNELS_CLASSES_PARTIAL_BEST_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/classes/arg_max_score.h"

namespace munja::kernels {

inline constexpr float kNone = -std::numeric_limits<float>::infinity();

inline constexpr float kLog2E = 1.44269504f;

// Running top-k and softmax denominator of a row.
struct PartialBest {
  // Sum of exp(score - best), or of exp(score) while the best is -infinity. NaN
  // once a score was NaN or +infinity.
  float sum = 0.0f;
  // Best first, of equals the first. The first is -infinity in the beginning.
  uint32_t kept = 1;
  float score[kMostBest] = {kNone};
  uint32_t index[kMostBest] = {};

  // A score must exceed this to be among the top `count` and above `least`.
  float Limit(size_t count, float least) const {
    return kept == count ? std::max(score[kept - 1], least) : least;
  }
  // Behind those that are not smaller.
  void Insert(float value, uint32_t at, size_t count) {
    if (kept < count) ++kept;
    size_t i = kept - 1;
    for (; i > 0 && score[i - 1] < value; --i) {
      score[i] = score[i - 1];
      index[i] = index[i - 1];
    }
    score[i] = value;
    index[i] = at;
  }
};

// `next` stands behind what `best` has seen.
inline void Append(const PartialBest& next, size_t count, PartialBest& best) {
  const float maximum = best.score[0], other = next.score[0];
  if (other == kNone) {
    best.sum += next.sum;  // 0 or NaN.
    return;
  }
  if (other > maximum)
    best.sum = best.sum * std::exp(maximum - other) + next.sum;
  else
    best.sum += next.sum * std::exp(other - maximum);
  // The place of none is taken, not kept.
  if (maximum == kNone) best.kept = 0;
  for (size_t i = 0; i < next.kept; ++i)
    if (next.score[i] > best.Limit(count, kNone))
      best.Insert(next.score[i], next.index[i], count);
  if (best.kept == 0) best.kept = 1;
}

// Writes the best class and those whose score is above `least`, with
// probabilities by `share`, then zeros.
template <class Share>
void Write(const PartialBest& best, float least, size_t count,
           const Share& share, ArgMaxScore* out) {
  std::fill(out, out + count, ArgMaxScore{});
  for (size_t i = 0; i < best.kept; ++i)
    if (i == 0 || best.score[i] > least)
      out[i] = {static_cast<float>(best.index[i]), share(best.score[i])};
}

inline void Finish(const PartialBest& best, size_t count, ArgMaxScore* out) {
  const float maximum = best.score[0];
  // Also where the sum is NaN. That of a row of -infinity is 0.
  if (!(best.sum > 0.0f)) {
    std::fill(out, out + count, ArgMaxScore{});
    out[0].probability = std::numeric_limits<float>::quiet_NaN();
    return;
  }
  const auto share = [&](float score) {
    return score == maximum ? 1.0f / best.sum
                            : std::exp(score - maximum) / best.sum;
  };
  Write(best, maximum + std::log(kLeastOfBest), count, share, out);
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CLASSES_PARTIAL_BEST_H_
