// Helpers for Delegate::CheckSupport: the sizes to check nodes with, and the
// nodes that only compute sizes.
#ifndef MUNJA_RUNTIME_KNOWN_NODES_H_
#define MUNJA_RUNTIME_KNOWN_NODES_H_

#include <vector>

#include "graph/graph.h"
#include "runtime/delegate.h"
#include "runtime/shape_inference.h"

namespace munja::runtime {

// Support is checked with static shapes: dynamic dimensions count as 1 (the
// first) and 64. The shapes of each run are checked again.
void AssumeSizes(const graph::Subgraph& subgraph, ShapeInference& known);

// Everything that the node writes is known before the run: sizes of tensors,
// and what is computed of them.
bool IsKnown(const graph::Node& node, const ShapeInference& known);

// Nodes that compute sizes go with those that read them: between them they
// would part what belongs together. Only all of them, and only where none of
// their values would have to leave its partition.
void TakeKnown(const graph::Subgraph& subgraph, const ShapeInference& known,
               std::vector<Delegate::NodeSupport>* support);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_KNOWN_NODES_H_
