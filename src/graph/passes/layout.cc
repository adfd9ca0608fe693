// Removes rearrangements that undo each other: a TRANSPOSE of a TRANSPOSE
// that gives the order of the start again, and a RESHAPE whose result only
// another RESHAPE looks at. No data changes.
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/def_use.h"

namespace munja::graph::layout {
namespace {

bool Is(const Node& node, const char* op, size_t min_inputs) {
  return !node.is_custom && node.op == op && node.inputs.size() >= min_inputs &&
         node.outputs.size() == 1 && node.inputs[0] != kNoValue;
}

// permutation `second` after `first` leaves every dimension in its place.
bool Cancel(const std::vector<int64_t>& first,
            const std::vector<int64_t>& second) {
  const auto rank = static_cast<int64_t>(first.size());
  if (first.size() != second.size()) return false;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t middle = second[i];
    if (middle < 0 || middle >= rank || first[middle] != i) return false;
  }
  return true;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);  // Only for who writes what, which stays.
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    Node& node = subgraph.nodes[n];
    const bool is_transpose = Is(node, "TRANSPOSE", 2);
    const bool is_reshape = Is(node, "RESHAPE", 1);
    if (!is_transpose && !is_reshape) continue;
    const int producer = uses.producer(node.inputs[0]);
    if (producer == kNoNode) continue;
    const Node& before = subgraph.nodes[producer];
    if (is_reshape) {
      if (!Is(before, "RESHAPE", 1)) continue;
      node.inputs[0] = before.inputs[0];
      is_changed = true;
      continue;
    }
    if (!Is(before, "TRANSPOSE", 2)) continue;
    const auto first = ReadInts(subgraph, before.inputs[1]);
    const auto second = ReadInts(subgraph, node.inputs[1]);
    if (!first || !second || !Cancel(*first, *second)) continue;
    // An output of the subgraph keeps its node: the value must be written.
    const ValueId from = node.outputs[0], to = before.inputs[0];
    if (subgraph.values[from].quantization != subgraph.values[to].quantization)
      continue;
    is_changed |= ReplaceInputs(subgraph, from, to);
  }
  return is_changed;
}

}  // namespace munja::graph::layout
