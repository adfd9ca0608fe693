#include "graph/rewrite/linear_op.h"

namespace munja::graph {
namespace {

bool IsConstant(const Value& value) {
  return value.constant.has_value() && !value.is_variable;
}

bool IsFloatConstant(const Value& value) {
  return IsConstant(value) && (value.type == ElementType::kFloat32 ||
                               value.type == ElementType::kFloat16);
}

bool IsInt8Constant(const Value& value) {
  return IsConstant(value) && value.type == ElementType::kInt8;
}

// The row of a node from float to float whose weights are as `are_weights`
// says.
const LinearOp* FindRealLinearOp(const Subgraph& subgraph, const Node& node,
                                 bool (*are_weights)(const Value&)) {
  const LinearOp* linear = FindLinearOp(node);
  if (linear == nullptr || node.outputs.size() != 1) return nullptr;
  const ValueId input = InputOrNone(node, linear->input);
  const ValueId weights = InputOrNone(node, linear->weights);
  const ValueId bias = InputOrNone(node, linear->bias);
  if (input == kNoValue || weights == kNoValue) return nullptr;
  const auto& values = subgraph.values;
  if (values[input].type != ElementType::kFloat32 ||
      values[node.outputs[0]].type != ElementType::kFloat32)
    return nullptr;
  if (!are_weights(values[weights]) ||
      values[weights].shape.rank() != linear->rank)
    return nullptr;
  if (bias != kNoValue && !IsFloatConstant(values[bias])) return nullptr;
  if (bias != kNoValue && values[bias].shape.elements() !=
                              values[weights].shape[linear->channel_axis])
    return nullptr;
  // Absent means DEFAULT; the other layouts are shuffled bytes.
  if (node.attributes.Has("weights_format") &&
      !TextIs(node, "weights_format", "DEFAULT"))
    return nullptr;
  return linear;
}

}  // namespace

const LinearOp* FindLinearOp(const Node& node) {
  const LinearOp& linear = TraitsOf(node).linear;
  return linear.input >= 0 ? &linear : nullptr;
}

const LinearOp* FindFloatLinearOp(const Subgraph& subgraph, const Node& node) {
  return FindRealLinearOp(subgraph, node, IsFloatConstant);
}

const LinearOp* FindHybridLinearOp(const Subgraph& subgraph, const Node& node) {
  return FindRealLinearOp(subgraph, node, IsInt8Constant);
}

int32_t OutputChannels(const Subgraph& subgraph, const Node& node,
                       const LinearOp& linear) {
  return subgraph.values[node.inputs[linear.weights]]
      .shape[linear.channel_axis];
}

bool IsPointwiseConv(const Subgraph& subgraph, const Node& node) {
  if (node.op != "CONV_2D" || FindFloatLinearOp(subgraph, node) == nullptr)
    return false;
  const Shape& weights = subgraph.values[node.inputs[1]].shape;
  for (const char* pad : {"pad_top", "pad_bottom", "pad_left", "pad_right"})
    if (!NumberIs(node, pad, 0, 0)) return false;
  return weights[1] == 1 && weights[2] == 1 &&
         NumberIs(node, "stride_h", 1, 1) && NumberIs(node, "stride_w", 1, 1);
}

}  // namespace munja::graph
