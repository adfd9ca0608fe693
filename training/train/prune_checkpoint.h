// Checkpoints with fewer filters, from which training goes on. Free of
// libtorch.
#ifndef MUNJA_TRAIN_PRUNE_CHECKPOINT_H_
#define MUNJA_TRAIN_PRUNE_CHECKPOINT_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "compress/pruning/budget.h"
#include "compress/pruning/prune.h"
#include "train/checkpoint_kind.h"

namespace munja::train {

struct PruneJob {
  std::string checkpoint;  // Checkpoint of detect or objects.
  std::string out;         // The smaller one.
  std::string recipe;      // Its recipe; empty: `out` + ".json".
  double level = 0;
  // A share above 0: levels of the layers' own instead, found on the pictures.
  compress::Budget budget;
  compress::Criterion criterion = compress::Criterion::kL1;
  compress::Centers centers = compress::Centers::kRatio;
  // Labels with outlines (.jsonl), for clusters and budgets. Empty: a held-out
  // picture of objects, as the generator draws it.
  std::string calibrate;
  int pictures = 1;  // Looked at.
  uint64_t seed = 1;
  // The factor of the learning rate; a tenth as published.
  float learning_rate_factor = 0.1f;
  // The checkpoint before all rounds of pruning, of which `level` is counted.
  // Empty: `checkpoint`.
  std::string whole;
  // The weight of the loss by which the recipe lets the smaller network learn
  // from the whole one (distillation.h). 0: as the recipe has it.
  float distillation = 0;
};

// The averaged weights of the filters that stay, with their normalization, and
// a training at its start: `munja-train detect|objects --recipe RECIPE --out
// OUT --resume` goes on. Its groups of layers are found from the exported
// network. kInvalidArgument as compress::Prune(), or `out` is there already.
// `more_kinds`: kinds of checkpoints besides text detectors.
Result<compress::PruneReport> PruneCheckpoint(
    const PruneJob& job, std::span<const CheckpointKind> more_kinds = {});

}  // namespace munja::train

#endif  // MUNJA_TRAIN_PRUNE_CHECKPOINT_H_
