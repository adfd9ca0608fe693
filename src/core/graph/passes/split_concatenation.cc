// A convolution of several maps side by side becomes a sum of convolutions of
// each: CONV_2D(CONCATENATION(a, b)) is CONV_2D(b) with CONV_2D(a) as its
// residual. The joined map, often the largest of a network, is never written;
// what is written instead is the sum so far, which has the size of the result.
// Sums are made in another order, so results differ by rounding.
//
// Only where each map has so many channels that rows of weights stay long.
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::split_concatenation {
namespace {

constexpr int32_t kMinChannels = 8;
constexpr size_t kMaxMaps = 4;

// The channels of each map, when `node` joins float maps along the last of
// four dimensions and they add up to `channels`; else nothing.
std::vector<int32_t> Parts(Rewriter& rewriter, const Node& node,
                           int32_t channels) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (!Is(node, "CONCATENATION", node.inputs.size()) ||
      !HasNoActivation(node) || node.inputs.size() < 2 ||
      node.inputs.size() > kMaxMaps ||
      (!NumberIs(node, "axis", 3, 0) && !NumberIs(node, "axis", -1, 0)))
    return {};
  std::vector<int32_t> parts;
  int64_t sum = 0;
  for (const ValueId v : node.inputs) {
    const auto part = rewriter.shapes().Channels(v);
    if (!IsFloat(subgraph, v) || subgraph.values[v].constant || !part ||
        *part < kMinChannels)
      return {};
    parts.push_back(*part);
    sum += *part;
  }
  return sum == channels ? parts : std::vector<int32_t>();
}

// Channels [first, first + count) of weights [out, h, w, in].
ValueId CutWeights(Rewriter& rewriter, ValueId weights,
                   const std::vector<float>& data, int32_t first,
                   int32_t count) {
  const Value& value = rewriter.subgraph().values[weights];
  const Shape all = value.shape;
  std::vector<float> cut;
  cut.reserve(data.size() / all[3] * count);
  for (size_t row = 0; row < data.size(); row += all[3]) {
    const auto from = data.begin() + static_cast<ptrdiff_t>(row) + first;
    cut.insert(cut.end(), from, from + count);
  }
  return rewriter.AddFloats(value.name + "/from_" + std::to_string(first),
                            Shape{all[0], all[1], all[2], count}, cut);
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& conv) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (conv.op != "CONV_2D" || FindFloatLinearOp(subgraph, conv) == nullptr)
    return false;
  const Node* join = rewriter.OnlyProducer(conv.inputs[0]);
  const Shape& w = subgraph.values[conv.inputs[1]].shape;
  // A sum larger than the joined map would gain nothing.
  if (join == nullptr || w[0] > w[3]) return false;
  const std::vector<int32_t> parts = Parts(rewriter, *join, w[3]);
  if (parts.empty()) return false;
  const auto data = ReadFloats(subgraph, conv.inputs[1]);
  if (!data) return false;
  ValueId sum = HasResidual(conv) ? conv.inputs[3] : kNoValue;
  int32_t first = 0;
  for (size_t i = 0;; ++i) {
    const bool is_last = i + 1 == parts.size();
    Node part = conv;
    part.version = 1;
    part.attributes.Remove("has_residual");
    if (!is_last)
      for (const char* name : kActivationAttributes)
        part.attributes.Remove(name);
    part.inputs = {join->inputs[i],
                   CutWeights(rewriter, conv.inputs[1], *data, first, parts[i]),
                   is_last ? InputOrNone(conv, 2) : kNoValue};
    if (sum != kNoValue) {
      SetInput(part, 3, sum);
      part.attributes.Set("has_residual", true);
    }
    if (is_last) {
      rewriter.Replace(conv, std::move(part));
      return true;
    }
    Value so_far = subgraph.values[conv.outputs[0]];
    so_far.name += "/maps_" + std::to_string(i);
    sum = rewriter.AddValue(std::move(so_far));
    part.outputs = {sum};
    first += parts[i];
    rewriter.Insert(std::move(part));
  }
}

}  // namespace munja::graph::split_concatenation
