#include "import/shapes/shape_inference.h"

#include "import/ir/bodies.h"

#include <algorithm>
#include <string>
#include <utility>

#include "import/direct.h"
#include "import/shapes/infer_rules.h"

namespace munja::importer {
namespace {

using Infos = std::span<const ValueInfo>;
using Rule = Result<std::vector<ValueInfo>> (*)(const Node&, Infos);

struct RuleRow {
  std::string_view op;
  size_t min_inputs, max_inputs;
  Rule rule;
};

constexpr size_t kMany = 1 << 16;

// Sorted by purpose; the list is short enough to search in a row.
constexpr RuleRow kRules[] = {
    // Element by element. Attributes: LeakyRelu alpha; HardSigmoid and
    // HardSwish alpha, beta (clamp(alpha * x + beta, 0, 1)); Clip min, max;
    // Gelu approximate (1: the tanh formula); FakeQuantize scale, zero, min,
    // max (to the nearest dequantized value of an integer from min to max).
    {"Relu", 1, 1, InferSame},
    {"LeakyRelu", 1, 1, InferSame},
    {"PRelu", 2, 2, InferPRelu},
    {"Elu", 1, 1, InferSame},
    {"Sigmoid", 1, 1, InferSame},
    {"Tanh", 1, 1, InferSame},
    {"Exp", 1, 1, InferSame},
    {"Log", 1, 1, InferSame},
    {"Sqrt", 1, 1, InferSame},
    {"Rsqrt", 1, 1, InferSame},
    {"Square", 1, 1, InferSame},
    {"Reciprocal", 1, 1, InferSame},
    {"Abs", 1, 1, InferSame},
    {"Neg", 1, 1, InferSame},
    {"Floor", 1, 1, InferSame},
    {"Ceil", 1, 1, InferSame},
    {"Sin", 1, 1, InferSame},
    {"Cos", 1, 1, InferSame},
    {"Erf", 1, 1, InferSame},
    {"HardSigmoid", 1, 1, InferSame},
    {"HardSwish", 1, 1, InferSame},
    {"Gelu", 1, 1, InferSame},
    {"Clip", 1, 1, InferSame},
    {"FakeQuantize", 1, 1, InferSame},
    {"Identity", 1, 1, InferSame},
    // A copy in a tensor of its own: an output of the model.
    {"Copy", 1, 1, InferSame},
    // Attribute to_integer (1: integers, 0: floats).
    {"Cast", 1, 1, InferCast},
    // Two inputs, broadcast from the right.
    {"Add", 2, 2, InferBroadcast},
    {"Sub", 2, 2, InferBroadcast},
    {"Mul", 2, 2, InferBroadcast},
    {"Div", 2, 2, InferBroadcast},
    {"Max", 2, 2, InferBroadcast},
    {"Min", 2, 2, InferBroadcast},
    {"Pow", 2, 2, InferBroadcast},
    // Attributes axes (empty: all), keepdims.
    {"ReduceMean", 1, 1, InferReduce},
    {"ReduceSum", 1, 1, InferReduce},
    {"ReduceMax", 1, 1, InferReduce},
    {"ReduceMin", 1, 1, InferReduce},
    // Attributes axis, keepdims: the index of the first maximum, an integer.
    {"ArgMax", 1, 1, InferArgMax},
    // Attribute axis.
    {"Softmax", 1, 1, InferSoftmax},
    // x, scale, bias, mean, variance (each [C]); attribute epsilon.
    {"BatchNormalization", 5, 5, InferBatchNorm},
    // x, scale, bias (bias optional), over the axes from `axis` to the last;
    // attribute epsilon.
    {"LayerNormalization", 2, 3, InferLayerNorm},
    // Windows: see window.h. Conv: x, weights [O, I/group, kh, kw], bias [O];
    // ConvTranspose: x, weights [I, O, kh, kw], bias [O], attribute
    // output_padding [2]. AveragePool: count_include_pad.
    {"Conv", 2, 3, InferConv},
    {"ConvTranspose", 2, 3, InferConvTranspose},
    {"MaxPool", 1, 1, InferPool},
    {"AveragePool", 1, 1, InferPool},
    {"MatMul", 2, 2, InferMatMul},
    // Attributes mode (nearest, linear), coordinates (asymmetric, half_pixel,
    // align_corners), rounding (floor, round_prefer_floor, round_prefer_ceil;
    // nearest only), and scales [2] or sizes [2] for height and width.
    {"Resize", 1, 1, InferResize},
    // x [steps, batch, in], weights [D, 4 * hidden, in], recurrent weights
    // [D, 4 * hidden, hidden], biases [D, 8 * hidden] (of either, optional) ->
    // [steps, batch, D * hidden]. Gates: input, output, forget, content. D = 2:
    // forward and backward; attribute reverse: the one direction is backward.
    {"LSTM", 3, 4, InferLstm},
    // Attribute blocksize: element (by * block + bx) * C + c of the channels
    // goes to row by and column bx of its block, channel c.
    {"DepthToSpace", 1, 1, InferDepthToSpace},
    // Movement. Concat axis; Split axis, sizes; Slice axes, starts, ends,
    // steps; Squeeze and Unsqueeze axes; Reshape shape (0: as in the input,
    // -1: the rest); Transpose perm; Pad pads [2 * rank], value, mode; Gather
    // axis, second input the indices.
    {"Concat", 1, kMany, InferConcat},
    {"Split", 1, 1, InferSplit},
    {"Slice", 1, 1, InferSlice},
    {"Squeeze", 1, 1, InferSqueeze},
    {"Unsqueeze", 1, 1, InferUnsqueeze},
    {"Reshape", 1, 1, InferReshape},
    {"Transpose", 1, 1, InferTranspose},
    {"Pad", 1, 1, InferPad},
    {"Gather", 2, 2, InferGather},
    {"Shape", 1, 1, InferShape},
};

const RuleRow* FindRule(std::string_view op) {
  for (const RuleRow& row : kRules)
    if (row.op == op) return &row;
  return nullptr;
}

}  // namespace

bool IsKnownOp(std::string_view op) { return FindRule(op) != nullptr; }

namespace {

Result<std::vector<ValueInfo>> ApplyRule(const Node& node, Infos inputs) {
  if (node.direct != nullptr) return InferDirect(node, inputs);
  const RuleRow* row = FindRule(node.op);
  if (row == nullptr) return Unsupported("operator ", node.op);
  if (inputs.size() < row->min_inputs || inputs.size() > row->max_inputs)
    return Malformed("it has ", inputs.size(), " inputs");
  for (size_t i = 0; i < row->min_inputs; ++i)
    if (!inputs[i].present) return Malformed("it lacks input ", i);
  MUNJA_ASSIGN_OR_RETURN(std::vector<ValueInfo> outputs,
                         row->rule(node, inputs));
  // Integers keep the type of what they are taken from.
  for (ValueInfo& out : outputs) {
    if (!out.is_integer)
      out.type = ElementType::kFloat32;
    else if (out.type == ElementType::kFloat32)
      out.type = inputs[0].is_integer && node.op != "Shape"
                     ? inputs[0].type
                     : ElementType::kInt64;
  }
  return outputs;
}

}  // namespace

Result<std::vector<ValueInfo>> InferNode(const Node& node, Infos inputs) {
  if (!node.bodies.empty()) return InferControl(node).With(node);
  MUNJA_ASSIGN_OR_RETURN(std::vector<ValueInfo> outputs,
                         ApplyRule(node, inputs).With(node));
  for (const ValueInfo& out : outputs) {
    if (out.shape.size() > 8)
      return Unsupported(node, ": more than 8 dimensions");
    for (const int64_t d : out.shape)
      if (d > kMaxElements)
        return OutOfMemory(node, ": output of shape ", ToString(out.shape),
                           " is too large");
    if (IsStatic(out.shape))
      MUNJA_RETURN_IF_ERROR(CountElements(out.shape).With(node).TakeStatus());
  }
  return outputs;
}

}  // namespace munja::importer
