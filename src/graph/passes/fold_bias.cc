// Folds the addition or subtraction of a constant per channel after a
// convolution or a fully connected layer into its bias.
//
// Exact but for rounding: (sum + bias) + c becomes sum + (bias + c). Without a
// bias before, nothing changes but where the addition happens.
#include <vector>

#include "graph/passes/channel_operand.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"

namespace munja::graph::fold_bias {

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const Node& node = subgraph.nodes[n];
    if (node.op != "ADD" && node.op != "SUB") continue;
    auto operand = FindChannelOperand(subgraph, uses, node);
    if (!operand) continue;
    if (node.op == "SUB") {
      if (operand->is_constant_first) continue;
      for (float& x : operand->constant) x = -x;
    }
    Node& linear = subgraph.nodes[operand->producer];
    const ValueId old_id = InputOrNone(linear, operand->linear->bias);
    std::string name = subgraph.values[node.outputs[0]].name + "/bias";
    if (old_id != kNoValue) {
      const auto old = ReadFloats(subgraph, old_id);
      if (!old || old->size() != operand->constant.size()) continue;
      for (size_t c = 0; c < old->size(); ++c)
        operand->constant[c] += (*old)[c];
      name = subgraph.values[old_id].name + "/sum";
    }
    const Shape shape{static_cast<int32_t>(operand->constant.size())};
    SetInput(linear, operand->linear->bias,
             AddFloats(subgraph, std::move(name), shape, operand->constant));
    TakeOver(linear, node);
    is_dead[n] = true;
    is_changed = true;
  }
  if (is_changed) RemoveNodes(subgraph, is_dead);
  return is_changed;
}

}  // namespace munja::graph::fold_bias
