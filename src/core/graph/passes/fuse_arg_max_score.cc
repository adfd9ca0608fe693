// Where a session only wants the best class of each row, ARG_MAX_WITH_SCORE
// takes over what comes before it, so that the row is never stored:
//   ARG_MAX_WITH_SCORE(SOFTMAX(x))          -> ARG_MAX_WITH_SCORE(x) with the
//   attribute softmax ARG_MAX_WITH_SCORE(FULLY_CONNECTED(x, w, b)), the same of
//   a 1x1 CONV_2D
//                                   -> ARG_MAX_WITH_SCORE(x, w, b)
//   ARG_MAX_WITH_SCORE(SQUEEZE(CONV_2D(x))) ->
//   SQUEEZE(ARG_MAX_WITH_SCORE(CONV_2D(x)))
// ARG_MAX_WITH_SCORE is an operator of this project, not of the schema.
#include <algorithm>
#include <utility>

#include "graph/passes/pass.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_arg_max_score {
namespace {

bool IsSoftmax(const Subgraph& subgraph, const Node& node) {
  if (!Is(node, "SOFTMAX", 1) || !IsFloat(subgraph, node.inputs[0]))
    return false;
  const auto beta = node.attributes.Float("beta", 1.0);
  return beta.ok() && *beta == 1.0;
}

// A product of each row of the last dimension with a matrix, whose result
// keeps the other dimensions.
bool IsRowProduct(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (FindFloatLinearOp(subgraph, node) == nullptr || !HasNoActivation(node) ||
      HasResidual(node))
    return false;
  if (node.op == "FULLY_CONNECTED") return IsSet(node, "keep_num_dims");
  if (node.op != "CONV_2D") return false;
  const Shape& weights = subgraph.values[node.inputs[1]].shape;
  return weights[1] == 1 && weights[2] == 1 &&
         NumberIs(node, "stride_h", 1, 1) && NumberIs(node, "stride_w", 1, 1) &&
         !TextIs(node, "padding", "EXPLICIT") &&
         // Not in groups.
         rewriter.shapes().Channels(node.inputs[0]) == weights[3];
}

// Removes some of the first three dimensions of four.
bool IsOuterSqueeze(const Node& node) {
  if (!Is(node, "SQUEEZE", 1)) return false;
  const auto dims = node.attributes.Ints("squeeze_dims");
  return dims.ok() && !dims->empty() &&
         std::all_of(dims->begin(), dims->end(),
                     [](int64_t d) { return d >= 0 && d < 3; });
}

// One step of the above.
bool TakeOver(Rewriter& rewriter, const Node& node) {
  if (!Is(node, "ARG_MAX_WITH_SCORE", 1)) return false;
  const Node* before = rewriter.OnlyProducer(node.inputs[0]);
  if (before == nullptr) return false;
  Node best = node;
  if (!IsSet(node, "softmax")) {
    if (!IsSoftmax(rewriter.subgraph(), *before)) return false;
    best.inputs = before->inputs;
    best.attributes.Set("softmax", true);
    rewriter.Replace(node, std::move(best));
    return true;
  }
  const Node* product = before;
  if (IsOuterSqueeze(*before)) {
    product = rewriter.OnlyProducer(before->inputs[0]);
    if (product == nullptr || !Is(*product, "CONV_2D")) return false;
  }
  if (!IsRowProduct(rewriter, *product)) return false;
  best.inputs = {product->inputs[0], product->inputs[1],
                 InputOrNone(*product, 2)};
  if (product != before) {
    // The two trade places; between them there are pairs now.
    Node squeeze = *before;
    squeeze.inputs = node.inputs;
    squeeze.outputs = node.outputs;
    best.outputs = before->outputs;
    rewriter.SetShape(before->outputs[0], std::nullopt);
    rewriter.Replace(*before, std::move(best));
    rewriter.Replace(node, std::move(squeeze));
    return true;
  }
  rewriter.Replace(node, std::move(best));
  return true;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  bool is_changed = false;
  while (TakeOver(rewriter, node)) is_changed = true;
  return is_changed;
}

}  // namespace munja::graph::fuse_arg_max_score
