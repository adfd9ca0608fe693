// Removes rearrangements that undo each other: a TRANSPOSE of a TRANSPOSE
// that gives the order of the start again, and a RESHAPE whose result only
// another RESHAPE looks at. No data changes.
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/match.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::layout {
namespace {

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

bool IsReshape(const Node& node) {
  return Is(node, "RESHAPE", 1) || Is(node, "RESHAPE", 2);
}

// The value that two transpositions before v leave as it was.
ValueId FindTransposed(const Rewriter& rewriter, ValueId v) {
  const Subgraph& subgraph = rewriter.subgraph();
  const Node* last = rewriter.Producer(v);
  if (last == nullptr || !Is(*last, "TRANSPOSE", 2)) return kNoValue;
  const Node* before = rewriter.Producer(last->inputs[0]);
  if (before == nullptr || !Is(*before, "TRANSPOSE", 2)) return kNoValue;
  const auto first = ReadInts(subgraph, before->inputs[1]);
  const auto second = ReadInts(subgraph, last->inputs[1]);
  if (!first || !second || !Cancel(*first, *second)) return kNoValue;
  const ValueId x = before->inputs[0];
  return subgraph.values[v].quantization == subgraph.values[x].quantization
             ? x
             : kNoValue;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  bool is_changed = false;
  // An output of the subgraph keeps its node: the value must be written.
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    ValueId from = FindTransposed(rewriter, node.inputs[i]);
    if (i == 0 && IsReshape(node)) {
      const Node* before = rewriter.Producer(node.inputs[0]);
      if (before != nullptr && IsReshape(*before)) from = before->inputs[0];
    }
    if (from == kNoValue) continue;
    Node changed = node;
    changed.inputs[i] = from;
    rewriter.Replace(node, std::move(changed));
    is_changed = true;
  }
  return is_changed;
}

}  // namespace munja::graph::layout
