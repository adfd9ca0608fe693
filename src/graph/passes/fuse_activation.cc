// Lets an operator apply the activation that follows it and is its only
// reader: fused_activation_function takes the activation's name, and
// activation_alpha and activation_beta its parameters.
//
// ADD and MUL take the three that the schema knows; convolutions and fully
// connected layers of float activations take all. The activation sees the same
// number as before, so nothing changes beyond the rounding of its vector form.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/passes/linear_op.h"
#include "graph/passes/pass.h"
#include "graph/passes/uses.h"

namespace munja::graph::fuse_activation {
namespace {

struct Activation {
  std::string name;
  bool is_in_schema = false;  // Of fused_activation_function.
  double alpha = 0, beta = 0;
};

constexpr std::string_view kInSchema[] = {"RELU", "RELU6", "RELU_N1_TO_1"};
constexpr std::string_view kPlain[] = {"RELU_0_TO_1", "LOGISTIC", "TANH",
                                       "HARD_SWISH", "ELU"};

// An empty name: not an activation.
Result<Activation> FindActivation(const Node& node) {
  Activation out;
  if (node.is_custom || node.inputs.size() != 1 || node.outputs.size() != 1)
    return out;
  for (const std::string_view name : kInSchema) {
    if (node.op != name) continue;
    out.name = name;
    out.is_in_schema = true;
  }
  for (const std::string_view name : kPlain)
    if (node.op == name) out.name = name;
  if (node.op == "GELU") {
    MUNJA_ASSIGN_OR_RETURN(const bool is_approximate,
                           node.attributes.Bool("approximate", false));
    out.name = is_approximate ? "GELU_TANH" : "GELU";
  }
  if (node.op == "LEAKY_RELU") {
    out.name = node.op;
    MUNJA_ASSIGN_OR_RETURN(out.alpha, node.attributes.Float("alpha", 0));
  }
  if (node.op == "HARD_SIGMOID") {
    out.name = node.op;
    MUNJA_ASSIGN_OR_RETURN(out.alpha,
                           node.attributes.Float("activation_alpha", 0));
    MUNJA_ASSIGN_OR_RETURN(out.beta,
                           node.attributes.Float("activation_beta", 0));
  }
  return out;
}

bool IsFloatArithmetic(const Subgraph& subgraph, const Node& node) {
  if (node.is_custom || (node.op != "ADD" && node.op != "MUL") ||
      node.outputs.size() != 1)
    return false;
  return subgraph.values[node.outputs[0]].type == ElementType::kFloat32;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const Uses uses(subgraph);
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const Node& node = subgraph.nodes[n];
    MUNJA_ASSIGN_OR_RETURN(const Activation activation, FindActivation(node));
    if (activation.name.empty()) continue;
    const int producer = uses.producer(node.inputs[0]);
    if (producer == kNoNode || is_dead[producer] ||
        uses.only_reader(node.inputs[0]) == kNoNode)
      continue;
    Node& before = subgraph.nodes[producer];
    if (!HasNoActivation(before)) continue;
    const bool takes_it =
        FindFloatLinearOp(subgraph, before) != nullptr ||
        FindHybridLinearOp(subgraph, before) != nullptr ||
        (activation.is_in_schema && IsFloatArithmetic(subgraph, before));
    if (!takes_it ||
        subgraph.values[node.outputs[0]].type != ElementType::kFloat32)
      continue;
    before.attributes.Set("fused_activation_function", activation.name);
    if (activation.name == "LEAKY_RELU" || activation.name == "HARD_SIGMOID") {
      before.attributes.Set("activation_alpha", activation.alpha);
      before.attributes.Set("activation_beta", activation.beta);
    }
    before.outputs = node.outputs;
    is_dead[n] = true;
    is_changed = true;
  }
  if (is_changed) RemoveNodes(subgraph, is_dead);
  return is_changed;
}

}  // namespace munja::graph::fuse_activation
