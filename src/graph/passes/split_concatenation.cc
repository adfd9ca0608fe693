// A convolution of several maps side by side becomes a sum of convolutions of
// each: CONV_2D(CONCATENATION(a, b)) is CONV_2D(b) with CONV_2D(a) as its
// residual. The joined map, often the largest of a network, is never written;
// what is written instead is the sum so far, which has the size of the result.
// Sums are made in another order, so results differ by rounding.
//
// Only where each map has so many channels that rows of weights stay long.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph::split_concatenation {
namespace {

constexpr int32_t kMinChannels = 8;
constexpr size_t kMaxMaps = 4;

// The channels of each map, when `node` joins float maps along the last of
// four dimensions and they add up to `channels`; else nothing.
std::vector<int32_t> Parts(const Subgraph& subgraph, const Node& node,
                           int32_t channels) {
  if (node.is_custom || node.op != "CONCATENATION" || !HasNoActivation(node) ||
      node.inputs.size() < 2 || node.inputs.size() > kMaxMaps)
    return {};
  const AttributeValue* axis = node.attributes.Find("axis");
  if (axis == nullptr || (*axis != AttributeValue(int64_t{3}) &&
                          *axis != AttributeValue(int64_t{-1})))
    return {};
  std::vector<int32_t> parts;
  int64_t sum = 0;
  for (const ValueId v : node.inputs) {
    if (v == kNoValue) return {};
    const Value& value = subgraph.values[v];
    if (value.type != ElementType::kFloat32 || value.constant ||
        !value.has_shape || value.shape.rank() != 4 ||
        value.shape[3] < kMinChannels)
      return {};
    parts.push_back(value.shape[3]);
    sum += value.shape[3];
  }
  return sum == channels ? parts : std::vector<int32_t>();
}

// Channels [first, first + count) of weights [out, h, w, in].
ValueId CutWeights(Subgraph& subgraph, ValueId weights,
                   const std::vector<float>& data, int32_t first,
                   int32_t count) {
  const Shape all = subgraph.values[weights].shape;
  std::vector<float> cut;
  cut.reserve(data.size() / all[3] * count);
  for (size_t row = 0; row < data.size(); row += all[3]) {
    const auto from = data.begin() + static_cast<ptrdiff_t>(row) + first;
    cut.insert(cut.end(), from, from + count);
  }
  return AddFloats(
      subgraph,
      subgraph.values[weights].name + "/from_" + std::to_string(first),
      Shape{all[0], all[1], all[2], count}, cut);
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  std::vector<Node> nodes;
  bool is_changed = false;
  for (const Node& conv : subgraph.nodes) {
    const int producer = conv.op == "CONV_2D" && !conv.inputs.empty()
                             ? uses.producer(conv.inputs[0])
                             : kNoNode;
    std::optional<std::vector<float>> data;
    std::vector<int32_t> parts;
    if (producer != kNoNode && FindFloatLinearOp(subgraph, conv) != nullptr &&
        uses.only_reader(conv.inputs[0]) != kNoNode) {
      const Shape& w = subgraph.values[conv.inputs[1]].shape;
      // A sum larger than the joined map would gain nothing.
      if (w[0] <= w[3]) parts = Parts(subgraph, subgraph.nodes[producer], w[3]);
      if (!parts.empty()) data = ReadFloats(subgraph, conv.inputs[1]);
    }
    if (!data) {
      nodes.push_back(conv);
      continue;
    }
    const Node& join = subgraph.nodes[producer];
    ValueId sum = HasResidual(conv) ? conv.inputs[3] : kNoValue;
    int32_t first = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool is_last = i + 1 == parts.size();
      Node part;
      part.op = conv.op;
      part.name = conv.name;
      part.attributes = conv.attributes;
      part.attributes.Remove("has_residual");
      if (!is_last) {
        for (const char* name : {"fused_activation_function",
                                 "activation_alpha", "activation_beta"})
          part.attributes.Remove(name);
      }
      part.inputs = {
          join.inputs[i],
          CutWeights(subgraph, conv.inputs[1], *data, first, parts[i]),
          is_last ? InputOrNone(conv, 2) : kNoValue};
      if (sum != kNoValue) {
        SetInput(part, 3, sum);
        part.attributes.Set("has_residual", true);
      }
      if (is_last) {
        part.outputs = conv.outputs;
      } else {
        Value so_far = subgraph.values[conv.outputs[0]];
        so_far.name += "/maps_" + std::to_string(i);
        part.outputs = {subgraph.AddValue(std::move(so_far))};
      }
      sum = part.outputs[0];
      first += parts[i];
      nodes.push_back(std::move(part));
    }
    is_changed = true;
  }
  subgraph.nodes = std::move(nodes);
  return is_changed;
}

}  // namespace munja::graph::split_concatenation
