// Lets a convolution or a fully connected layer add another tensor to its
// result before the activation: ADD(CONV_2D(x), y) becomes
// CONV_2D(x, weights, bias, y) with the attribute has_residual, and likewise
// DEPTHWISE_CONV_2D and FULLY_CONNECTED; an absent bias is kNoValue. The
// operator takes over the ADD's activation.
//
// Only where y provably has the shape of the result, so that nothing is
// broadcast. The same numbers are added; only the rounding of an intermediate
// store may differ.
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/symbolic_shapes.h"

namespace munja::graph::fuse_residual {
namespace {

constexpr int kResidualInput = 3;

// The node that writes v and can take the ADD over; kNoNode otherwise.
int FindTaker(const Subgraph& subgraph, const DefUse& uses, ValueId v) {
  const int producer = uses.producer(v);
  if (producer == kNoNode || uses.only_reader(v) == kNoNode) return kNoNode;
  const Node& node = subgraph.nodes[producer];
  if (node.op == "TRANSPOSE_CONV") return kNoNode;  // Its inputs lie elsewhere.
  if ((FindFloatLinearOp(subgraph, node) == nullptr &&
       FindHybridLinearOp(subgraph, node) == nullptr) ||
      !HasNoActivation(node) || HasResidual(node))
    return kNoNode;
  return producer;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  const SymbolicShapes shapes(subgraph);
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    Node& add = subgraph.nodes[n];
    if (add.is_custom || add.op != "ADD" || add.inputs.size() != 2 ||
        add.outputs.size() != 1)
      continue;
    // Of two such nodes the later one: its inputs are alive anyway.
    int best = kNoNode, side = 0;
    for (const int s : {0, 1}) {
      const int found = FindTaker(subgraph, uses, add.inputs[s]);
      if (found == kNoNode || is_dead[found] || found < best) continue;
      best = found;
      side = s;
    }
    if (best == kNoNode) continue;
    const ValueId result = add.inputs[side], other = add.inputs[1 - side];
    if (other == kNoValue ||
        subgraph.values[other].type != ElementType::kFloat32 ||
        subgraph.values[other].constant.has_value() ||
        !shapes.AreEqual(result, other))
      continue;
    // In the place of the ADD, where both operands are there.
    Node fused = std::move(subgraph.nodes[best]);
    SetInput(fused, kResidualInput, other);
    fused.attributes.Set("has_residual", true);
    if (const AttributeValue* activation =
            add.attributes.Find("fused_activation_function"))
      fused.attributes.Set("fused_activation_function", *activation);
    fused.outputs = add.outputs;
    add = std::move(fused);
    is_dead[best] = true;
    is_changed = true;
  }
  if (is_changed) RemoveNodes(subgraph, is_dead);
  return is_changed;
}

}  // namespace munja::graph::fuse_residual
