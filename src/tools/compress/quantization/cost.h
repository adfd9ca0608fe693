// The cost of running a network, counted and not timed: the same input gives
// the same model on every machine and in every run.
#ifndef MUNJA_COMPRESS_QUANTIZATION_COST_H_
#define MUNJA_COMPRESS_QUANTIZATION_COST_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/calibration/observe.h"
#include "graph/graph.h"

namespace munja::compress {

struct RunCost {
  // Multiply-accumulates of each node, by the name of its output.
  std::map<std::string, int64_t> multiply_accumulates;
  // Cost of all nodes, in equivalent multiply-accumulates of float32.
  double total = 0;
};

// Runs the graph once, with integers at its ends as floats.
Result<RunCost> CountCost(const graph::Graph& graph, const Sample& sample,
                          const std::shared_ptr<ThreadPool>& pool);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_COST_H_
