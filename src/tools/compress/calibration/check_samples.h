// Checks whether calibration data looks like images.
#ifndef MUNJA_COMPRESS_CALIBRATION_CHECK_SAMPLES_H_
#define MUNJA_COMPRESS_CALIBRATION_CHECK_SAMPLES_H_

#include <span>

#include "base/status.h"
#include "compress/calibration/observe.h"

namespace munja::compress {

struct SampleCheck {
  // Correlation of each pixel with its right neighbor, the median of all
  // samples: near 0 for noise, above 0.5 for images of text.
  double neighbor_correlation = 0;
  // Share of samples whose pixels are all alike.
  double blank = 0;
};

// Below this, ranges would be those of noise: a network trained on images
// responds to it with activations that no image causes, or with none.
inline constexpr double kLeastNeighborCorrelation = 0.3;

// Checks the first input, N x height x width x channels; other ranks give 1 and
// 0.
SampleCheck CheckSamples(std::span<const Sample> samples);

// kInvalidArgument with the statistic when the samples are noise or blank.
Status RefuseNoise(const SampleCheck& check);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_CALIBRATION_CHECK_SAMPLES_H_
