// Lets a 1x1 convolution do what feature pyramids do with its result:
//   MUL(CONV_2D(x), gate)                          one number for each channel
//   ADD(CONV_2D(x), RESIZE_NEAREST_NEIGHBOR(y, size))
// or both become LATERAL_CONV_2D(x, weights, bias, gate, y, size), an operator
// of this project. The gate scales the weights instead of the image, and the
// resized level is never written. The operator takes over the activation.
//
// The same numbers are multiplied and added; rounding differs.
#include <utility>

#include "graph/passes/pass.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_lateral {
namespace {

constexpr const char* kLateral = "LATERAL_CONV_2D";
constexpr int kGate = 3, kLevel = 4, kSize = 5;

// The node, as LATERAL_CONV_2D: a convolution loses the attributes of its
// window, which say nothing.
Node AsLateral(const Node& node) {
  Node lateral = node;
  if (node.op == kLateral) return lateral;
  lateral.op = kLateral;
  lateral.version = 1;
  lateral.attributes = Attributes();
  return lateral;
}

bool HasOneGroup(Rewriter& rewriter, const Node& conv) {
  const auto channels = rewriter.shapes().Channels(conv.inputs[0]);
  return channels &&
         *channels == rewriter.subgraph().values[conv.inputs[1]].shape[3];
}

// The 1x1 convolution that writes v for the node alone, and whose input `last`
// is free; null otherwise.
const Node* FindConv(Rewriter& rewriter, ValueId v, int last) {
  const Node* conv = rewriter.OnlyProducer(v);
  if (conv == nullptr || !HasNoActivation(*conv) ||
      InputOrNone(*conv, last) != kNoValue)
    return nullptr;
  if (Is(*conv, kLateral)) return conv;
  return IsPointwiseConv(rewriter.subgraph(), *conv) && !HasResidual(*conv) &&
                 HasOneGroup(rewriter, *conv)
             ? conv
             : nullptr;
}

bool TakeGate(Rewriter& rewriter, const Node& node, int side) {
  if (node.op != "MUL" || !HasNoActivation(node)) return false;
  const Node* conv = FindConv(rewriter, node.inputs[side], kGate);
  const ValueId gate = node.inputs[1 - side];
  if (conv == nullptr || InputOrNone(*conv, kLevel) != kNoValue ||
      !rewriter.shapes().IsPerChannel(gate, node.inputs[side]))
    return false;
  Node lateral = AsLateral(*conv);
  SetInput(lateral, kGate, gate);
  lateral.outputs = node.outputs;
  rewriter.Replace(node, std::move(lateral));
  return true;
}

bool TakeLevel(Rewriter& rewriter, const Node& node, int side) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (node.op != "ADD") return false;
  const Node* conv = FindConv(rewriter, node.inputs[side], kLevel);
  const Node* resize = rewriter.OnlyProducer(node.inputs[1 - side]);
  if (conv == nullptr || resize == nullptr ||
      !Is(*resize, "RESIZE_NEAREST_NEIGHBOR", 2) ||
      !IsFloat(subgraph, resize->inputs[0]) ||
      rewriter.shapes().Channels(resize->inputs[0]) !=
          rewriter.shapes().Channels(node.inputs[side]))
    return false;
  Node lateral = AsLateral(*conv);
  SetInput(lateral, kLevel, resize->inputs[0]);
  SetInput(lateral, kSize, resize->inputs[1]);
  for (const char* name : {"align_corners", "half_pixel_centers"})
    CopyAttribute(*resize, name, lateral);
  CopyActivation(node, lateral);
  lateral.outputs = node.outputs;
  rewriter.Replace(node, std::move(lateral));
  return true;
}

}  // namespace

// In the place of the later node, where all operands are there.
Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  if ((!Is(node, "MUL", 2) && !Is(node, "ADD", 2)) ||
      !IsFloat(subgraph, node.outputs[0]) ||
      !IsFloat(subgraph, node.inputs[0]) ||
      !IsFloat(subgraph, node.inputs[1]) || !rewriter.HasOp(kLateral))
    return false;
  for (const int side : {0, 1})
    if (TakeGate(rewriter, node, side) || TakeLevel(rewriter, node, side))
      return true;
  return false;
}

}  // namespace munja::graph::fuse_lateral
