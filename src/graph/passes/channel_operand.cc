#include "graph/passes/channel_operand.h"

#include <utility>

#include "graph/rewrite/constants.h"

namespace munja::graph {

std::optional<ChannelOperand> FindChannelOperand(const Subgraph& subgraph,
                                                 const DefUse& uses,
                                                 const Node& node) {
  if (node.is_custom || node.inputs.size() != 2 || node.outputs.size() != 1)
    return std::nullopt;
  for (const int side : {0, 1}) {
    const int producer = uses.producer(node.inputs[side]);
    if (producer == kNoNode || uses.only_reader(node.inputs[side]) == kNoNode)
      continue;
    const Node& linear_node = subgraph.nodes[producer];
    const LinearOp* linear = FindFloatLinearOp(subgraph, linear_node);
    if (linear == nullptr || !HasNoActivation(linear_node)) continue;
    auto constant = ReadPerChannel(
        subgraph, node.inputs[1 - side],
        OutputChannels(subgraph, linear_node, *linear), linear->rank);
    if (!constant) continue;
    return ChannelOperand{producer, linear, std::move(*constant), side == 1};
  }
  return std::nullopt;
}

void TakeOver(Node& linear, const Node& node) {
  if (const AttributeValue* activation =
          node.attributes.Find("fused_activation_function"))
    linear.attributes.Set("fused_activation_function", *activation);
  linear.outputs = node.outputs;
}

}  // namespace munja::graph
