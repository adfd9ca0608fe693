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

#include "graph/passes/pass.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_residual {
namespace {

constexpr int kResidualInput = 3;

// The node that writes v and can take the ADD over; null otherwise.
const Node* FindTaker(const Rewriter& rewriter, ValueId v) {
  const Subgraph& subgraph = rewriter.subgraph();
  const Node* node = rewriter.OnlyProducer(v);
  if (node == nullptr || node->op == "TRANSPOSE_CONV" ||  // Other inputs.
      (FindFloatLinearOp(subgraph, *node) == nullptr &&
       FindHybridLinearOp(subgraph, *node) == nullptr) ||
      !HasNoActivation(*node) || HasResidual(*node))
    return nullptr;
  return node;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& add) {
  if (!Is(add, "ADD", 2)) return false;
  // The later one of two such nodes: its inputs are alive anyway.
  const Node* const takers[] = {FindTaker(rewriter, add.inputs[0]),
                                FindTaker(rewriter, add.inputs[1])};
  const int side =
      takers[0] == nullptr || (takers[1] != nullptr && takers[1] > takers[0]);
  if (takers[side] == nullptr) return false;
  const ValueId result = add.inputs[side], other = add.inputs[1 - side];
  if (!IsFloat(rewriter.subgraph(), other) ||
      rewriter.subgraph().values[other].constant.has_value() ||
      !rewriter.shapes().AreEqual(result, other))
    return false;
  // In the place of the ADD, where both operands are there.
  Node fused = *takers[side];
  SetInput(fused, kResidualInput, other);
  fused.attributes.Set("has_residual", true);
  CopyActivation(add, fused);
  fused.outputs = add.outputs;
  rewriter.Replace(add, std::move(fused));
  return true;
}

}  // namespace munja::graph::fuse_residual
