#include "compress/calibration/range.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace munja::compress {
namespace {

// The bins that hold anything.
struct Point {
  double x, after, weight;
};

std::vector<Point> Points(const Histogram& h, const RangeOptions& options) {
  std::vector<Point> points;
  const auto bins = h.bins();
  for (int i = 0; i < static_cast<int>(bins.size()); ++i) {
    const int64_t n = bins[static_cast<size_t>(i)];
    if (n == 0) continue;
    const double x = std::clamp(h.center(i), h.low(), h.high());
    points.push_back(
        {x, options.reader ? options.reader(x) : x, static_cast<double>(n)});
  }
  return points;
}

Range Percentile(const Histogram& h, double percentile) {
  // One end may be cut as far as both together.
  const double cut =
      (1.0 - percentile / 100.0) / 2 * static_cast<double>(h.count());
  const auto bins = h.bins();
  Range range;
  double seen = 0;
  for (int i = 0; i < Histogram::kBins; ++i) {
    seen += static_cast<double>(bins[static_cast<size_t>(i)]);
    if (seen > cut) {
      range.low = std::max(h.low(), h.center(i) - h.width() / 2);
      break;
    }
  }
  seen = 0;
  for (int i = Histogram::kBins - 1; i >= 0; --i) {
    seen += static_cast<double>(bins[static_cast<size_t>(i)]);
    if (seen > cut) {
      range.high = std::min(h.high(), h.center(i) + h.width() / 2);
      break;
    }
  }
  return {std::min(range.low, 0.0), std::max(range.high, 0.0)};
}

double SquaredError(const std::vector<Point>& points, const Range& r,
                    const RangeOptions& options) {
  const double step = (r.high - r.low) / (options.levels - 1);
  if (step <= 0) return INFINITY;
  // Values are spread evenly inside their step.
  const double rounding = step * step / 12;
  double sum = 0;
  for (const Point& p : points) {
    const double clipped = std::clamp(p.x, r.low, r.high);
    if (!options.reader) {
      const double d = p.x - clipped;
      sum += p.weight * (d == 0 ? rounding : d * d);
      continue;
    }
    // The slope of the reader around the value, by its two neighbors.
    const double low = options.reader(clipped - step / 2);
    const double high = options.reader(clipped + step / 2);
    const double d = p.after - options.reader(clipped);
    sum += p.weight * ((high - low) * (high - low) / 12 + d * d);
  }
  return sum;
}

// Divergence of the histogram with 256 levels from the one seen; what is
// clipped counts at the ends.
double Divergence(const std::vector<Point>& points, const Range& r,
                  const RangeOptions& options) {
  const double step = (r.high - r.low) / (options.levels - 1);
  if (step <= 0) return INFINITY;
  const auto levels = static_cast<size_t>(options.levels);
  std::vector<double> mass(levels, 0.0);
  std::vector<int> bins(levels, 0);
  std::vector<size_t> level_of(points.size());
  double total = 0, clipped_mass = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    const double x = std::clamp(p.x, r.low, r.high);
    level_of[i] =
        std::min(levels - 1, static_cast<size_t>((x - r.low) / step + 0.5));
    total += p.weight;
    if (x != p.x) {
      clipped_mass += p.weight;
      continue;
    }
    mass[level_of[i]] += p.weight;
    ++bins[level_of[i]];
  }
  const double kept = total - clipped_mass;
  if (kept <= 0) return INFINITY;
  double sum = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    const double expected = bins[level_of[i]] > 0
                                ? mass[level_of[i]] / bins[level_of[i]] / kept
                                : 1e-12;
    // A clipped value is one that the stored distribution hardly has.
    const bool is_clipped = p.x < r.low || p.x > r.high;
    const double q = is_clipped ? std::min(expected, 1e-9) : expected;
    sum += p.weight / total * std::log(p.weight / total / q);
  }
  return sum;
}

}  // namespace

Range EstimateRange(const Histogram& h, const RangeOptions& options) {
  const Range all = {std::min(h.low(), 0.0), std::max(h.high(), 0.0)};
  if (h.count() == 0 || all.high - all.low <= 0) return {};
  if (options.method == RangeMethod::kMinMax) return all;
  if (options.method == RangeMethod::kPercentile)
    return Percentile(h, options.percentile);
  const std::vector<Point> points = Points(h, options);
  const auto error = [&](const Range& r) {
    return options.method == RangeMethod::kMse
               ? SquaredError(points, r, options)
               : Divergence(points, r, options);
  };
  // One end after the other, from the whole inwards.
  constexpr int kSteps = 48;
  Range best = all;
  double least = error(best);
  for (int round = 0; round < 2; ++round) {
    for (const bool is_low : {true, false}) {
      const double from = is_low ? all.low : all.high;
      if (from == 0) continue;
      for (int i = 1; i < kSteps; ++i) {
        Range r = best;
        (is_low ? r.low : r.high) = from * i / kSteps;
        const double e = error(r);
        if (e >= least) continue;
        least = e;
        best = r;
      }
    }
  }
  return best;
}

}  // namespace munja::compress
