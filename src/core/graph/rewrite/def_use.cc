#include "graph/rewrite/def_use.h"

namespace munja::graph {

DefUse::DefUse(const Subgraph& subgraph) : rows_(subgraph.values.size()) {
  for (size_t n = 0; n < subgraph.nodes.size(); ++n)
    Add(static_cast<int>(n), subgraph.nodes[n]);
  for (const ValueId v : subgraph.outputs) {
    ++rows_[v].count;
    rows_[v].readers += kNoNode;
  }
}

DefUse::Row& DefUse::Grow(ValueId v) {
  if (static_cast<size_t>(v) >= rows_.size()) rows_.resize(v + 1);
  return rows_[v];
}

void DefUse::Count(int n, const Node& node, int times) {
  for (const auto* list : {&node.inputs, &node.intermediates}) {
    for (const ValueId v : *list) {
      if (v == kNoValue) continue;
      Row& row = Grow(v);
      row.count += times;
      row.readers += int64_t{times} * n;
    }
  }
  for (const ValueId v : node.outputs)
    if (v != kNoValue) Grow(v).producer = times > 0 ? n : kNoNode;
}

}  // namespace munja::graph
