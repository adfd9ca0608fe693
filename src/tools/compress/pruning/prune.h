// Prune: a float model with fewer filters in its layers. Start reading here;
// channels.h determines which filters belong together, filter_choice.h which
// ones go.
#ifndef MUNJA_COMPRESS_PRUNING_PRUNE_H_
#define MUNJA_COMPRESS_PRUNING_PRUNE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/pruning/box_statistics.h"
#include "compress/pruning/filter_choice.h"
#include "graph/graph.h"

namespace munja::compress {

struct PruneOptions {
  double level = 0;  // See level.h.
  // Levels of single groups, named by any of their layers, instead.
  std::map<std::string, double> levels;
  // The kept filter count of a pruned layer is a multiple of this (level.h), so
  // that vectors are full.
  int multiple = 1;
  Criterion criterion = Criterion::kL1;
  Centers centers = Centers::kRatio;
  // Factors of batch normalization, by layer, for kBatchNorm where it is
  // folded.
  std::map<std::string, std::vector<double>> factors;
  uint64_t seed = 1;                 // For kClusters and kRandom.
  std::shared_ptr<ThreadPool> pool;  // May be null.
};

// A layer with weights, pruned or not.
struct PrunedLayer {
  std::string name;  // Name of its output.
  int filters = 0, inputs = 0;
  // Indexes of channels, rising, of the layer's output and of its input.
  std::vector<int> kept, kept_inputs;
};

struct PruneReport {
  // In the order of the graph. Layers whose maps are added are pruned alike.
  std::vector<PrunedLayer> layers;
  int groups = 0;
  int64_t parameters_before = 0, parameters = 0;  // Floats in constants.
};

struct Pruned {
  graph::Graph graph;
  PruneReport report;
};

// Removes the filters that the criterion finds least useful; outputs keep their
// channels. Level 0 returns the model unchanged. Only kClusters needs samples.
// kInvalidArgument: a level that leaves a layer nothing (it is named), an
// unknown name in `levels`, no samples. kUnsupported: a model of several
// subgraphs, a quantized one, or one that lacks what the criterion examines.
Result<Pruned> Prune(const graph::Graph& model,
                     std::span<const BoxedSample> samples,
                     const PruneOptions& options);

// Layers that can be pruned, one name per group, with the channel count.
struct PrunableGroup {
  std::vector<std::string> layers;
  int channels = 0;
};
Result<std::vector<PrunableGroup>> FindPrunable(const graph::Graph& model);

// PruneOptions::levels of a model that was pruned before: after them each group
// has the channels that `level` leaves of those in `whole`, so that pruning in
// rounds ends where pruning at once does. kInvalidArgument: `whole` has other
// groups, or a group has fewer channels than `level` would leave.
Result<std::map<std::string, double>> LevelsCountedFrom(
    const graph::Graph& whole, const graph::Graph& model, double level);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_PRUNE_H_
