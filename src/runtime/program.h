// Program: a model compiled for this machine; what all forks of a session
// share and never change.
#ifndef MUNJA_RUNTIME_PROGRAM_H_
#define MUNJA_RUNTIME_PROGRAM_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "ops/op.h"
#include "runtime/op_finder.h"
#include "runtime/session.h"

namespace munja::runtime {

class Program {
 public:
  // Runs the passes on a copy of the graph and makes a kernel for each node
  // of the chosen subgraph. kUnsupported names every operator that is missing;
  // kInvalidArgument: no such subgraph.
  static Result<std::shared_ptr<const Program>> Compile(
      const graph::Graph& graph, const SessionOptions& options,
      OpFinder find_op);

  const graph::Subgraph& subgraph() const { return graph_.main(); }
  // By the node's number in subgraph().
  const ops::Kernel& kernel(size_t node) const { return *kernels_[node]; }
  std::span<const TensorInfo> inputs() const { return inputs_; }
  std::span<const TensorInfo> outputs() const { return outputs_; }
  // Values that keep their content from run to run, and their sizes.
  struct Variable {
    graph::ValueId value;
    size_t bytes;
  };
  std::span<const Variable> variables() const { return variables_; }
  size_t packed_bytes() const { return packed_bytes_; }

 private:
  Program() = default;
  Status FindVariables();

  graph::Graph graph_;  // The chosen subgraph alone.
  std::vector<std::unique_ptr<ops::Kernel>> kernels_;
  std::vector<TensorInfo> inputs_, outputs_;
  std::vector<Variable> variables_;
  size_t packed_bytes_ = 0;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PROGRAM_H_
