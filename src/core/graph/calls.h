// Which subgraphs a node runs.
#ifndef MUNJA_GRAPH_CALLS_H_
#define MUNJA_GRAPH_CALLS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace munja::graph {

struct SubgraphCall {
  std::string_view attribute;  // The node's attribute that names the subgraph.
  int64_t subgraph;            // As written there, not checked.
};

// By attributes "..subgraph_index" (branches, loop bodies) and
// "..subgraph_indices", and the one of CALL.
std::vector<SubgraphCall> CalledSubgraphs(const Node& node);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_CALLS_H_
