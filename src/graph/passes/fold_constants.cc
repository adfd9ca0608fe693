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
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"
#include "graph/side_effects.h"

namespace munja::graph::fold_constants {
namespace {

bool IsConstant(const Subgraph& subgraph, ValueId v) {
  return v != kNoValue && subgraph.values[v].constant.has_value() &&
         !subgraph.values[v].is_variable;
}

// Weights and bias that come from DEQUANTIZE of float16 constants.
bool TakeHalfWeights(Subgraph& subgraph) {
  const DefUse uses(subgraph);
  bool is_changed = false;
  for (Node& node : subgraph.nodes) {
    const LinearOp* linear = FindLinearOp(node);
    if (linear == nullptr) continue;
    for (const int i : {linear->weights, linear->bias}) {
      if (i >= static_cast<int>(node.inputs.size())) continue;
      const int producer = uses.producer(node.inputs[i]);
      if (producer == kNoNode) continue;
      const Node& dequantize = subgraph.nodes[producer];
      if (dequantize.op != "DEQUANTIZE" || dequantize.is_custom ||
          dequantize.inputs.size() != 1)
        continue;
      const ValueId half = dequantize.inputs[0];
      if (!IsConstant(subgraph, half) ||
          subgraph.values[half].type != ElementType::kFloat16)
        continue;
      node.inputs[i] = half;
      is_changed = true;
    }
  }
  return is_changed;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions& options) {
  bool is_changed = TakeHalfWeights(subgraph);
  if (!options.evaluate) return is_changed;
  const DefUse uses(subgraph);
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_folded = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const Node& node = subgraph.nodes[n];
    const auto& inputs = node.inputs;
    const bool is_constant =
        std::all_of(inputs.begin(), inputs.end(),
                    [&](ValueId v) {
                      return v == kNoValue || IsConstant(subgraph, v);
                    }) &&
        std::any_of(inputs.begin(), inputs.end(),
                    [](ValueId v) { return v != kNoValue; });
    if (!is_constant || !IsPure(subgraph, node)) continue;
    // Nobody may read it any more, after TakeHalfWeights for example.
    const bool is_read =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ValueId v) { return uses.count(v) > 0; });
    if (!is_read) continue;
    auto folded = options.evaluate(subgraph, node);
    if (!folded.ok()) continue;  // The session says later why it cannot run.
    if (folded->size() != node.outputs.size()) {
      return Internal(Describe(subgraph, n) + " was evaluated to " +
                      std::to_string(folded->size()) + " outputs");
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      Value& value = subgraph.values[node.outputs[i]];
      value.shape = (*folded)[i].shape;
      value.has_shape = true;
      value.constant = std::move((*folded)[i].data);
    }
    is_dead[n] = true;
    is_folded = true;
  }
  if (is_folded) RemoveNodes(subgraph, is_dead);
  return is_changed || is_folded;
}

}  // namespace munja::graph::fold_constants
