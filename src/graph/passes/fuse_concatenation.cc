// Lets a convolution read several maps instead of their concatenation:
// CONV_2D(CONCATENATION(RESIZE_NEAREST_NEIGHBOR(a, size), b)) becomes
// CONV_2D_OF_MAPS(weights, bias, a, size, b, -) with the attributes of all
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
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/symbolic_shapes.h"

namespace munja::graph::fuse_concatenation {
namespace {

constexpr const char* kRule[] = {"align_corners", "half_pixel_centers"};
constexpr size_t kMaxMaps = 16;

struct Maps {
  std::vector<ValueId> inputs;  // Of each map itself and its size.
  std::vector<int64_t> channels;
  Attributes rule;  // Of all resizes.
  bool has_resize = false;
};

// A CONV_2D with constant weights of int8, on activations of int8, whose window
// is more than a pixel.
bool IsIntegerWindow(const Subgraph& subgraph, const Node& conv) {
  if (conv.is_custom || conv.op != "CONV_2D" || conv.outputs.size() != 1)
    return false;
  const ValueId input = InputOrNone(conv, 0), weights = InputOrNone(conv, 1);
  if (input == kNoValue || weights == kNoValue) return false;
  const Value& w = subgraph.values[weights];
  return subgraph.values[input].type == ElementType::kInt8 &&
         subgraph.values[conv.outputs[0]].type == ElementType::kInt8 &&
         w.type == ElementType::kInt8 && w.constant.has_value() &&
         !w.is_variable && w.shape.rank() == 4 &&
         (w.shape[1] > 1 || w.shape[2] > 1);
}

class Finder {
 public:
  explicit Finder(const Subgraph& subgraph)
      : subgraph_(subgraph), uses_(subgraph), shapes_(subgraph) {}

  // The parts of the concatenation that the convolution, its only reader,
  // reads.
  std::optional<Maps> Find(const Node& conv) const {
    const bool is_float =
        conv.op == "CONV_2D" && FindFloatLinearOp(subgraph_, conv) != nullptr;
    if ((!is_float && !IsIntegerWindow(subgraph_, conv)) || HasResidual(conv))
      return std::nullopt;
    const ValueId joined = conv.inputs[0];
    const int producer = uses_.producer(joined);
    if (producer == kNoNode || uses_.only_reader(joined) == kNoNode)
      return std::nullopt;
    const Node& node = subgraph_.nodes[producer];
    if (!JoinsChannels(node)) return std::nullopt;
    Maps maps;
    int64_t sum = 0;
    for (const ValueId part : node.inputs) {
      if (!IsAlike(part, joined) || !Add(part, &maps)) return std::nullopt;
      sum += maps.channels.back();
    }
    const Shape& weights = subgraph_.values[conv.inputs[1]].shape;
    if (weights[3] != sum || (is_float && !Pays(conv, weights, maps)))
      return std::nullopt;
    return maps;
  }

 private:
  static bool JoinsChannels(const Node& node) {
    if (node.is_custom || node.op != "CONCATENATION" || node.inputs.empty() ||
        node.inputs.size() > kMaxMaps || !HasNoActivation(node))
      return false;
    auto axis = node.attributes.Int("axis", 0);
    // All parts have four dimensions, or their channels would not be known.
    return axis.ok() && (*axis == 3 || *axis == -1);
  }

  // Of one type, and quantized alike.
  bool IsAlike(ValueId a, ValueId b) const {
    if (a == kNoValue || b == kNoValue) return false;
    const auto &x = subgraph_.values[a], &y = subgraph_.values[b];
    return x.type == y.type && x.quantization == y.quantization;
  }

  bool Add(ValueId part, Maps* maps) const {
    ValueId map = part, size = kNoValue;
    const int producer = uses_.producer(part);
    if (producer != kNoNode && uses_.count(part) == 1) {
      const Node& resize = subgraph_.nodes[producer];
      if (IsResize(resize) && TakesRule(resize, maps)) {
        map = resize.inputs[0];
        size = resize.inputs[1];
        maps->has_resize = true;
      }
    }
    const auto channels = shapes_.Channels(map);
    if (!channels || *channels < 1) return false;
    maps->inputs.push_back(map);
    maps->inputs.push_back(size);
    maps->channels.push_back(*channels);
    return true;
  }

  bool IsResize(const Node& node) const {
    return !node.is_custom && node.op == "RESIZE_NEAREST_NEIGHBOR" &&
           node.inputs.size() == 2 &&
           IsAlike(node.inputs[0], node.outputs[0]) &&
           node.inputs[1] != kNoValue;
  }

  // Resizes by another rule than the first stay.
  static bool TakesRule(const Node& resize, Maps* maps) {
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

  // The convolution for which enlarged maps take fewer products. What joins
  // others is left to split_concatenation.
  static bool Pays(const Node& conv, const Shape& weights, const Maps& maps) {
    if (!maps.has_resize || weights[1] != 3 || weights[2] != 3) return false;
    for (const char* name :
         {"stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor"}) {
      auto step = conv.attributes.Int(name, 1);
      if (!step.ok() || *step != 1) return false;
    }
    return true;
  }

  const Subgraph& subgraph_;
  const DefUse uses_;
  const SymbolicShapes shapes_;
};

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions& options) {
  if (options.has_op && !options.has_op("CONV_2D_OF_MAPS")) return false;
  const Finder finder(subgraph);
  bool is_changed = false;
  // What is no longer read dies.
  for (Node& node : subgraph.nodes) {
    auto maps = finder.Find(node);
    if (!maps) continue;
    std::vector<ValueId> inputs = {node.inputs[1], InputOrNone(node, 2)};
    inputs.insert(inputs.end(), maps->inputs.begin(), maps->inputs.end());
    node.op = "CONV_2D_OF_MAPS";
    node.version = 1;
    node.inputs = std::move(inputs);
    node.attributes.Set("channels", std::move(maps->channels));
    for (const auto& [name, value] : maps->rule)
      node.attributes.Set(name, value);
    is_changed = true;
  }
  return is_changed;
}

}  // namespace munja::graph::fuse_concatenation
