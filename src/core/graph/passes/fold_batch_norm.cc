// Folds a multiplication or division by a constant per channel after a
// convolution or a fully connected layer into its weights and bias.
//
// Exact but for rounding: sum(w * x) * s becomes sum((w * s) * x), where each
// product is rounded once more or less than before. float16 weights become
// float32, since w * s need not be a float16.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/channel_operand.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"

namespace munja::graph::fold_batch_norm {
namespace {

bool AreFinite(const std::vector<float>& data) {
  for (const float x : data)
    if (!std::isfinite(x)) return false;
  return true;
}

// The scale of each channel; false when there is no such thing.
bool FindScale(const Node& node, ChannelOperand* operand) {
  if (node.op == "MUL") return true;
  if (operand->is_constant_first) return false;
  for (float& x : operand->constant) x = 1.0f / x;
  return true;
}

// False, and no change, when a product leaves the range of float.
bool Scale(Rewriter& rewriter, const ChannelOperand& operand, Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  const ValueId weights_id = node.inputs[operand.linear->weights];
  const ValueId bias_id = InputOrNone(node, operand.linear->bias);
  auto weights = ReadFloats(subgraph, weights_id);
  if (!weights) return false;
  const Shape shape = subgraph.values[weights_id].shape;
  const size_t channels = operand.constant.size();
  // Weights of one output are `inner` neighbors, `channels` of them in turn.
  const size_t inner = static_cast<size_t>(
      shape.elements(operand.linear->channel_axis + 1, shape.rank()));
  for (size_t i = 0; i < weights->size(); ++i)
    (*weights)[i] *= operand.constant[i / inner % channels];
  std::vector<float> bias;
  if (bias_id != kNoValue) {
    auto old = ReadFloats(subgraph, bias_id);
    if (!old || old->size() != channels) return false;
    bias = std::move(*old);
    for (size_t c = 0; c < channels; ++c) bias[c] *= operand.constant[c];
  }
  if (!AreFinite(operand.constant) || !AreFinite(*weights) || !AreFinite(bias))
    return false;
  node.inputs[operand.linear->weights] = rewriter.AddFloats(
      subgraph.values[weights_id].name + "/scaled", shape, *weights);
  if (bias_id != kNoValue)
    node.inputs[operand.linear->bias] =
        rewriter.AddFloats(subgraph.values[bias_id].name + "/scaled",
                           Shape{static_cast<int32_t>(channels)}, bias);
  return true;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  if (node.op != "MUL" && node.op != "DIV") return false;
  auto operand = FindChannelOperand(rewriter, node);
  // The bias after the convolution is multiplied too.
  if (!operand || HasResidual(*operand->node) || !FindScale(node, &*operand))
    return false;
  Node linear = *operand->node;
  if (!Scale(rewriter, *operand, linear)) return false;
  CopyActivation(node, linear);
  rewriter.Merge(*operand->node, std::move(linear), node);
  return true;
}

}  // namespace munja::graph::fold_batch_norm
