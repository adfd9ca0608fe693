// Levels for pruning that leave a share of what a model costs.
#ifndef MUNJA_COMPRESS_PRUNING_BUDGET_H_
#define MUNJA_COMPRESS_PRUNING_BUDGET_H_

#include <map>
#include <span>
#include <string>

#include "base/status.h"
#include "compress/pruning/prune.h"
#include "graph/graph.h"

namespace munja::compress {

struct Budget {
  double share =
      0;  // Fraction of the whole model's cost, above 0 and at most 1.
  // The output of `munja bench MODEL --op-profile --json`: the cost is time.
  // Empty: the cost is the number of weights.
  std::string profile;
};

// PruneOptions::levels, one for each group of layers, chosen by what the
// outputs of the samples lose (global_levels.h). kInvalidArgument: no samples,
// a budget that cannot be reached, the profile of another model. kMalformed:
// not a profile.
Result<std::map<std::string, double>> LevelsOfBudget(
    const graph::Graph& model, std::span<const BoxedSample> samples,
    const PruneOptions& options, const Budget& budget);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_BUDGET_H_
