#include "compress/pruning/k_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace munja::compress {
namespace {

// Points of three heaps of different sizes, and three lonely ones.
std::vector<MapPoint> FixedPoints() {
  return {{0, 0, 0, 0},       {0.1, 0.2, 0, 0},   {0.2, 0, 0.1, 0},
          {5, 5, 5, 5},       {5.1, 5, 4.8, 5},   {9, 0, 9, 0},
          {9.2, 0.1, 9, 0.3}, {9.1, 0, 8.8, 0.1}, {8.9, 0.2, 9.1, 0}};
}

// The least inertia of all partitions of the points into N clusters.
double LeastInertia(const std::vector<MapPoint>& points, int clusters) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<int> label(points.size(), 0);
  for (;;) {
    double inertia = 0;
    for (int k = 0; k < clusters; ++k) {
      for (size_t d = 0; d < kPointSize; ++d) {
        double sum = 0, squares = 0, count = 0;
        for (size_t i = 0; i < points.size(); ++i) {
          if (label[i] != k) continue;
          sum += points[i][d];
          squares += points[i][d] * points[i][d];
          ++count;
        }
        if (count > 0) inertia += squares - sum * sum / count;
      }
    }
    least = std::min(least, inertia);
    size_t i = 0;
    while (i < label.size() && ++label[i] == clusters) label[i++] = 0;
    if (i == label.size()) return least;
  }
}

TEST(KMeans, SmallSet_FindsTheOptimum) {
  const std::vector<MapPoint> points = FixedPoints();
  for (int clusters = 1; clusters <= 3; ++clusters) {
    const double least = LeastInertia(points, clusters);
    for (const uint64_t seed : {1, 2, 3}) {
      const Clustering c = KMeansPlusPlus(points, clusters, seed);
      EXPECT_NEAR(c.inertia, least, 1e-9) << clusters << " seed " << seed;
      EXPECT_EQ(c.centers.size(), static_cast<size_t>(clusters));
    }
  }
}

TEST(KMeans, SeparatedHeaps_AreClusters) {
  const Clustering c = KMeansPlusPlus(FixedPoints(), 3, 7);
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {3, 4}, {5, 8}})
    EXPECT_EQ(c.labels[static_cast<size_t>(a)],
              c.labels[static_cast<size_t>(b)]);
  EXPECT_NE(c.labels[0], c.labels[3]);
  EXPECT_NE(c.labels[0], c.labels[5]);
  EXPECT_NE(c.labels[3], c.labels[5]);
}

TEST(KMeans, SameSeed_SameResult) {
  std::vector<MapPoint> points;
  for (int i = 0; i < 60; ++i)
    points.push_back({std::sin(i * 1.3), std::cos(i * 2.1), std::sin(i * 0.7),
                      std::cos(i * 3.3)});
  const Clustering first = KMeansPlusPlus(points, 10, 5);
  EXPECT_EQ(KMeansPlusPlus(points, 10, 5).labels, first.labels);
  bool differs = false;
  for (uint64_t seed = 6; seed < 12; ++seed)
    differs |= KMeansPlusPlus(points, 10, seed).labels != first.labels;
  EXPECT_TRUE(differs);
}

TEST(KMeans, EqualPoints_NeedOneCenter) {
  const std::vector<MapPoint> points(5, MapPoint{1, 2, 3, 4});
  const Clustering c = KMeansPlusPlus(points, 3, 1);
  EXPECT_EQ(c.centers.size(), 1u);
  EXPECT_EQ(c.labels, std::vector<int>(5, 0));
  EXPECT_EQ(c.inertia, 0);
  EXPECT_TRUE(KMeansPlusPlus({}, 3, 1).labels.empty());
}

}  // namespace
}  // namespace munja::compress
