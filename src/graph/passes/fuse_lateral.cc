// Lets a 1x1 convolution do what feature pyramids do with its result:
//   MUL(CONV_2D(x), gate)                          one number for each channel
//   ADD(CONV_2D(x), RESIZE_NEAREST_NEIGHBOR(y, size))
// or both become LATERAL_CONV_2D(x, weights, bias, gate, y, size), an operator
// of this project. The gate scales the weights instead of the image, and the
// resized level is never written. The operator takes over the activation.
//
// The same numbers are multiplied and added; rounding differs.
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/symbolic_shapes.h"

namespace munja::graph::fuse_lateral {
namespace {

constexpr const char* kLateral = "LATERAL_CONV_2D";
constexpr int kGate = 3, kLevel = 4, kSize = 5;

bool IsFloat(const Subgraph& subgraph, ValueId v) {
  return v != kNoValue && subgraph.values[v].type == ElementType::kFloat32;
}

bool IsBinary(const Subgraph& subgraph, const Node& node, const char* op) {
  return !node.is_custom && node.op == op && node.inputs.size() == 2 &&
         node.outputs.size() == 1 && IsFloat(subgraph, node.outputs[0]) &&
         IsFloat(subgraph, node.inputs[0]) && IsFloat(subgraph, node.inputs[1]);
}

// The node, as LATERAL_CONV_2D: a convolution loses the attributes of its
// window, which say nothing.
Node AsLateral(const Node& node) {
  if (node.op == kLateral) return node;
  Node lateral = node;
  lateral.op = kLateral;
  lateral.version = 1;
  lateral.attributes = Attributes();
  return lateral;
}

class Fuser {
 public:
  explicit Fuser(Subgraph& subgraph)
      : subgraph_(subgraph),
        uses_(subgraph),
        shapes_(subgraph),
        is_dead_(subgraph.nodes.size()) {}

  bool Run() {
    bool is_changed = false;
    for (Node& node : subgraph_.nodes) {
      for (const int side : {0, 1}) {
        if (!TakeGate(node, side) && !TakeLevel(node, side)) continue;
        is_changed = true;
        break;
      }
    }
    if (is_changed) RemoveNodes(subgraph_, is_dead_);
    return is_changed;
  }

 private:
  // The 1x1 convolution whose result the node alone reads on that side, and
  // whose input `last` is free; kNoNode otherwise.
  int FindConv(const Node& node, int side, int last) const {
    const ValueId v = node.inputs[side];
    const int producer = uses_.producer(v);
    if (producer == kNoNode || is_dead_[producer] ||
        uses_.only_reader(v) == kNoNode)
      return kNoNode;
    const Node& conv = subgraph_.nodes[producer];
    const bool is_lateral = !conv.is_custom && conv.op == kLateral;
    if (!HasNoActivation(conv) || InputOrNone(conv, last) != kNoValue)
      return kNoNode;
    if (is_lateral) return producer;
    return IsPointwiseConv(subgraph_, conv) && !HasResidual(conv) &&
                   HasOneGroup(conv)
               ? producer
               : kNoNode;
  }

  bool HasOneGroup(const Node& conv) const {
    const auto channels = shapes_.Channels(conv.inputs[0]);
    return channels && *channels == subgraph_.values[conv.inputs[1]].shape[3];
  }

  bool TakeGate(Node& node, int side) {
    if (!IsBinary(subgraph_, node, "MUL") || !HasNoActivation(node))
      return false;
    const int found = FindConv(node, side, kGate);
    const ValueId gate = node.inputs[1 - side];
    if (found == kNoNode ||
        InputOrNone(subgraph_.nodes[found], kLevel) != kNoValue ||
        !shapes_.IsPerChannel(gate, node.inputs[side]))
      return false;
    Node lateral = AsLateral(subgraph_.nodes[found]);
    SetInput(lateral, kGate, gate);
    Replace(node, found, std::move(lateral));
    return true;
  }

  bool TakeLevel(Node& node, int side) {
    if (!IsBinary(subgraph_, node, "ADD")) return false;
    const int found = FindConv(node, side, kLevel);
    const int producer = uses_.producer(node.inputs[1 - side]);
    if (found == kNoNode || producer == kNoNode || is_dead_[producer] ||
        uses_.only_reader(node.inputs[1 - side]) == kNoNode)
      return false;
    const Node& resize = subgraph_.nodes[producer];
    if (resize.is_custom || resize.op != "RESIZE_NEAREST_NEIGHBOR" ||
        resize.inputs.size() != 2 || !IsFloat(subgraph_, resize.inputs[0]) ||
        resize.inputs[1] == kNoValue ||
        shapes_.Channels(resize.inputs[0]) !=
            shapes_.Channels(node.inputs[side]))
      return false;
    Node lateral = AsLateral(subgraph_.nodes[found]);
    SetInput(lateral, kLevel, resize.inputs[0]);
    SetInput(lateral, kSize, resize.inputs[1]);
    for (const char* name : {"align_corners", "half_pixel_centers"})
      if (const AttributeValue* value = resize.attributes.Find(name))
        lateral.attributes.Set(name, *value);
    if (const AttributeValue* activation =
            node.attributes.Find("fused_activation_function"))
      lateral.attributes.Set("fused_activation_function", *activation);
    is_dead_[producer] = true;
    Replace(node, found, std::move(lateral));
    return true;
  }

  // In the place of the later node, where all operands are there.
  void Replace(Node& node, int conv, Node lateral) {
    lateral.outputs = node.outputs;
    node = std::move(lateral);
    is_dead_[conv] = true;
  }

  Subgraph& subgraph_;
  const DefUse uses_;
  const SymbolicShapes shapes_;
  std::vector<bool> is_dead_;
};

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions& options) {
  if (options.has_op && !options.has_op(kLateral)) return false;
  return Fuser(subgraph).Run();
}

}  // namespace munja::graph::fuse_lateral
