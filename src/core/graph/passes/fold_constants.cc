// Computes nodes whose inputs are all constants.
//
// DEQUANTIZE of float16 weights is not computed where the reader takes float16
// itself (convolutions, fully connected): the reader is wired to the float16
// constant, which is half the memory, and the numbers are the same because
// every float16 is a float32.
#include <algorithm>
#include <string>
#include <utility>

#include "graph/passes/pass.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"
#include "graph/side_effects.h"

namespace munja::graph::fold_constants {
namespace {

bool HasOnlyConstants(const Subgraph& subgraph, const Node& node) {
  bool has_inputs = false;
  for (const ValueId v : node.inputs) {
    if (v == kNoValue) continue;
    if (!subgraph.values[v].constant || subgraph.values[v].is_variable)
      return false;
    has_inputs = true;
  }
  return has_inputs;
}

// Weights and bias of the readers of `node`, if it makes floats of float16.
bool GiveHalves(Rewriter& rewriter, const Node& node) {
  if (!Is(node, "DEQUANTIZE", 1)) return false;
  const ValueId half = node.inputs[0], whole = node.outputs[0];
  if (rewriter.subgraph().values[half].type != ElementType::kFloat16)
    return false;
  bool is_changed = false;
  for (const Node* reader : rewriter.Readers(whole)) {
    const LinearOp* linear = FindLinearOp(*reader);
    if (linear == nullptr) continue;
    Node changed = *reader;
    for (const int i : {linear->weights, linear->bias})
      if (InputOrNone(changed, i) == whole) changed.inputs[i] = half;
    if (changed.inputs == reader->inputs) continue;
    rewriter.Replace(*reader, std::move(changed));
    is_changed = true;
  }
  return is_changed;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (!HasOnlyConstants(subgraph, node) || !IsPure(subgraph, node))
    return false;
  const bool is_changed = GiveHalves(rewriter, node);
  const auto& evaluate = rewriter.options().evaluate;
  const bool is_read =
      std::any_of(node.outputs.begin(), node.outputs.end(),
                  [&](ValueId v) { return rewriter.uses().count(v) > 0; });
  if (!is_read || !evaluate) return is_changed;
  auto folded = evaluate(subgraph, node);
  if (!folded.ok())  // The session says later why it cannot run.
    return is_changed;
  if (folded->size() != node.outputs.size()) {
    return Internal(rewriter.Describe(node) + " was evaluated to " +
                    std::to_string(folded->size()) + " outputs");
  }
  rewriter.Remove(node);
  for (size_t i = 0; i < node.outputs.size(); ++i)
    rewriter.SetConstant(node.outputs[i], (*folded)[i].shape,
                         std::move((*folded)[i].data));
  return true;
}

}  // namespace munja::graph::fold_constants
