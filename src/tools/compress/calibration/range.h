// Range: which interval of real values the 256 (or 65536) stored ones cover.
#ifndef MUNJA_COMPRESS_CALIBRATION_RANGE_H_
#define MUNJA_COMPRESS_CALIBRATION_RANGE_H_

#include <functional>

#include "compress/calibration/histogram.h"

namespace munja::compress {

enum class RangeMethod {
  kMinMax,      // All that was seen.
  kPercentile,  // All but the rarest values at both ends.
  kMse,         // The least mean squared error of rounding and clipping.
  // The least Kullback-Leibler divergence of what is stored from what was
  // seen.
  kEntropy,
};

struct Range {
  double low = 0, high = 0;  // low <= 0 <= high.
};

struct RangeOptions {
  RangeMethod method = RangeMethod::kMse;
  double percentile = 99.99;  // Share kept, for kPercentile.
  int levels = 256;
  // The function of one value that all readers apply; null: the identity.
  // Errors count after it, so that its flat parts take no levels away from the
  // rest. For kMse.
  std::function<double(double)> reader = nullptr;
};

// A range that contains 0; [0, 0] when nothing but zeros was seen.
Range EstimateRange(const Histogram& histogram, const RangeOptions& options);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_CALIBRATION_RANGE_H_
