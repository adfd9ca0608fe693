// Drops the values that nothing mentions any more.
#ifndef MUNJA_GRAPH_PASSES_COMPACT_H_
#define MUNJA_GRAPH_PASSES_COMPACT_H_

#include "graph/graph.h"

namespace munja::graph {

// Renumbers the values of every subgraph, in their old order, so that only
// those remain that a node, an input, an output or a signature names.
void CompactValues(Graph& graph);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_PASSES_COMPACT_H_
