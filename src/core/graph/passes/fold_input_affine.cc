// Folds a multiplication by a number in front of a convolution or a fully
// connected layer into its weights, and an addition of a number into its
// bias. (Networks of the PP-LCNet family scale and shift after every
// activation.)
//
// With padding an addition must stay, since the zeros around the image are not
// shifted; of both, s * x + b becomes s * (x + b / s), and s goes into the
// weights. Exact but for rounding. float16 weights become float32.
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fold_input_affine {
namespace {

// x * number or x + number, and where x comes from.
struct Step {
  bool is_product;
  ValueId x;
  float number;
};

std::optional<Step> FindStep(const Subgraph& subgraph, const Node& node) {
  const bool is_product = Is(node, "MUL", 2) || Is(node, "DIV", 2);
  const bool is_inverse = Is(node, "DIV", 2) || Is(node, "SUB", 2);
  if (!(is_product || is_inverse || Is(node, "ADD", 2)) ||
      !HasNoActivation(node))
    return std::nullopt;
  const auto operand = FindScalar(subgraph, node);
  if (!operand || (is_inverse && operand->is_scalar_first) ||
      !IsFloat(subgraph, operand->other))
    return std::nullopt;
  auto number = static_cast<float>(operand->scalar);
  if (is_inverse) number = is_product ? 1 / number : -number;
  if (!std::isfinite(number)) return std::nullopt;
  return Step{is_product, operand->other, number};
}

// No output looks at padding, whatever the input size.
bool PadsNothing(const Node& node, const Shape& weights) {
  if (node.op == "FULLY_CONNECTED") return true;
  if (node.op == "TRANSPOSE_CONV") return false;
  return TextIs(node, "padding", "VALID") ||
         (TextIs(node, "padding", "SAME") && weights[1] == 1 &&
          weights[2] == 1);
}

bool ScaleWeights(Rewriter& rewriter, const LinearOp& linear, float scale,
                  Node& node) {
  const ValueId id = node.inputs[linear.weights];
  auto weights = ReadFloats(rewriter.subgraph(), id);
  if (!weights) return false;
  for (float& w : *weights) {
    w *= scale;
    if (!std::isfinite(w)) return false;
  }
  const Value& old = rewriter.subgraph().values[id];
  const Shape shape = old.shape;
  node.inputs[linear.weights] =
      rewriter.AddFloats(old.name + "/scaled", shape, *weights);
  return true;
}

// bias[o] += number * sum of the weights of o
bool ShiftBias(Rewriter& rewriter, const LinearOp& linear, float number,
               Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  const ValueId weights_id = node.inputs[linear.weights];
  const ValueId bias_id = InputOrNone(node, linear.bias);
  const auto weights = ReadFloats(subgraph, weights_id);
  const Shape& shape = subgraph.values[weights_id].shape;
  const size_t channels = shape[linear.channel_axis];
  std::vector<float> bias(channels);
  if (bias_id != kNoValue) {
    auto old = ReadFloats(subgraph, bias_id);
    if (!old || old->size() != channels) return false;
    bias = std::move(*old);
  }
  if (!weights) return false;
  const size_t inner = static_cast<size_t>(
      shape.elements(linear.channel_axis + 1, shape.rank()));
  std::vector<double> sums(channels);
  for (size_t i = 0; i < weights->size(); ++i)
    sums[i / inner % channels] += (*weights)[i];
  for (size_t c = 0; c < channels; ++c) {
    bias[c] = static_cast<float>(bias[c] + sums[c] * number);
    if (!std::isfinite(bias[c])) return false;
  }
  const ValueId named = bias_id != kNoValue ? bias_id : weights_id;
  SetInput(node, linear.bias,
           rewriter.AddFloats(subgraph.values[named].name + "/shifted",
                              Shape{static_cast<int32_t>(channels)}, bias));
  return true;
}

// `add` stays before the node; a product before it moves past it into the
// weights.
bool SwapAndFold(Rewriter& rewriter, const Node& node, const LinearOp& linear,
                 const Node& add, const Step& shift) {
  const Node* product = rewriter.OnlyProducer(shift.x);
  if (product == nullptr) return false;
  const auto scale = FindStep(rewriter.subgraph(), *product);
  if (!scale || !scale->is_product) return false;
  const float number = shift.number / scale->number;
  Node folded = node, swapped = add;
  if (!std::isfinite(number) ||
      !ScaleWeights(rewriter, linear, scale->number, folded))
    return false;
  const std::string name =
      rewriter.subgraph().values[add.outputs[0]].name + "/shift";
  swapped.op = "ADD";
  swapped.version = 1;
  swapped.inputs = {scale->x, rewriter.AddFloats(name, Shape{1}, {number})};
  rewriter.Replace(add, std::move(swapped));
  rewriter.Replace(node, std::move(folded));
  return true;
}

bool FoldOne(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  const LinearOp* linear = FindFloatLinearOp(subgraph, node);
  if (linear == nullptr) return false;
  const Node* before = rewriter.OnlyProducer(node.inputs[linear->input]);
  const auto step =
      before == nullptr ? std::nullopt : FindStep(subgraph, *before);
  if (!step) return false;
  const Shape& weights = subgraph.values[node.inputs[linear->weights]].shape;
  if (!step->is_product && !PadsNothing(node, weights))
    return SwapAndFold(rewriter, node, *linear, *before, *step);
  Node folded = node;
  const bool is_folded =
      step->is_product ? ScaleWeights(rewriter, *linear, step->number, folded)
                       : ShiftBias(rewriter, *linear, step->number, folded);
  if (!is_folded) return false;
  folded.inputs[linear->input] = step->x;
  rewriter.Replace(node, std::move(folded));
  return true;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  bool is_changed = false;
  while (FoldOne(rewriter, node)) is_changed = true;
  return is_changed;
}

}  // namespace munja::graph::fold_input_affine
