#include "graph/passes/compact.h"

#include <utility>
#include <vector>

namespace munja::graph {
namespace {

// Calls visit(ValueId&) for every mention of a value.
template <class Visit>
void ForEachMention(Graph& graph, size_t index, Visit&& visit) {
  Subgraph& subgraph = graph.subgraphs[index];
  for (ValueId& v : subgraph.inputs) visit(v);
  for (ValueId& v : subgraph.outputs) visit(v);
  for (Node& node : subgraph.nodes) {
    for (ValueId& v : node.inputs) visit(v);
    for (ValueId& v : node.outputs) visit(v);
    for (ValueId& v : node.intermediates) visit(v);
  }
  for (Signature& signature : graph.signatures) {
    if (signature.subgraph != static_cast<int>(index)) continue;
    for (auto& [name, v] : signature.inputs) visit(v);
    for (auto& [name, v] : signature.outputs) visit(v);
  }
}

}  // namespace

void CompactValues(Graph& graph) {
  for (size_t s = 0; s < graph.subgraphs.size(); ++s) {
    std::vector<Value>& values = graph.subgraphs[s].values;
    std::vector<ValueId> new_id(values.size(), kNoValue);
    ForEachMention(graph, s, [&](ValueId v) {
      if (v != kNoValue) new_id[v] = 0;
    });
    ValueId next = 0;
    for (size_t v = 0; v < values.size(); ++v) {
      if (new_id[v] == kNoValue) continue;
      new_id[v] = next;
      if (static_cast<size_t>(next) != v) values[next] = std::move(values[v]);
      ++next;
    }
    values.resize(next);
    ForEachMention(graph, s, [&](ValueId& v) {
      if (v != kNoValue) v = new_id[v];
    });
  }
}

}  // namespace munja::graph
