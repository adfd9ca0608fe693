// Finds the layers that cost accuracy, and keeps the worst of them out of int8.
#ifndef MUNJA_COMPRESS_QUANTIZATION_SENSITIVITY_H_
#define MUNJA_COMPRESS_QUANTIZATION_SENSITIVITY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/calibration/compare_outputs.h"
#include "compress/calibration/observe.h"
#include "compress/quantization/assignment.h"
#include "graph/graph.h"

namespace munja::compress {

// One row of the analysis.
struct Sensitivity {
  std::string name, op;  // Output name and operator of the layer.
  // Loss of the outputs with this layer (and the activation that alone reads
  // it) in the kept precision and all others unchanged.
  double loss = 0;
  int64_t multiply_accumulates = 0;  // Kept out of int8, per run.
  bool is_kept = false;
};

// Measures each integer layer, then takes layers out of int8, the largest loss
// saved for the multiply-accumulates first, until the relative loss is at most
// `max_loss`. Rows come in that order. The samples should be few: each layer
// takes a run.
Result<std::vector<Sensitivity>> KeepSensitiveNodes(
    const graph::Graph& prepared, std::span<const Sample> samples,
    const Reference& reference, Precision kept, double max_loss,
    const std::shared_ptr<ThreadPool>& pool, Assignment* assignment);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_SENSITIVITY_H_
