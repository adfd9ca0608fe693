// Profiler: time of each node, summed over runs.
#ifndef MUNJA_RUNTIME_PROFILER_H_
#define MUNJA_RUNTIME_PROFILER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "ops/op.h"
#include "runtime/session.h"
#include "runtime/trace.h"
#include "tensor/view.h"

namespace munja::runtime {

class Profiler {
 public:
  explicit Profiler(const graph::Subgraph& subgraph);

  // Shapes and bytes of the row, from the plan that runs next.
  void SetShapes(size_t node, std::span<const TensorView> inputs,
                 std::span<const TensorView> outputs,
                 int64_t multiply_accumulates);
  // For the kernel that runs next.
  std::vector<ops::PartTime>* EmptyParts() {
    parts_.clear();
    return &parts_;
  }
  // One run, of which the parts that the kernel wrote down are a share.
  void Add(size_t node, TraceFile::Clock::time_point begin,
           TraceFile::Clock::time_point end);
  // Each run is an event there, too.
  void TraceTo(std::shared_ptr<TraceFile> trace) { trace_ = std::move(trace); }

  // Nodes that have run, in the order of the program. Behind a node whose
  // kernel knew its parts follow these, and its own time is what is left: on
  // an accelerator, the ways in and out.
  std::vector<NodeProfile> Rows() const;
  void Reset();

 private:
  std::vector<NodeProfile> rows_;
  std::map<size_t, std::vector<NodeProfile>> part_rows_;  // By node.
  std::vector<ops::PartTime> parts_;  // Parts of the node that ran last.
  std::shared_ptr<TraceFile> trace_;  // Null: none.
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PROFILER_H_
