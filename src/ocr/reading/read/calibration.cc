#include "reading/read/calibration.h"

#include <algorithm>
#include <cmath>

namespace munja::ocr {

float CalibratedConfidence(const RecognizerConfig& config, float probability) {
  if (config.confidence_slope == 1 && config.confidence_offset == 0)
    return probability;
  // Networks say 0 and 1 by rounding; the logarithms end before.
  constexpr double kLeast = 1e-6;
  const double p =
      std::clamp(static_cast<double>(probability), kLeast, 1 - kLeast);
  const double logit = std::log(p / (1 - p));
  return static_cast<float>(1 /
                            (1 + std::exp(-(config.confidence_slope * logit +
                                            config.confidence_offset))));
}

}  // namespace munja::ocr
