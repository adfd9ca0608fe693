// Profiler: time of each node, summed over runs.
#ifndef MUNJA_RUNTIME_PROFILER_H_
#define MUNJA_RUNTIME_PROFILER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "runtime/session.h"
#include "tensor/view.h"

namespace munja::runtime {

class Profiler {
 public:
  explicit Profiler(const graph::Subgraph& subgraph);

  // What the row says about shapes and bytes, from the plan that runs next.
  void SetShapes(size_t node, std::span<const TensorView> inputs,
                 std::span<const TensorView> outputs,
                 int64_t multiply_accumulates);
  void Add(size_t node, double milliseconds) {
    rows_[node].milliseconds += milliseconds;
    ++rows_[node].runs;
  }

  // Nodes that have run, in the order of the program.
  std::vector<NodeProfile> Rows() const;
  void Reset();

 private:
  std::vector<NodeProfile> rows_;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PROFILER_H_
