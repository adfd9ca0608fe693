#include "graph/rewrite/def_use.h"

#include <algorithm>
#include <utility>

namespace munja::graph {
namespace {

bool ReadsVariable(const Subgraph& subgraph, const Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
    return v != kNoValue && subgraph.values[v].is_variable;
  });
}

}  // namespace

DefUse::DefUse(const Subgraph& subgraph) : rows_(subgraph.values.size()) {
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const Node& node = subgraph.nodes[n];
    const int id = static_cast<int>(n);
    for (const auto* list : {&node.inputs, &node.intermediates}) {
      for (const ValueId v : *list) {
        if (v == kNoValue) continue;
        rows_[v].reader = id;
        ++rows_[v].count;
      }
    }
    if (ReadsVariable(subgraph, node)) continue;
    for (const ValueId v : node.outputs)
      if (v != kNoValue) rows_[v].producer = id;
  }
  for (const ValueId v : subgraph.outputs) ++rows_[v].count;
}

void RemoveNodes(Subgraph& subgraph, const std::vector<bool>& is_dead) {
  size_t kept = 0;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    if (is_dead[n]) continue;
    if (kept != n) subgraph.nodes[kept] = std::move(subgraph.nodes[n]);
    ++kept;
  }
  subgraph.nodes.resize(kept);
}

bool ReplaceInputs(Subgraph& subgraph, ValueId from, ValueId to) {
  bool is_changed = false;
  for (Node& node : subgraph.nodes) {
    for (ValueId& v : node.inputs) {
      if (v != from) continue;
      v = to;
      is_changed = true;
    }
  }
  return is_changed;
}

}  // namespace munja::graph
