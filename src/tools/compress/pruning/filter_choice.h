// Selects the filters of a group of layers that stay.
#ifndef MUNJA_COMPRESS_PRUNING_FILTER_CHOICE_H_
#define MUNJA_COMPRESS_PRUNING_FILTER_CHOICE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compress/pruning/channels.h"
#include "compress/pruning/k_means.h"
#include "graph/graph.h"

namespace munja::compress {

enum class Criterion : uint8_t {
  kClusters,  // One map of each cluster of similar maps: ChooseByClusters.
  kL1,        // Largest sum of magnitudes of weights (Li et al., ICLR 2017).
  kL2,        // Largest sum of squares.
  // Farthest from the other filters of the layer, as a sum of distances (He et
  // al.: Filter pruning via geometric median, CVPR 2019).
  kGeometricMedian,
  // Largest factor of batch normalization (Liu et al., ICCV 2017), where the
  // graph has it next to the convolution.
  kBatchNorm,
  kRandom,
};

// "clusters", "l1", "l2", "geometric-median", "bn", "random".
Result<Criterion> CriterionOf(std::string_view name);
const char* NameOf(Criterion criterion);

// The number of centers.
enum class Centers : uint8_t {
  kRatio,  // ceil(n / (n (1 - level))), as published.
  kKept,   // One for each filter that stays.
};
int CenterCount(Centers centers, int filters, double level);

// Positions of the `count` best of `scores`, rising; of equals the first.
std::vector<int> ChooseBest(const std::vector<double>& scores, int count);

// Seo, Ahn, Son, Chung 2023: points are clustered, and each cluster is
// represented by the one with the highest variance inside of boxes. These are
// taken in the order of that variance, then the second of each cluster, and so
// on, until there are `count`: the formula for the number of centers yields
// fewer clusters than filters to keep, or more.
std::vector<int> ChooseByClusters(std::span<const MapPoint> points, int centers,
                                  int count, uint64_t seed);

// One score for each channel of the group: the sum of the criterion over its
// filters. Not for kClusters and kRandom. kUnsupported: kBatchNorm where there
// is none.
Result<std::vector<double>> ScoreFilters(const graph::Subgraph& subgraph,
                                         const Channels& channels,
                                         const ChannelGroup& group,
                                         Criterion criterion);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_FILTER_CHOICE_H_
