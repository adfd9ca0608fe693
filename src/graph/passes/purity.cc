#include "graph/passes/purity.h"

#include <algorithm>

#include "graph/op_traits.h"

namespace munja::graph {

bool HasEffects(const Subgraph& subgraph, const Node& node) {
  if (node.outputs.empty()) return true;
  if (TraitsOf(node).effect == Effect::kChange) return true;
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
    return v != kNoValue && subgraph.values[v].is_variable;
  });
}

bool IsPure(const Subgraph& subgraph, const Node& node) {
  return !node.is_custom && TraitsOf(node).effect == Effect::kNone &&
         !HasEffects(subgraph, node);
}

}  // namespace munja::graph
