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
#include "graph/passes/pass.h"
#include "kernels/cpu/simd.h"
#include "ops/op.h"
#include "runtime/delegation.h"
#include "runtime/resolver.h"
#include "runtime/session.h"

namespace munja::runtime {

class Program {
 public:
  // Runs the passes on a copy of the graph, lets the delegates take nodes, and
  // makes a kernel for each node of the chosen subgraph. kUnsupported names
  // every operator that is missing there; kInvalidArgument: no such subgraph.
  static Result<std::shared_ptr<const Program>> Compile(
      const graph::Graph& graph, int subgraph, const SessionOptions& options,
      const Resolver& resolver);
  // Where each node would run, see ReportOwners; `subgraph` exists.
  static Result<std::vector<NodeOwner>> Assign(const graph::Graph& graph,
                                               int subgraph,
                                               const SessionOptions& options,
                                               const Resolver& resolver);

  const graph::Subgraph& subgraph() const { return graph_.main(); }
  // By the node's number in subgraph().
  const ops::Kernel& kernel(size_t node) const { return *kernels_[node]; }
  std::vector<NodeOwner> Owners() const { return delegation_.Owners(); }
  std::span<const TensorInfo> inputs() const { return inputs_; }
  std::span<const TensorInfo> outputs() const { return outputs_; }
  // Values that keep their content from run to run, and their sizes.
  struct Variable {
    graph::ValueId value;
    size_t bytes;
  };
  std::span<const Variable> variables() const { return variables_; }
  size_t packed_bytes() const { return packed_bytes_; }
  // A kernel calls other subgraphs or keeps resources.
  bool needs_host() const { return needs_host_; }
  // A kernel keeps state of its own: see Resolver::Operator.
  bool is_stateful() const { return is_stateful_; }
  // Steps may be taken by bands of rows: where passes fuse.
  bool can_run_bands() const { return can_run_bands_; }
  // See SessionOptions.
  bool changes_given_variables() const { return changes_given_variables_; }

 private:
  Program() = default;
  // Cleans the graph and offers it to the delegates.
  Status OfferToDelegates(const graph::Graph& model, int subgraph,
                          const SessionOptions& options,
                          const Resolver& resolver,
                          const graph::PassOptions& passes);
  Status MakeKernels(const ops::MakeOptions& options, const Resolver& resolver);
  Status FindVariables();

  const kernels::SimdLock simd_;  // Held while packed weights exist.
  graph::Graph graph_;            // The chosen subgraph alone.
  Delegation delegation_;
  std::vector<std::unique_ptr<ops::Kernel>> own_kernels_;
  std::vector<const ops::Kernel*> kernels_;  // Ours, or a delegate's.
  std::vector<TensorInfo> inputs_, outputs_;
  std::vector<Variable> variables_;
  size_t packed_bytes_ = 0;
  bool needs_host_ = false, is_stateful_ = false;
  bool can_run_bands_ = false;
  bool changes_given_variables_ = false;
};

// kUnsupported names, in one message, every operator that the subgraphs given
// use and the resolver has not: "missing operators: FOO (3 nodes), ...".
Status CheckOperators(const graph::Graph& graph, std::span<const int> subgraphs,
                      const Resolver& resolver);

// The subgraph and all that it calls, directly or not; itself first.
std::vector<int> ReachableSubgraphs(const graph::Graph& graph, int subgraph);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PROGRAM_H_
