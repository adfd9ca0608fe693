// Histogram: how often which values come, without knowing the range before.
#ifndef MUNJA_COMPRESS_CALIBRATION_HISTOGRAM_H_
#define MUNJA_COMPRESS_CALIBRATION_HISTOGRAM_H_

#include <cstdint>
#include <span>
#include <vector>

namespace munja::compress {

// Bins of equal width over [-limit, limit), where the limit is a power of two
// that grows as larger values come: two histograms can always be added up.
class Histogram {
 public:
  static constexpr int kBins = 8192;

  void Add(std::span<const float> values);
  void Merge(const Histogram& other);

  // Minimum and maximum of all finite values; both 0 before the first.
  double low() const { return low_; }
  double high() const { return high_; }
  int64_t count() const { return count_; }
  // Infinities and NaN, which are in no bin.
  int64_t not_finite() const { return not_finite_; }
  std::span<const int64_t> bins() const { return bins_; }  // Or empty.
  double width() const { return 2.0 * limit_ / kBins; }
  double center(int bin) const { return (bin + 0.5) * width() - limit_; }

 private:
  void GrowTo(double magnitude);

  std::vector<int64_t> bins_;
  double limit_ = 0, low_ = 0, high_ = 0;
  int64_t count_ = 0, not_finite_ = 0;
};

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_CALIBRATION_HISTOGRAM_H_
