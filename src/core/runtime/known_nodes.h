// What delegates ask before they judge nodes: which sizes to judge by, and
// which nodes only compute sizes.
#ifndef MUNJA_RUNTIME_KNOWN_NODES_H_
#define MUNJA_RUNTIME_KNOWN_NODES_H_

#include <vector>

#include "graph/graph.h"
#include "runtime/delegate.h"
#include "runtime/shape_inference.h"

namespace munja::runtime {

// Nodes are judged by shapes. Where the model leaves sizes open, 1 (the first)
// and 64 stand for them; each run's own decide again.
void AssumeSizes(const graph::Subgraph& subgraph, ShapeInference& known);

// Everything that the node writes is known before the run: sizes of tensors,
// and what is computed of them.
bool IsKnown(const graph::Node& node, const ShapeInference& known);

// Nodes that compute sizes go with those that read them: between them they
// would part what belongs together. Only all of them, and only where none of
// their values would have to leave its partition.
void TakeKnown(const graph::Subgraph& subgraph, const ShapeInference& known,
               std::vector<Delegate::Verdict>* verdicts);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_KNOWN_NODES_H_
