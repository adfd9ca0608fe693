// Lets an operator apply the activation that follows it and is its only
// reader: fused_activation_function takes the activation's name, and
// activation_alpha and activation_beta its parameters.
//
// ADD and MUL take the three that the schema knows; convolutions and fully
// connected layers of float activations take all. The activation sees the same
// number as before, so nothing changes beyond the rounding of its vector form.
#include <utility>

#include "graph/op_traits.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_activation {
namespace {

bool Takes(const Subgraph& subgraph, const Node& node, Fusion fusion) {
  return FindFloatLinearOp(subgraph, node) != nullptr ||
         FindHybridLinearOp(subgraph, node) != nullptr ||
         (fusion == Fusion::kInSchema && (Is(node, "ADD") || Is(node, "MUL")) &&
          node.outputs.size() == 1 && IsFloat(subgraph, node.outputs[0]));
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  const Fusion fusion = TraitsOf(node).activation.fusion;
  if (fusion == Fusion::kNone || node.inputs.size() != 1 ||
      node.outputs.size() != 1 || !IsFloat(subgraph, node.outputs[0]))
    return false;
  const Node* before = rewriter.OnlyProducer(node.inputs[0]);
  if (before == nullptr || !HasNoActivation(*before) ||
      !Takes(subgraph, *before, fusion))
    return false;
  Node fused = *before;
  MUNJA_RETURN_IF_ERROR(SetFusedActivation(node, fused.attributes));
  rewriter.Merge(*before, std::move(fused), node);
  return true;
}

}  // namespace munja::graph::fuse_activation
