// Where a session only wants the best class of each row, BEST_CLASS takes over
// what comes before it, so that the row is never stored:
//   BEST_CLASS(SOFTMAX(x))          -> BEST_CLASS(x) with the attribute softmax
//   BEST_CLASS(FULLY_CONNECTED(x, w, b)), the same of a 1x1 CONV_2D
//                                   -> BEST_CLASS(x, w, b)
//   BEST_CLASS(SQUEEZE(CONV_2D(x))) -> SQUEEZE(BEST_CLASS(CONV_2D(x)))
// BEST_CLASS is an operator of this project, not of the schema.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph::fuse_best_class {
namespace {

bool IsFloat(const Subgraph& subgraph, ValueId v) {
  return v != kNoValue && subgraph.values[v].type == ElementType::kFloat32;
}

bool Is(const Node& node, const char* op) {
  return !node.is_custom && node.op == op;
}

bool HasNumber(const Node& node, const char* name, int64_t wanted) {
  const AttributeValue* value = node.attributes.Find(name);
  return value == nullptr || *value == AttributeValue(wanted);
}

// The node that writes `v` for nobody else, or kNoNode.
int OwnProducer(const DefUse& uses, ValueId v) {
  return uses.only_reader(v) == kNoNode ? kNoNode : uses.producer(v);
}

void Remove(Subgraph& subgraph, int node) {
  std::vector<bool> is_dead(subgraph.nodes.size());
  is_dead[static_cast<size_t>(node)] = true;
  RemoveNodes(subgraph, is_dead);
}

bool IsSoftmax(const Subgraph& subgraph, const Node& node) {
  if (!Is(node, "SOFTMAX") || node.inputs.size() != 1 ||
      !IsFloat(subgraph, node.inputs[0]))
    return false;
  const auto beta = node.attributes.Float("beta", 1.0);
  return beta.ok() && *beta == 1.0;
}

// A product of each row of the last dimension with a matrix, whose result
// keeps the other dimensions.
bool IsRowProduct(const Subgraph& subgraph, const Node& node) {
  if (FindFloatLinearOp(subgraph, node) == nullptr || !HasNoActivation(node) ||
      HasResidual(node))
    return false;
  if (node.op == "FULLY_CONNECTED") {
    const AttributeValue* keep = node.attributes.Find("keep_num_dims");
    return keep != nullptr && *keep == AttributeValue(true);
  }
  if (node.op != "CONV_2D") return false;
  const Shape& weights = subgraph.values[node.inputs[1]].shape;
  const Value& input = subgraph.values[node.inputs[0]];
  const AttributeValue* padding = node.attributes.Find("padding");
  return weights[1] == 1 && weights[2] == 1 && HasNumber(node, "stride_h", 1) &&
         HasNumber(node, "stride_w", 1) &&
         (padding == nullptr ||
          *padding != AttributeValue(std::string("EXPLICIT"))) &&
         // Not in groups.
         input.has_shape && input.shape.rank() == 4 &&
         input.shape[3] == weights[3];
}

// Removes some of the first three dimensions of four.
bool IsOuterSqueeze(const Node& node) {
  if (!Is(node, "SQUEEZE") || node.inputs.size() != 1) return false;
  const auto dims = node.attributes.Ints("squeeze_dims");
  return dims.ok() && !dims->empty() &&
         std::all_of(dims->begin(), dims->end(),
                     [](int64_t d) { return d >= 0 && d < 3; });
}

// One step of the above for the node `n`.
bool TakeOver(Subgraph& subgraph, size_t n) {
  const DefUse uses(subgraph);
  Node& best = subgraph.nodes[n];
  const int producer = OwnProducer(uses, best.inputs[0]);
  if (producer == kNoNode) return false;
  Node& before = subgraph.nodes[producer];
  const AttributeValue* softmax = best.attributes.Find("softmax");
  if (softmax == nullptr || *softmax != AttributeValue(true)) {
    if (!IsSoftmax(subgraph, before)) return false;
    best.inputs[0] = before.inputs[0];
    best.attributes.Set("softmax", true);
    Remove(subgraph, producer);
    return true;
  }
  if (IsRowProduct(subgraph, before)) {
    best.inputs = {before.inputs[0], before.inputs[1], InputOrNone(before, 2)};
    Remove(subgraph, producer);
    return true;
  }
  if (!IsOuterSqueeze(before)) return false;
  const int product = OwnProducer(uses, before.inputs[0]);
  if (product == kNoNode || !Is(subgraph.nodes[product], "CONV_2D") ||
      !IsRowProduct(subgraph, subgraph.nodes[product]))
    return false;
  // The two trade places; between them there are pairs now.
  subgraph.values[best.inputs[0]].has_shape = false;
  std::swap(best.attributes, before.attributes);
  std::swap(best.op, before.op);
  std::swap(best.version, before.version);
  std::swap(best.name, before.name);
  return true;
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  bool is_changed = false;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const Node& node = subgraph.nodes[n];
    if (!Is(node, "BEST_CLASS") || node.inputs.size() != 1 ||
        node.outputs.size() != 1 || node.inputs[0] == kNoValue ||
        !TakeOver(subgraph, n))
      continue;
    is_changed = true;
    n = static_cast<size_t>(-1);  // From the start: there may be more to take.
  }
  return is_changed;
}

}  // namespace munja::graph::fuse_best_class
