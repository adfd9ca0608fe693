// Detectors out of checkpoints, as they are evaluated, exported, pruned and
// learned of: with the averaged weights, in eval mode.
#ifndef MUNJA_TRAIN_TRAINED_NETWORKS_H_
#define MUNJA_TRAIN_TRAINED_NETWORKS_H_

#include <torch/torch.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "graph/graph.h"
#include "train/checkpoint.h"
#include "train/detector_recipe.h"
#include "train/nets/detector_net.h"

namespace munja::train {

inline constexpr char kAveragedWeights[] = "average/";

struct TrainedDetector {
  DetectorRecipe recipe;
  DetectorNet net{nullptr};
};

// kMalformed: a checkpoint of another kind or of another network.
Result<TrainedDetector> DetectorOf(const Checkpoint& checkpoint);

// kMalformed where the checkpoint is of another kind.
Status ExpectKind(const Checkpoint& checkpoint, const std::string& kind);

// Runs the graph on the picture, 1 x 3 x H x W. kInternal where its first
// output differs from `expected` by 1e-4.
Status ExpectSameOutput(std::shared_ptr<const graph::Graph> graph,
                        const torch::Tensor& picture,
                        const torch::Tensor& expected);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TRAINED_NETWORKS_H_
