// Lets an operator apply the activation that follows it and is its only
// reader: fused_activation_function takes the activation's name, and
// activation_alpha and activation_beta its parameters.
//
// ADD and MUL take the three that the schema knows; convolutions and fully
// connected layers of float activations take all. The activation sees the same
// number as before, so nothing changes beyond the rounding of its vector form.
#include <utility>
#include <vector>

#include "graph/op_traits.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph::fuse_activation {
namespace {

bool IsFloatArithmetic(const Subgraph& subgraph, const Node& node) {
  if (node.is_custom || (node.op != "ADD" && node.op != "MUL") ||
      node.outputs.size() != 1)
    return false;
  return subgraph.values[node.outputs[0]].type == ElementType::kFloat32;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const Node& node = subgraph.nodes[n];
    const Fusion fusion = TraitsOf(node).activation.fusion;
    if (fusion == Fusion::kNone || node.inputs.size() != 1 ||
        node.outputs.size() != 1)
      continue;
    const int producer = uses.producer(node.inputs[0]);
    if (producer == kNoNode || is_dead[producer] ||
        uses.only_reader(node.inputs[0]) == kNoNode)
      continue;
    Node& before = subgraph.nodes[producer];
    if (!HasNoActivation(before)) continue;
    const bool takes_it =
        FindFloatLinearOp(subgraph, before) != nullptr ||
        FindHybridLinearOp(subgraph, before) != nullptr ||
        (fusion == Fusion::kInSchema && IsFloatArithmetic(subgraph, before));
    if (!takes_it ||
        subgraph.values[node.outputs[0]].type != ElementType::kFloat32)
      continue;
    MUNJA_RETURN_IF_ERROR(SetFusedActivation(node, before.attributes));
    before.outputs = node.outputs;
    is_dead[n] = true;
    is_changed = true;
  }
  if (is_changed) RemoveNodes(subgraph, is_dead);
  return is_changed;
}

}  // namespace munja::graph::fuse_activation
