// Operators of .tflite that the model holds as they are.
#include <utility>

#include "import/lower/lowering_context.h"
#include "ops/support/custom_options.h"

namespace munja::importer {
namespace {

// The layout that all inputs of the rank of the result share, or none has.
Layout CommonLayout(LoweringContext& context, const Node& node, size_t rank) {
  const Layout plain = IdentityLayout(rank);
  Layout layout;
  for (const ValueId v : node.inputs) {
    if (v == kNoValue) return plain;
    if (context.constant(v) != nullptr) continue;
    if (context.ShapeOf(v).size() != rank) return plain;
    if (layout.empty())
      layout = context.LayoutOf(v);
    else if (layout != context.LayoutOf(v))
      return plain;
  }
  return layout.empty() ? plain : layout;
}

}  // namespace

Status LowerDirect(LoweringContext& context, const Node& node) {
  const Direct& d = *node.direct;
  const size_t rank = context.ShapeOf(node.outputs[0]).size();
  const Layout common = d.is_elementwise ? CommonLayout(context, node, rank)
                                         : IdentityLayout(rank);
  std::vector<graph::ValueId> inputs;
  for (const ValueId v : node.inputs) {
    if (v == kNoValue) {
      inputs.push_back(graph::kNoValue);
      continue;
    }
    const size_t own = context.ShapeOf(v).size();
    if (common != IdentityLayout(rank) && context.constant(v) != nullptr) {
      inputs.push_back(context.BroadcastConstant(v, rank, common));
      continue;
    }
    MUNJA_ASSIGN_OR_RETURN(
        const graph::ValueId in,
        context.In(v, own == rank
                          ? (d.is_elementwise ? common : IdentityLayout(own))
                          : IdentityLayout(own)));
    inputs.push_back(in);
  }
  std::vector<graph::ValueId> outputs;
  for (const ValueId v : node.outputs)
    outputs.push_back(context.Define(
        v,
        d.is_elementwise ? common : IdentityLayout(context.ShapeOf(v).size())));
  graph::Node& out =
      context.Emit(node, node.op, std::move(inputs), std::move(outputs));
  out.version = d.version;
  out.is_custom = d.is_custom;
  if (d.is_custom)
    out.custom_options = ops::EncodeCustomOptions(node.attributes);
  else
    out.attributes = node.attributes;
  return {};
}

}  // namespace munja::importer
