#include "graph/side_effects.h"

#include <algorithm>

#include "graph/op_traits.h"

namespace munja::graph {

bool HasSideEffects(const Subgraph& subgraph, const Node& node) {
  if (node.outputs.empty()) return true;
  if (TraitsOf(node).effect == Effect::kChange) return true;
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
    return v != kNoValue && subgraph.values[v].is_variable;
  });
}

bool IsPure(const Subgraph& subgraph, const Node& node) {
  return !node.is_custom && TraitsOf(node).effect == Effect::kNone &&
         !HasSideEffects(subgraph, node);
}

}  // namespace munja::graph
