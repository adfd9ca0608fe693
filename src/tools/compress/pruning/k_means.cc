#include "compress/pruning/k_means.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compress/pruning/splitmix.h"

namespace munja::compress {
namespace {

constexpr int kTries = 4;
constexpr int kMaxSteps = 300;

double SquaredDistance(const MapPoint& a, const MapPoint& b) {
  double sum = 0;
  for (size_t i = 0; i < kPointSize; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::vector<MapPoint> Seed(std::span<const MapPoint> points, int count,
                           Splitmix& random) {
  const auto first = static_cast<size_t>(random.Uniform() *
                                         static_cast<double>(points.size()));
  std::vector<MapPoint> centers = {points[first]};
  std::vector<double> nearest(points.size(),
                              std::numeric_limits<double>::infinity());
  while (static_cast<int>(centers.size()) < count) {
    double sum = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      nearest[i] =
          std::min(nearest[i], SquaredDistance(points[i], centers.back()));
      sum += nearest[i];
    }
    if (!(sum > 0)) break;  // Every point is a center.
    double left = random.Uniform() * sum;
    size_t chosen = points.size();
    for (size_t i = 0; i < points.size(); ++i) {
      if (nearest[i] <= 0) continue;
      chosen = i;
      left -= nearest[i];
      if (left < 0) break;
    }
    centers.push_back(points[chosen]);
  }
  return centers;
}

// Whether any label changed; sets the inertia.
bool Assign(std::span<const MapPoint> points, Clustering* c) {
  bool is_changed = false;
  c->inertia = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < c->centers.size(); ++k) {
      const double d = SquaredDistance(points[i], c->centers[k]);
      if (d >= least) continue;
      least = d;
      best = static_cast<int>(k);
    }
    is_changed |= c->labels[i] != best;
    c->labels[i] = best;
    c->inertia += least;
  }
  return is_changed;
}

// Centers without points stay where they are.
void MoveCenters(std::span<const MapPoint> points, Clustering* c) {
  std::vector<MapPoint> sums(c->centers.size(), MapPoint{});
  std::vector<int> counts(c->centers.size(), 0);
  for (size_t i = 0; i < points.size(); ++i) {
    const auto k = static_cast<size_t>(c->labels[i]);
    for (size_t d = 0; d < kPointSize; ++d) sums[k][d] += points[i][d];
    ++counts[k];
  }
  for (size_t k = 0; k < sums.size(); ++k)
    for (size_t d = 0; counts[k] > 0 && d < kPointSize; ++d)
      c->centers[k][d] = sums[k][d] / counts[k];
}

}  // namespace

Clustering KMeansPlusPlus(std::span<const MapPoint> points, int centers,
                          uint64_t seed) {
  Clustering best;
  best.inertia = std::numeric_limits<double>::infinity();
  if (points.empty() || centers < 1) return Clustering();
  Splitmix random(seed);
  for (int i = 0; i < kTries; ++i) {
    Clustering c;
    c.centers = Seed(points, centers, random);
    c.labels.assign(points.size(), -1);
    for (int step = 0; step < kMaxSteps && Assign(points, &c); ++step)
      MoveCenters(points, &c);
    if (c.inertia < best.inertia) best = std::move(c);
  }
  return best;
}

}  // namespace munja::compress
