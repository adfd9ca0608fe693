#include "graph/passes/channel_operand.h"

#include <utility>

#include "graph/rewrite/constants.h"

namespace munja::graph {

std::optional<ChannelOperand> FindChannelOperand(const Rewriter& rewriter,
                                                 const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (!Is(node, node.op, 2)) return std::nullopt;
  for (const int side : {0, 1}) {
    const Node* before = rewriter.OnlyProducer(node.inputs[side]);
    if (before == nullptr) continue;
    const LinearOp* linear = FindFloatLinearOp(subgraph, *before);
    if (linear == nullptr || !HasNoActivation(*before)) continue;
    auto constant = ReadPerChannel(subgraph, node.inputs[1 - side],
                                   OutputChannels(subgraph, *before, *linear),
                                   linear->rank);
    if (!constant) continue;
    return ChannelOperand{before, linear, std::move(*constant), side == 1};
  }
  return std::nullopt;
}

}  // namespace munja::graph
