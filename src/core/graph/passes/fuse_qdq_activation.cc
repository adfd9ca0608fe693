// Lets an activation that exists in float alone read and write int16:
// QUANTIZE(GELU(DEQUANTIZE(x))) becomes GELU(x), and likewise HARD_SWISH and
// ELU. That is an extension of this project: the operator computes in float
// what the three do, without the floats being stored between them.
#include <utility>

#include "graph/op_traits.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/match.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_qdq_activation {
namespace {

bool IsInt16(const Subgraph& subgraph, ValueId v) {
  const Value& value = subgraph.values[v];
  return value.type == ElementType::kInt16 && !value.is_variable &&
         value.quantization.scales.size() == 1;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  if (!TraitsOf(node).activation.takes_int16_in_float || !Is(node, node.op, 1))
    return false;
  const Node* dequantize = rewriter.Producer(node.inputs[0]);
  const Node* quantize = rewriter.OnlyReader(node.outputs[0]);
  if (dequantize == nullptr || quantize == nullptr ||
      !Is(*dequantize, "DEQUANTIZE", 1) || !Is(*quantize, "QUANTIZE", 1) ||
      !IsInt16(rewriter.subgraph(), dequantize->inputs[0]) ||
      !IsInt16(rewriter.subgraph(), quantize->outputs[0]))
    return false;
  Node fused = node;
  fused.inputs = dequantize->inputs;
  rewriter.Merge(node, std::move(fused), *quantize);
  return true;
}

}  // namespace munja::graph::fuse_qdq_activation
