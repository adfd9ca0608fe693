#include "compress/calibration/histogram.h"

#include <algorithm>
#include <cmath>

namespace munja::compress {

void Histogram::GrowTo(double magnitude) {
  if (bins_.empty()) {
    bins_.assign(kBins, 0);
    limit_ = std::exp2(-20.0);
  }
  while (limit_ <= magnitude) {
    // Pairs of bins become one, around the middle.
    std::vector<int64_t> wide(kBins, 0);
    for (int i = 0; i < kBins; ++i)
      wide[kBins / 4 + i / 2] += bins_[static_cast<size_t>(i)];
    bins_ = std::move(wide);
    limit_ *= 2;
  }
}

void Histogram::Add(std::span<const float> values) {
  double low = low_, high = high_;
  bool is_first = count_ == 0;
  int64_t finite = 0;
  for (const float x : values) {
    if (!std::isfinite(x)) continue;
    ++finite;
    if (is_first) low = high = x;
    is_first = false;
    low = std::min<double>(low, x);
    high = std::max<double>(high, x);
  }
  not_finite_ += static_cast<int64_t>(values.size()) - finite;
  if (finite == 0) return;
  low_ = low;
  high_ = high;
  count_ += finite;
  GrowTo(std::max(std::fabs(low), std::fabs(high)));
  const auto scale = static_cast<float>(kBins / (2.0 * limit_));
  for (const float x : values) {
    if (!std::isfinite(x)) continue;
    const int bin = static_cast<int>(x * scale + kBins / 2.0f);
    ++bins_[static_cast<size_t>(std::clamp(bin, 0, kBins - 1))];
  }
}

void Histogram::Merge(const Histogram& other) {
  not_finite_ += other.not_finite_;
  if (other.count_ == 0) return;
  low_ = count_ == 0 ? other.low_ : std::min(low_, other.low_);
  high_ = count_ == 0 ? other.high_ : std::max(high_, other.high_);
  count_ += other.count_;
  Histogram wide = other;
  GrowTo(other.limit_ / 2);
  wide.GrowTo(limit_ / 2);
  for (int i = 0; i < kBins; ++i)
    bins_[static_cast<size_t>(i)] += wide.bins_[static_cast<size_t>(i)];
}

}  // namespace munja::compress
