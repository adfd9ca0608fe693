// CheckpointKind: how checkpoints of a kind that is defined outside of this
// module are exported and pruned. Free of libtorch.
#ifndef MUNJA_TRAIN_CHECKPOINT_KIND_H_
#define MUNJA_TRAIN_CHECKPOINT_KIND_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "compress/pruning/prune.h"
#include "graph/graph.h"
#include "train/checkpoint.h"

namespace munja::train {

struct PruneJob;

struct PrunedCheckpoint {
  Checkpoint checkpoint;
  compress::PruneReport report;
};

struct CheckpointKind {
  std::string name;  // Checkpoint::kind.
  // The network, which the runtime computes as libtorch does.
  Result<std::shared_ptr<graph::Graph>> (*to_graph)(
      const Checkpoint& checkpoint);
  // The checkpoint with fewer filters; `recipe_path` is where its recipe will
  // be.
  Result<PrunedCheckpoint> (*prune)(const PruneJob& job,
                                    const Checkpoint& checkpoint,
                                    const std::string& recipe_path);
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_CHECKPOINT_KIND_H_
