// How far a quantized graph's outputs are from those in float.
#ifndef MUNJA_COMPRESS_COMPARE_OUTPUTS_H_
#define MUNJA_COMPRESS_COMPARE_OUTPUTS_H_

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/assignment.h"
#include "compress/observe.h"
#include "graph/graph.h"

namespace munja::compress {

// The outputs in float: for each sample, for each output.
using Reference = std::vector<std::vector<std::vector<float>>>;

struct OutputLoss {
  double relative = 0;   // Squared error by squared magnitude.
  double decisions = 0;  // Share of decisions that fall otherwise.
};

Result<Reference> MakeReference(const graph::Graph& prepared,
                                std::span<const Sample> samples,
                                const std::shared_ptr<ThreadPool>& pool);

// Runs what Emit makes of the assignment on its integer kernels. Decisions:
// the largest of the last dimension where that has more than one element,
// above or below one half otherwise.
Result<OutputLoss> CompareOutputs(const graph::Graph& prepared,
                                  const Assignment& assignment,
                                  std::span<const Sample> samples,
                                  const Reference& reference,
                                  const std::shared_ptr<ThreadPool>& pool);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_COMPARE_OUTPUTS_H_
