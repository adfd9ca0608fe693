// Computes single nodes of constants, for the passes.
#ifndef MUNJA_RUNTIME_FOLD_H_
#define MUNJA_RUNTIME_FOLD_H_

#include <vector>

#include "graph/passes/pass.h"
#include "ops/op.h"
#include "runtime/resolver.h"

namespace munja::runtime {

// The outputs of a node whose inputs are all constants. Any failure, also an
// output that is much larger than its inputs (kOutOfMemory), only means that
// the node should be left to the run.
Result<std::vector<graph::FoldedOutput>> FoldNode(
    const graph::Subgraph& subgraph, const graph::Node& node,
    const ops::MakeOptions& options, const Resolver& resolver);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_FOLD_H_
