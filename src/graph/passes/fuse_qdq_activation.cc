// Lets an activation that exists in float alone read and write int16:
// QUANTIZE(GELU(DEQUANTIZE(x))) becomes GELU(x), and likewise HARD_SWISH and
// ELU. That is an extension of this project: the operator computes in float
// what the three do, without the floats being stored between them.
#include <string_view>
#include <utility>
#include <vector>

#include "graph/op_traits.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph::fuse_qdq_activation {
namespace {

bool IsActivation(const Node& node) {
  return TraitsOf(node).activation.takes_int16_in_float &&
         node.inputs.size() == 1 && node.outputs.size() == 1;
}

bool Is(const Node& node, std::string_view op) {
  return !node.is_custom && node.op == op && node.inputs.size() == 1 &&
         node.outputs.size() == 1;
}

bool IsInt16(const Subgraph& subgraph, ValueId v) {
  if (v == kNoValue) return false;
  const Value& value = subgraph.values[v];
  return value.type == ElementType::kInt16 && !value.is_variable &&
         value.quantization.scales.size() == 1;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    Node& node = subgraph.nodes[n];
    if (!IsActivation(node) || node.inputs[0] == kNoValue) continue;
    const int before = uses.producer(node.inputs[0]);
    const int after = uses.only_reader(node.outputs[0]);
    if (before == kNoNode || after == kNoNode) continue;
    const Node& dequantize = subgraph.nodes[before];
    const Node& quantize = subgraph.nodes[after];
    if (!Is(dequantize, "DEQUANTIZE") || !Is(quantize, "QUANTIZE") ||
        !IsInt16(subgraph, dequantize.inputs[0]) ||
        !IsInt16(subgraph, quantize.outputs[0]))
      continue;
    node.inputs[0] = dequantize.inputs[0];
    node.outputs = quantize.outputs;
    is_dead[static_cast<size_t>(after)] = true;
    is_changed = true;
  }
  if (is_changed) RemoveNodes(subgraph, is_dead);
  return is_changed;
}

}  // namespace munja::graph::fuse_qdq_activation
