#include "compress/calibration/check_samples.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/median.h"

namespace munja::compress {
namespace {

std::string Decimal(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", x);
  return text;
}

// Computed from the first channel; NaN when all pixels are equal.
double NeighborCorrelation(const CalibrationTensor& tensor) {
  const Shape& s = tensor.shape;
  const auto channels = static_cast<size_t>(s[3]);
  const auto width = static_cast<size_t>(s[2]);
  const size_t rows = static_cast<size_t>(s[0]) * static_cast<size_t>(s[1]);
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (size_t r = 0; r < rows; ++r) {
    const float* row = tensor.values.data() + r * width * channels;
    for (size_t i = 0; i + 1 < width; ++i) {
      const double a = row[i * channels], b = row[(i + 1) * channels];
      count += 1;
      x += a;
      y += b;
      xx += a * a;
      yy += b * b;
      xy += a * b;
    }
  }
  if (count == 0) return NAN;
  const double vx = xx - x * x / count, vy = yy - y * y / count;
  if (!(vx > 1e-9 * count) || !(vy > 1e-9 * count)) return NAN;
  return (xy - x * y / count) / std::sqrt(vx * vy);
}

}  // namespace

SampleCheck CheckSamples(std::span<const Sample> samples) {
  std::vector<double> correlations;
  size_t blank = 0;
  for (const Sample& sample : samples) {
    if (sample.empty() || sample[0].shape.rank() != 4 ||
        static_cast<int64_t>(sample[0].values.size()) !=
            sample[0].shape.elements())
      return {1, 0};
    const double r = NeighborCorrelation(sample[0]);
    if (std::isnan(r)) {
      ++blank;
    } else {
      correlations.push_back(r);
    }
  }
  SampleCheck check;
  if (samples.empty()) return check;
  check.blank =
      static_cast<double>(blank) / static_cast<double>(samples.size());
  check.neighbor_correlation = Median(correlations);
  return check;
}

Status RefuseNoise(const SampleCheck& check) {
  if (check.blank > 0.5)
    return InvalidArgument(
        "the calibration data is blank: all pixels are alike in ",
        Decimal(100 * check.blank), " % of the inputs");
  if (check.neighbor_correlation < kLeastNeighborCorrelation)
    return InvalidArgument(
        "the calibration data looks like noise: neighboring pixels correlate "
        "by ",
        Decimal(check.neighbor_correlation), ", in images of text by ",
        Decimal(kLeastNeighborCorrelation),
        " at least (0.8 is usual); ranges measured on noise fit no image");
  return Status();
}

}  // namespace munja::compress
