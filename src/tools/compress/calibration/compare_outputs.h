// How far a quantized graph's outputs are from those in float.
#ifndef MUNJA_COMPRESS_CALIBRATION_COMPARE_OUTPUTS_H_
#define MUNJA_COMPRESS_CALIBRATION_COMPARE_OUTPUTS_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/calibration/observe.h"
#include "compress/quantization/assignment.h"
#include "graph/graph.h"

namespace munja::compress {

// The decision taken from a row of an output's last dimension: with a threshold
// whether the last element lies above it; without one the index of the largest
// element or, of a single one, whether it lies above one half.
using DecisionThreshold = std::optional<float>;

// The outputs that quantized graphs are compared with.
struct Reference {
  // The outputs in float: for each sample, for each output.
  std::vector<std::vector<std::vector<float>>> outputs;
  DecisionThreshold threshold;
};

struct OutputLoss {
  double relative = 0;   // Squared error by squared magnitude.
  double decisions = 0;  // Share of decisions that fall otherwise.
};

Result<Reference> MakeReference(const graph::Graph& prepared,
                                std::span<const Sample> samples,
                                DecisionThreshold threshold,
                                const std::shared_ptr<ThreadPool>& pool);

// Runs what Emit makes of the assignment on its integer kernels.
Result<OutputLoss> CompareOutputs(const graph::Graph& prepared,
                                  const Assignment& assignment,
                                  std::span<const Sample> samples,
                                  const Reference& reference,
                                  const std::shared_ptr<ThreadPool>& pool);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_CALIBRATION_COMPARE_OUTPUTS_H_
