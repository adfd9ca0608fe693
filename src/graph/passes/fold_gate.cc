// x + x * g becomes x * (g + 1): where g is a gate of one number for each
// channel, one pass over the image instead of two. Exact but for rounding.
//
// That g is small is read from its shape in the graph, which may be wrong; the
// result is right whatever its size.
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph::fold_gate {
namespace {

bool IsFloat(const Subgraph& subgraph, ValueId v) {
  return v != kNoValue && subgraph.values[v].type == ElementType::kFloat32;
}

bool IsGate(const Value& value) {
  return value.has_shape && value.shape.rank() == 4 && value.shape[1] == 1 &&
         value.shape[2] == 1;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    Node& add = subgraph.nodes[n];
    if (add.is_custom || add.op != "ADD" || add.inputs.size() != 2 ||
        add.outputs.size() != 1 || !IsFloat(subgraph, add.outputs[0]))
      continue;
    for (const int side : {0, 1}) {
      const ValueId x = add.inputs[1 - side];
      const int producer = uses.only_reader(add.inputs[side]) == kNoNode
                               ? kNoNode
                               : uses.producer(add.inputs[side]);
      if (producer == kNoNode || !IsFloat(subgraph, x)) continue;
      Node& product = subgraph.nodes[producer];
      if (product.is_custom || product.op != "MUL" ||
          product.inputs.size() != 2 || !HasNoActivation(product))
        continue;
      const ValueId gate =
          product.inputs[0] == x ? product.inputs[1] : product.inputs[0];
      if ((product.inputs[0] != x && product.inputs[1] != x) || gate == x ||
          gate == kNoValue || !IsGate(subgraph.values[gate]))
        continue;
      // The two nodes trade places: first g + 1, then the product.
      const Shape gate_shape = subgraph.values[gate].shape;
      Value& middle = subgraph.values[product.outputs[0]];
      middle.shape = gate_shape;
      middle.has_shape = true;
      const std::string name = middle.name + "/one";
      const ValueId one = AddFloats(subgraph, name, Shape{1}, {1.0f});
      product.op = "ADD";
      product.inputs = {gate, one};
      add.op = "MUL";
      add.inputs = {x, product.outputs[0]};
      add.version = product.version = 1;
      is_changed = true;
      break;
    }
  }
  return is_changed;
}

}  // namespace munja::graph::fold_gate
