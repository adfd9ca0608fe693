// Delegation: hands nodes of a subgraph to delegates.
#ifndef MUNJA_RUNTIME_DELEGATION_H_
#define MUNJA_RUNTIME_DELEGATION_H_

#include <memory>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/delegated_kernel.h"
#include "runtime/resolver.h"
#include "runtime/session.h"

namespace munja::runtime {

// The nodes of one subgraph that delegates took.
struct Delegation {
  // By the number that DelegatedKernelOf gives.
  std::vector<std::unique_ptr<DelegatedKernel>> kernels;
  // Every node of the model's subgraph, and the kernel that runs it; -1: none.
  std::vector<NodeOwner> owners;
  std::vector<int> kernel_of;
  bool is_stateful = false;

  // The owners, with what failed since.
  std::vector<NodeOwner> Owners() const;
};

// Replaces partitions of `work`, which holds subgraph `subgraph` of `model`
// alone and has been cleaned (see MarkNodes), by one custom node each that has
// the delegate's name.
Delegation DelegateNodes(const graph::Graph& model, int subgraph,
                         graph::Graph* work, const SessionOptions& options,
                         const Resolver& resolver);

// Lets DelegateNodes find which of the model's nodes is which, whatever passes
// removed in between. Before any pass.
void MarkNodes(graph::Subgraph& subgraph);

// The number of the kernel that runs this node; -1 for nodes of the model.
int DelegatedKernelOf(const graph::Node& node);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_DELEGATION_H_
