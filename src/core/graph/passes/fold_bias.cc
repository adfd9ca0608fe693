// Folds the addition or subtraction of a constant per channel after a
// convolution or a fully connected layer into its bias.
//
// Exact but for rounding: (sum + bias) + c becomes sum + (bias + c). Without a
// bias before, nothing changes but where the addition happens.
#include <string>
#include <utility>

#include "graph/passes/channel_operand.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"

namespace munja::graph::fold_bias {

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (node.op != "ADD" && node.op != "SUB") return false;
  auto operand = FindChannelOperand(rewriter, node);
  if (!operand) return false;
  if (node.op == "SUB") {
    if (operand->is_constant_first) return false;
    for (float& x : operand->constant) x = -x;
  }
  Node linear = *operand->node;
  const ValueId old_id = InputOrNone(linear, operand->linear->bias);
  std::string name = subgraph.values[node.outputs[0]].name + "/bias";
  if (old_id != kNoValue) {
    const auto old = ReadFloats(subgraph, old_id);
    if (!old || old->size() != operand->constant.size()) return false;
    for (size_t c = 0; c < old->size(); ++c) operand->constant[c] += (*old)[c];
    name = subgraph.values[old_id].name + "/sum";
  }
  const Shape shape{static_cast<int32_t>(operand->constant.size())};
  SetInput(linear, operand->linear->bias,
           rewriter.AddFloats(std::move(name), shape, operand->constant));
  CopyActivation(node, linear);
  rewriter.Merge(*operand->node, std::move(linear), node);
  return true;
}

}  // namespace munja::graph::fold_bias
