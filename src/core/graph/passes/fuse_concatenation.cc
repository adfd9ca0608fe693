// Lets a convolution read several maps instead of their concatenation:
// CONV_2D(CONCATENATION(RESIZE_NEAREST_NEIGHBOR(a, size), b)) becomes
// CONCAT_CONV_2D(weights, bias, a, size, b, -) with the attributes of all
// three and `channels`, those of a and b. That is an operator of this project,
// not of the schema: a 3x3 convolution takes a map that is enlarged by pixel
// replication at its own size, with a fraction of the products.
//
// Only where the number of channels of each map is certain: it says which
// weights are the map's. The same products are added, in another order.
//
// In integers any window takes maps that are quantized alike: it brings lines
// into another form anyway, and nothing else is written or read.
#include <optional>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_concatenation {
namespace {

constexpr const char* kRule[] = {"align_corners", "half_pixel_centers"};
constexpr size_t kMaxMaps = 16;

struct Maps {
  std::vector<ValueId> inputs;  // Each map and its size.
  std::vector<int64_t> channels;
  Attributes rule;  // Common to all resizes.
  bool has_resize = false;
};

// A CONV_2D with constant weights of int8, on activations of int8, whose window
// is more than a pixel.
bool IsIntegerWindow(const Subgraph& subgraph, const Node& conv) {
  if (!Is(conv, "CONV_2D") || conv.outputs.size() != 1) return false;
  const ValueId input = InputOrNone(conv, 0), weights = InputOrNone(conv, 1);
  if (input == kNoValue || weights == kNoValue) return false;
  const Value& w = subgraph.values[weights];
  return subgraph.values[input].type == ElementType::kInt8 &&
         subgraph.values[conv.outputs[0]].type == ElementType::kInt8 &&
         w.type == ElementType::kInt8 && w.constant.has_value() &&
         !w.is_variable && w.shape.rank() == 4 &&
         (w.shape[1] > 1 || w.shape[2] > 1);
}

bool JoinsChannels(const Node& node) {
  // All parts have four dimensions, or their channels would not be known.
  return Is(node, "CONCATENATION", node.inputs.size()) &&
         !node.inputs.empty() && node.inputs.size() <= kMaxMaps &&
         HasNoActivation(node) &&
         (NumberIs(node, "axis", 3, 0) || NumberIs(node, "axis", -1, 0));
}

// All have one type and the same quantization.
bool AreAlike(const Subgraph& subgraph, ValueId a, ValueId b) {
  const auto &x = subgraph.values[a], &y = subgraph.values[b];
  return x.type == y.type && x.quantization == y.quantization;
}

// Resizes by another rule than the first stay.
bool TakesRule(const Node& resize, Maps* maps) {
  Attributes rule;
  for (const char* name : kRule) {
    auto value = resize.attributes.Bool(name, false);
    if (!value.ok()) return false;
    rule.Set(name, *value);
  }
  if (maps->has_resize && !(maps->rule == rule)) return false;
  maps->rule = rule;
  return true;
}

bool AddMap(Rewriter& rewriter, ValueId part, Maps* maps) {
  ValueId map = part, size = kNoValue;
  const Node* resize = rewriter.OnlyProducer(part);
  if (resize != nullptr && Is(*resize, "RESIZE_NEAREST_NEIGHBOR", 2) &&
      AreAlike(rewriter.subgraph(), resize->inputs[0], part) &&
      TakesRule(*resize, maps)) {
    map = resize->inputs[0];
    size = resize->inputs[1];
    maps->has_resize = true;
  }
  const auto channels = rewriter.shapes().Channels(map);
  if (!channels || *channels < 1) return false;
  maps->inputs.push_back(map);
  maps->inputs.push_back(size);
  maps->channels.push_back(*channels);
  return true;
}

// The convolution for which enlarged maps take fewer products. What joins
// others is left to split_concatenation.
bool Pays(const Node& conv, const Shape& weights, const Maps& maps) {
  if (!maps.has_resize || weights[1] != 3 || weights[2] != 3) return false;
  for (const char* name :
       {"stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor"})
    if (!NumberIs(conv, name, 1, 1)) return false;
  return true;
}

// The parts of the concatenation that the convolution, its only reader, reads.
std::optional<Maps> FindMaps(Rewriter& rewriter, const Node& conv) {
  const Subgraph& subgraph = rewriter.subgraph();
  const bool is_float =
      conv.op == "CONV_2D" && FindFloatLinearOp(subgraph, conv) != nullptr;
  if ((!is_float && !IsIntegerWindow(subgraph, conv)) || HasResidual(conv))
    return std::nullopt;
  const ValueId joined = conv.inputs[0];
  const Node* join = rewriter.OnlyProducer(joined);
  if (join == nullptr || !JoinsChannels(*join)) return std::nullopt;
  Maps maps;
  int64_t sum = 0;
  for (const ValueId part : join->inputs) {
    if (!AreAlike(subgraph, part, joined) || !AddMap(rewriter, part, &maps))
      return std::nullopt;
    sum += maps.channels.back();
  }
  const Shape& weights = subgraph.values[conv.inputs[1]].shape;
  if (weights[3] != sum || (is_float && !Pays(conv, weights, maps)))
    return std::nullopt;
  return maps;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  auto maps = FindMaps(rewriter, node);
  if (!maps || !rewriter.HasOp("CONCAT_CONV_2D")) return false;
  Node fused = node;
  fused.op = "CONCAT_CONV_2D";
  fused.version = 1;
  fused.inputs = {node.inputs[1], InputOrNone(node, 2)};
  fused.inputs.insert(fused.inputs.end(), maps->inputs.begin(),
                      maps->inputs.end());
  fused.attributes.Set("channels", std::move(maps->channels));
  for (const auto& [name, value] : maps->rule)
    fused.attributes.Set(name, value);
  rewriter.Replace(node, std::move(fused));
  return true;
}

}  // namespace munja::graph::fuse_concatenation
