// Two 1x1 convolutions in a row, the second the only reader of the first,
// become one CONV_2D_PAIR (src/ops/conv/conv_2d_pair.cc), whose middle stays in
// the cache instead of being written and read again. The same sums are made.
//
// Not for weights that together outgrow the cache: they would be read again
// for every block of pixels.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph::fuse_conv_pair {
namespace {

// Half of a usual second-level cache, in floats.
constexpr int64_t kMaxWeights = int64_t{1} << 17;

constexpr std::array<const char*, 3> kActivation = {
    "fused_activation_function", "activation_alpha", "activation_beta"};

// Fewer channels than the input has would be groups.
bool TakesAllChannels(const Subgraph& subgraph, const Node& node) {
  const Shape& w = subgraph.values[node.inputs[1]].shape;
  const Value& in = subgraph.values[node.inputs[0]];
  return w.elements() > 0 && in.has_shape && in.shape.rank() == 4 &&
         in.shape[3] == w[3];
}

bool IsHalfOfPair(const Subgraph& subgraph, const Node& node) {
  return IsPointwiseConv(subgraph, node) && TakesAllChannels(subgraph, node);
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions& options) {
  if (options.has_op && !options.has_op("CONV_2D_PAIR")) return false;
  const DefUse uses(subgraph);
  std::vector<bool> is_dead(subgraph.nodes.size());
  bool is_changed = false;
  for (Node& second : subgraph.nodes) {
    if (!IsHalfOfPair(subgraph, second)) continue;
    const int producer = uses.producer(second.inputs[0]);
    if (producer == kNoNode || is_dead[producer] ||
        uses.only_reader(second.inputs[0]) == kNoNode)
      continue;
    const Node& first = subgraph.nodes[producer];
    if (!IsHalfOfPair(subgraph, first) || HasResidual(first)) continue;
    const Shape& w1 = subgraph.values[first.inputs[1]].shape;
    const Shape& w2 = subgraph.values[second.inputs[1]].shape;
    if (w2[3] != w1[0] || w1.elements() + w2.elements() > kMaxWeights) continue;
    Node pair;
    pair.op = "CONV_2D_PAIR";
    pair.name = second.name;
    pair.inputs = {first.inputs[0], first.inputs[1], InputOrNone(first, 2),
                   second.inputs[1], InputOrNone(second, 2)};
    if (HasResidual(second)) pair.inputs.push_back(second.inputs[3]);
    pair.outputs = second.outputs;
    for (const char* name : kActivation) {
      if (const AttributeValue* a = first.attributes.Find(name))
        pair.attributes.Set(std::string("first_") + name, *a);
      if (const AttributeValue* a = second.attributes.Find(name))
        pair.attributes.Set(name, *a);
    }
    second = std::move(pair);
    is_dead[producer] = true;
    is_changed = true;
  }
  if (is_changed) RemoveNodes(subgraph, is_dead);
  return is_changed;
}

}  // namespace munja::graph::fuse_conv_pair
