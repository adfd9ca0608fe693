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
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph::fold_input_affine {
namespace {

// x * number or x + number, and where x comes from.
struct Step {
  bool is_product;
  ValueId x;
  float number;
};

std::optional<Step> FindStep(const Subgraph& subgraph, const Node& node) {
  const bool is_product = node.op == "MUL" || node.op == "DIV";
  const bool is_inverse = node.op == "DIV" || node.op == "SUB";
  if (node.is_custom || !(is_product || node.op == "ADD" || node.op == "SUB") ||
      node.inputs.size() != 2 || node.outputs.size() != 1 ||
      !HasNoActivation(node))
    return std::nullopt;
  for (const int side : {1, 0}) {
    const ValueId x = node.inputs[1 - side];
    if (x == kNoValue || (is_inverse && side == 0) ||
        subgraph.values[x].type != ElementType::kFloat32)
      continue;
    auto number = ReadScalar(subgraph, node.inputs[side], x);
    if (!number) continue;
    if (is_inverse) number = is_product ? 1 / *number : -*number;
    if (!std::isfinite(*number)) continue;
    return Step{is_product, x, *number};
  }
  return std::nullopt;
}

// No output looks at padding, whatever the input size.
bool PadsNothing(const Node& node, const Shape& weights) {
  if (node.op == "FULLY_CONNECTED") return true;
  if (node.op == "TRANSPOSE_CONV") return false;
  const AttributeValue* padding = node.attributes.Find("padding");
  if (padding == nullptr) return false;
  if (*padding == AttributeValue(std::string("VALID"))) return true;
  return *padding == AttributeValue(std::string("SAME")) && weights[1] == 1 &&
         weights[2] == 1;
}

bool ScaleWeights(Subgraph& subgraph, Node& node, const LinearOp& linear,
                  float scale) {
  const ValueId id = node.inputs[linear.weights];
  auto weights = ReadFloats(subgraph, id);
  if (!weights) return false;
  for (float& w : *weights) {
    w *= scale;
    if (!std::isfinite(w)) return false;
  }
  const std::string name = subgraph.values[id].name + "/scaled";
  const Shape shape = subgraph.values[id].shape;
  node.inputs[linear.weights] = AddFloats(subgraph, name, shape, *weights);
  return true;
}

// bias[o] += number * sum of the weights of o
bool ShiftBias(Subgraph& subgraph, Node& node, const LinearOp& linear,
               float number) {
  const ValueId weights_id = node.inputs[linear.weights];
  const ValueId bias_id = InputOrNone(node, linear.bias);
  const auto weights = ReadFloats(subgraph, weights_id);
  const Shape shape = subgraph.values[weights_id].shape;
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
  const std::string name =
      subgraph.values[bias_id != kNoValue ? bias_id : weights_id].name;
  SetInput(node, linear.bias,
           AddFloats(subgraph, name + "/shifted",
                     Shape{static_cast<int32_t>(channels)}, bias));
  return true;
}

class Folder {
 public:
  explicit Folder(Subgraph& subgraph)
      : subgraph_(subgraph), uses_(subgraph), is_dead_(subgraph.nodes.size()) {}

  bool Run() {
    bool is_changed = false;
    for (size_t n = 0; n < is_dead_.size(); ++n)
      while (FoldOne(subgraph_.nodes[n])) is_changed = true;
    if (is_changed) RemoveNodes(subgraph_, is_dead_);
    return is_changed;
  }

 private:
  // The number of the node that writes v, if it is read once only.
  int Inner(ValueId v) const {
    return uses_.only_reader(v) == kNoNode ? kNoNode : uses_.producer(v);
  }

  bool FoldOne(Node& node) {
    const LinearOp* linear = FindFloatLinearOp(subgraph_, node);
    if (linear == nullptr) return false;
    const int producer = Inner(node.inputs[linear->input]);
    if (producer == kNoNode) return false;
    const auto step = FindStep(subgraph_, subgraph_.nodes[producer]);
    if (!step) return false;
    if (!step->is_product &&
        !PadsNothing(node,
                     subgraph_.values[node.inputs[linear->weights]].shape))
      return SwapAndFold(node, *linear, subgraph_.nodes[producer], *step);
    const bool is_folded =
        step->is_product ? ScaleWeights(subgraph_, node, *linear, step->number)
                         : ShiftBias(subgraph_, node, *linear, step->number);
    if (!is_folded) return false;
    node.inputs[linear->input] = step->x;
    is_dead_[producer] = true;
    return true;
  }

  // The shift stays; a scale before it moves past it into the weights.
  bool SwapAndFold(Node& node, const LinearOp& linear, Node& add,
                   const Step& shift) {
    const int product = Inner(shift.x);
    if (product == kNoNode) return false;
    const auto scale = FindStep(subgraph_, subgraph_.nodes[product]);
    if (!scale || !scale->is_product) return false;
    const float number = shift.number / scale->number;
    if (!std::isfinite(number)) return false;
    if (!ScaleWeights(subgraph_, node, linear, scale->number)) return false;
    const std::string name = subgraph_.values[add.outputs[0]].name + "/shift";
    const ValueId constant = AddFloats(subgraph_, name, Shape{1}, {number});
    add.op = "ADD";
    add.version = 1;
    add.inputs = {scale->x, constant};
    is_dead_[product] = true;
    return true;
  }

  Subgraph& subgraph_;
  const DefUse uses_;
  std::vector<bool> is_dead_;
};

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  return Folder(subgraph).Run();
}

}  // namespace munja::graph::fold_input_affine
