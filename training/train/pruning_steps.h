// The steps in which checkpoints of every kind lose filters.
#ifndef MUNJA_TRAIN_PRUNING_STEPS_H_
#define MUNJA_TRAIN_PRUNING_STEPS_H_

#include <torch/torch.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "compress/pruning/prune.h"
#include "graph/graph.h"
#include "image/image.h"
#include "train/checkpoint.h"
#include "train/nets/conv_block.h"
#include "train/prune_checkpoint.h"

namespace munja::train {

// The network of a checkpoint as a graph.
using ExportNetwork = Result<graph::Graph> (*)(const Checkpoint& checkpoint);

compress::CalibrationTensor TensorOf(const image::Image& picture);

// The first labeled pictures with boxes, `side` pixels wide and high or, 0, the
// nearest multiples of what they are.
Result<std::vector<compress::BoxedSample>> LabeledSamples(const PruneJob& job,
                                                          int side);

// Whether the job's criterion or budget needs samples.
bool LooksAtPictures(const PruneJob& job);

// All but levels of a budget, for which the factors have to be known. `graph`
// is the exported network of a checkpoint of `kind`.
Result<compress::PruneOptions> PruneOptionsOf(const PruneJob& job,
                                              const std::string& kind,
                                              const graph::Graph& graph,
                                              ExportNetwork export_network);

// By the levels of the options, or by those that meet the budget.
Result<compress::Pruned> PruneWithin(
    const compress::Budget& budget, const graph::Graph& graph,
    const std::vector<compress::BoxedSample>& samples,
    compress::PruneOptions options);

std::vector<double> FactorsOf(const ConvBlock& block);

// A checkpoint at the start of its training, with the module's weights.
Checkpoint Restarted(const Checkpoint& from, torch::nn::Module& module,
                     std::string recipe, const std::string& recipe_path);

// Says in a recipe of `section` whom the smaller network learns from.
Status AddTeacher(const PruneJob& job, const std::string& section,
                  const std::string& recipe_path, std::string* recipe);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_PRUNING_STEPS_H_
