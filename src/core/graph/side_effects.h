// Which nodes are functions of their inputs and nothing else.
#ifndef MUNJA_GRAPH_SIDE_EFFECTS_H_
#define MUNJA_GRAPH_SIDE_EFFECTS_H_

#include "graph/graph.h"

namespace munja::graph {

// The node does more than compute its outputs: it changes a variable or a
// resource, or runs another subgraph. Such a node must stay.
bool HasSideEffects(const Subgraph& subgraph, const Node& node);

// The outputs depend on the inputs alone, so that computing them once is
// enough: no effects, no random numbers, not a custom operator (of which
// nothing is known).
bool IsPure(const Subgraph& subgraph, const Node& node);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_SIDE_EFFECTS_H_
