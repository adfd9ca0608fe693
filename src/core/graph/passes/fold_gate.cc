// x + x * g becomes x * (g + 1): where g is a gate of one number for each
// channel, one pass over the image instead of two. Exact but for rounding.
//
// That g is small is read from its shape in the graph, which may be wrong; the
// result is right whatever its size.
#include <utility>

#include "graph/passes/pass.h"
#include "graph/rewrite/match.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fold_gate {
namespace {

bool IsGate(const Value& value) {
  return value.has_shape && value.shape.rank() == 4 && value.shape[1] == 1 &&
         value.shape[2] == 1;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& add) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (!Is(add, "ADD", 2) || !IsFloat(subgraph, add.outputs[0])) return false;
  for (const int side : {0, 1}) {
    const ValueId x = add.inputs[1 - side];
    const Node* product = rewriter.OnlyProducer(add.inputs[side]);
    if (product == nullptr || !IsFloat(subgraph, x) ||
        !Is(*product, "MUL", 2) || !HasNoActivation(*product))
      continue;
    const ValueId gate =
        product->inputs[0] == x ? product->inputs[1] : product->inputs[0];
    if ((product->inputs[0] != x && product->inputs[1] != x) || gate == x ||
        !IsGate(subgraph.values[gate]))
      continue;
    // The two nodes trade places: first g + 1, then the product.
    const ValueId middle = product->outputs[0];
    rewriter.SetShape(middle, subgraph.values[gate].shape);
    const ValueId one = rewriter.AddFloats(
        subgraph.values[middle].name + "/one", Shape{1}, {1.0f});
    Node first = *product, last = add;
    first.op = "ADD";
    first.inputs = {gate, one};
    last.op = "MUL";
    last.inputs = {x, middle};
    first.version = last.version = 1;
    rewriter.Replace(*product, std::move(first));
    rewriter.Replace(add, std::move(last));
    return true;
  }
  return false;
}

}  // namespace munja::graph::fold_gate
