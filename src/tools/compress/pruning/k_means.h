// K-means++ (Arthur, Vassilvitskii: k-means++: The advantages of careful
// seeding, SODA 2007).
#ifndef MUNJA_COMPRESS_PRUNING_K_MEANS_H_
#define MUNJA_COMPRESS_PRUNING_K_MEANS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace munja::compress {

// Mean and variance inside of boxes, mean and variance outside.
inline constexpr size_t kPointSize = 4;
using MapPoint = std::array<double, kPointSize>;

struct Clustering {
  std::vector<int> labels;  // The cluster of each point, 0 ...
  std::vector<MapPoint>
      centers;         // Fewer than asked for where points are equal.
  double inertia = 0;  // Sum of squared distances to the centers.
};

// The first center is drawn uniformly, each other with a probability that grows
// with the squared distance to the nearest one so far; then Lloyd's steps until
// no label changes. The best of a few such tries is taken, by inertia. The same
// seed gives the same result everywhere.
Clustering KMeansPlusPlus(std::span<const MapPoint> points, int centers,
                          uint64_t seed);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_K_MEANS_H_
