// A level of its own for each group of layers, so that the whole meets a
// budget where it costs the least.
#ifndef MUNJA_COMPRESS_PRUNING_GLOBAL_LEVELS_H_
#define MUNJA_COMPRESS_PRUNING_GLOBAL_LEVELS_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compress/pruning/prune.h"
#include "graph/graph.h"

namespace munja::compress {

// The loss of the outputs when one group alone is pruned.
struct GroupSensitivity {
  std::vector<std::string> layers;
  int channels = 0;
  // At kSensitivityLevels: ||whole - pruned||^2 / ||whole||^2 of the outputs.
  std::vector<double> errors;
};
inline constexpr double kSensitivityLevels[] = {0.125, 0.25, 0.375, 0.5,
                                                0.625, 0.75, 0.875};

// Prunes each group at each level by `options` (whose levels do not count) and
// runs the samples. kInvalidArgument: no samples.
Result<std::vector<GroupSensitivity>> MeasureSensitivity(
    const graph::Graph& model, std::span<const BoxedSample> samples,
    const PruneOptions& options);

// The cost of a layer in the whole model: milliseconds as `munja bench
// --op-profile` measures them, or the number of weights.
using LayerCosts = std::map<std::string, double>;  // By layer.

// The number of weights of each layer.
Result<LayerCosts> WeightCounts(const graph::Graph& model);

struct GlobalLevels {
  std::map<std::string, double> levels;  // For PruneOptions, by a first layer.
  double cost = 0;   // Estimated: in proportion to the inputs and the outputs
                     // of each layer that stay.
  double error = 0;  // The sum of the groups'.
};

// Raises levels of groups, the one that costs the least error for what it
// saves first, until the cost is at most the budget. Layers without a cost cost
// nothing. kInvalidArgument: a budget that the highest levels do not reach; the
// layer that costs the most is named.
Result<GlobalLevels> FindGlobalLevels(
    const graph::Graph& model,
    const std::vector<GroupSensitivity>& sensitivities, const LayerCosts& costs,
    double budget);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_GLOBAL_LEVELS_H_
