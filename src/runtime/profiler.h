// Profiler: time of each node, summed over runs.
#ifndef MUNJA_RUNTIME_PROFILER_H_
#define MUNJA_RUNTIME_PROFILER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "ops/op.h"
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
  // For the kernel that runs next.
  std::vector<ops::PartTime>* EmptyParts() {
    parts_.clear();
    return &parts_;
  }
  // One run, of which the parts that the kernel wrote down are a share.
  void Add(size_t node, double milliseconds);

  // Nodes that have run, in the order of the program. Behind a node whose
  // kernel knew its parts follow these, and its own time is what is left: on
  // an accelerator, the ways in and out.
  std::vector<NodeProfile> Rows() const;
  void Reset();

 private:
  std::vector<NodeProfile> rows_;
  std::map<size_t, std::vector<NodeProfile>> part_rows_;  // By node.
  std::vector<ops::PartTime> parts_;  // Of the node that ran last.
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PROFILER_H_
