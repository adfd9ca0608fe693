// Removes nodes whose results reach no output.
//
// A node stays when it has an effect beyond its results: it touches a
// variable, a resource or another subgraph, or it has no results at all.
#include <algorithm>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/side_effects.h"

namespace munja::graph::dead_code {

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  std::vector<bool> is_needed(subgraph.values.size());
  for (const ValueId v : subgraph.outputs) is_needed[v] = true;
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_changed = false;
  for (size_t n = subgraph.nodes.size(); n-- > 0;) {
    const Node& node = subgraph.nodes[n];
    const bool is_used =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ValueId v) { return v != kNoValue && is_needed[v]; });
    if (!is_used && !HasSideEffects(subgraph, node)) {
      is_dead[n] = true;
      is_changed = true;
      continue;
    }
    for (const ValueId v : node.inputs)
      if (v != kNoValue) is_needed[v] = true;
  }
  if (is_changed) RemoveNodes(subgraph, is_dead);
  return is_changed;
}

}  // namespace munja::graph::dead_code
