#include "graph/calls.h"

namespace munja::graph {

std::vector<SubgraphCall> CalledSubgraphs(const Node& node) {
  std::vector<SubgraphCall> calls;
  for (const auto& [key, value] : node.attributes) {
    const std::string_view name = key;
    const auto* one = std::get_if<int64_t>(&value);
    const auto* many = std::get_if<std::vector<int64_t>>(&value);
    if (one != nullptr && (name.ends_with("subgraph_index") ||
                           (name == "subgraph" && node.op == "CALL")))
      calls.push_back({name, *one});
    if (many != nullptr && name.ends_with("subgraph_indices"))
      for (const int64_t subgraph : *many) calls.push_back({name, subgraph});
  }
  return calls;
}

}  // namespace munja::graph
