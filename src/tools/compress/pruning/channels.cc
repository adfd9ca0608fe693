#include "compress/pruning/channels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "graph/op_traits.h"
#include "graph/passes/compact.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/match.h"

namespace munja::compress {
namespace {

using graph::Node;
using graph::ShapeRule;
using graph::Subgraph;
using graph::Value;
using graph::ValueId;
using Numbers = std::vector<int>;

// Functions of single elements. ShapeRule::kSame is no substitute: it holds for
// SOFTMAX and CUMSUM, too.
constexpr std::string_view kElementwise[] = {
    "ABS",   "CEIL",        "COS",   "DEQUANTIZE",   "ELU",
    "EXP",   "FLOOR",       "GELU",  "HARD_SIGMOID", "HARD_SWISH",
    "LOG",   "LEAKY_RELU",  "NEG",   "LOGISTIC",     "RELU",
    "RELU6", "RELU_0_TO_1", "RSQRT", "RELU_N1_TO_1", "ROUND",
    "SIGN",  "SIN",         "SQRT",  "SQUARE",       "TANH"};
bool IsElementwise(std::string_view op) {
  return std::find(std::begin(kElementwise), std::end(kElementwise), op) !=
         std::end(kElementwise);
}

// Walks the nodes; channel ids that turn out to be the same are joined in a
// forest.
class Walk {
 public:
  explicit Walk(const Subgraph& subgraph)
      : g_(subgraph), of_(subgraph.values.size()) {
    for (const ValueId v : g_.inputs) Fix(Of(v));
    for (size_t n = 0; n < g_.nodes.size(); ++n) {
      if (!Visit(n)) {
        for (const ValueId v : g_.nodes[n].inputs)
          if (v != graph::kNoValue) Fix(Of(v));
        for (const ValueId v : g_.nodes[n].outputs) Fix(Of(v));
      }
    }
    for (const ValueId v : g_.outputs) Fix(Of(v));
  }

  int Root(int i) {
    while (parent_[At(i)] != i)
      i = parent_[At(i)] = parent_[At(parent_[At(i)])];
    return i;
  }
  bool IsFixed(int root) const { return is_fixed_[At(root)]; }
  int size() const { return static_cast<int>(parent_.size()); }
  std::vector<Numbers>& of() { return of_; }
  const std::vector<Filter>& made() const { return made_; }

 private:
  static size_t At(int i) { return static_cast<size_t>(i); }
  const Value& value(ValueId v) const { return g_.values[At(v)]; }

  int New() {
    parent_.push_back(size());
    is_fixed_.push_back(false);
    made_.push_back({g_.nodes.size(), 0});
    return size() - 1;
  }
  Numbers NewList(int count) {
    Numbers list;
    for (int i = 0; i < count; ++i) list.push_back(New());
    return list;
  }
  void Fix(const Numbers& list) {
    for (const int i : list) is_fixed_[At(Root(i))] = true;
  }
  void Join(int a, int b) {
    a = Root(a);
    b = Root(b);
    if (a == b) return;
    is_fixed_[At(std::min(a, b))] = is_fixed_[At(a)] || is_fixed_[At(b)];
    parent_[At(std::max(a, b))] = std::min(a, b);
  }
  void Join(const Numbers& a, const Numbers& b) {
    for (size_t i = 0; i < a.size(); ++i) Join(a[i], b[i]);
  }

  int LastOf(ValueId v) const {
    const Value& x = value(v);
    if (!x.has_shape || x.shape.rank() == 0 || x.shape.back() <= 0) return 0;
    return x.shape.back();
  }

  // A value that no rule has made has channels that stay.
  const Numbers& Of(ValueId v) {
    Numbers& list = of_[At(v)];
    const Value& x = value(v);
    if (list.empty() && !x.constant && x.type == ElementType::kFloat32) {
      list = NewList(LastOf(v));
      Fix(list);
    }
    return list;
  }

  bool Set(const Node& node, Numbers list) {
    if (node.outputs.size() != 1) return false;
    const ValueId out = node.outputs[0];
    if (LastOf(out) != static_cast<int>(list.size()) ||
        value(out).type != ElementType::kFloat32)
      return false;
    of_[At(out)] = std::move(list);
    return true;
  }

  bool Visit(size_t n) {
    const Node& node = g_.nodes[n];
    if (node.is_custom || node.inputs.empty()) return false;
    const std::string_view op = node.op;
    if (graph::FindLinearOp(node) != nullptr) return VisitLinear(n);
    const ShapeRule rule = graph::TraitsOf(node).shape;
    if (rule == ShapeRule::kBroadcast) return VisitBinary(node);
    const ValueId x = node.inputs[0];
    if (op == "SHAPE" || op == "RANK") return true;
    if (x == graph::kNoValue) return false;
    if (IsElementwise(op) || rule == ShapeRule::kPool ||
        rule == ShapeRule::kResize)
      return Set(node, Of(x));
    if (rule == ShapeRule::kReduce) return VisitReduction(node);
    if (rule == ShapeRule::kConcatenation) return VisitConcatenation(node);
    if (rule == ShapeRule::kPad || op == "MIRROR_PAD") return VisitPad(node);
    if (rule == ShapeRule::kReshape) return VisitReshape(node);
    if (op == "SQUEEZE" || op == "EXPAND_DIMS") return VisitSameLast(node);
    if (rule == ShapeRule::kTranspose) return VisitTranspose(node);
    if (op == "SPLIT") return VisitSplit(node);
    if (op == "DEPTH_TO_SPACE") return VisitDepthToSpace(node);
    return false;
  }

  bool VisitLinear(size_t n) {
    const Node& node = g_.nodes[n];
    const graph::LinearOp* linear = graph::FindFloatLinearOp(g_, node);
    if (linear == nullptr) return false;
    const Shape& weights = value(node.inputs[At(linear->weights)]).shape;
    const Numbers in = Of(node.inputs[At(linear->input)]);
    const int outputs = weights[linear->channel_axis];
    if (node.op == "DEPTHWISE_CONV_2D") {
      const int channels = static_cast<int>(in.size());
      if (channels == 0 || outputs % channels != 0) return false;
      Numbers out;
      for (int i = 0; i < outputs; ++i)
        out.push_back(in[At(i / (outputs / channels))]);
      return Set(node, std::move(out));
    }
    // A fully connected layer takes whole maps as rows.
    const int inputs = weights.back();
    const bool is_flat = node.op == "FULLY_CONNECTED";
    const int channels = static_cast<int>(in.size());
    if (channels == 0 || inputs % channels != 0 ||
        (inputs != channels && !is_flat))
      return false;
    if (node.op == "TRANSPOSE_CONV" && !ReadsShape(node.inputs[0]))
      return false;
    Numbers out = NewList(outputs);
    for (int i = 0; i < outputs; ++i) made_[At(out[At(i)])] = {n, i};
    return Set(node, std::move(out));
  }

  bool ReadsShape(ValueId v) const {
    return graph::ReadInts(g_, v).has_value();
  }

  bool VisitBinary(const Node& node) {
    if (node.inputs.size() != 2 || node.outputs.size() != 1) return false;
    Numbers out;
    const int last = LastOf(node.outputs[0]);
    for (const ValueId v : node.inputs) {
      if (v == graph::kNoValue) return false;
      if (value(v).constant && value(v).type != ElementType::kFloat32)
        return false;
      const Numbers& list = Of(v);
      if (list.empty()) {
        // A constant, which follows; any other is unknown.
        if (!value(v).constant) return false;
        const int own = value(v).shape.rank() > 0 ? LastOf(v) : 1;
        if (own != 1 && own != last) return false;
      } else if (static_cast<int>(list.size()) != last) {
        // One map for all channels.
        if (list.size() != 1) return false;
        Fix(list);
      } else if (out.empty()) {
        out = list;
      } else {
        Join(out, list);
      }
    }
    return !out.empty() && Set(node, std::move(out));
  }

  bool VisitReduction(const Node& node) {
    const ValueId x = node.inputs[0];
    const auto axes = node.inputs.size() > 1
                          ? graph::ReadInts(g_, node.inputs[1])
                          : std::nullopt;
    if (!axes) return false;
    const int rank = value(x).shape.rank();
    for (const int64_t axis : *axes)
      if (axis == -1 || axis == rank - 1) return false;
    return Set(node, Of(x));
  }

  bool VisitConcatenation(const Node& node) {
    const auto axis = node.attributes.Int("axis", 0);
    if (!axis.ok()) return false;
    const int rank = value(node.outputs[0]).shape.rank();
    const bool is_last = *axis == -1 || *axis == rank - 1;
    Numbers out;
    for (const ValueId v : node.inputs) {
      const Numbers list = v == graph::kNoValue ? Numbers() : Of(v);
      if (list.empty()) return false;
      if (is_last) {
        out.insert(out.end(), list.begin(), list.end());
      } else if (out.empty()) {
        out = list;
      } else if (out.size() == list.size()) {
        Join(out, list);
      } else {
        return false;
      }
    }
    return Set(node, std::move(out));
  }

  bool VisitPad(const Node& node) {
    const auto pads = node.inputs.size() > 1
                          ? graph::ReadInts(g_, node.inputs[1])
                          : std::nullopt;
    if (!pads || pads->size() < 2 || pads->back() != 0 ||
        (*pads)[pads->size() - 2] != 0)
      return false;
    return Set(node, Of(node.inputs[0]));
  }

  bool VisitSameLast(const Node& node) { return Set(node, Of(node.inputs[0])); }

  // The last dimension stays, or takes in whole rows of channels.
  bool VisitReshape(const Node& node) {
    const ValueId x = node.inputs[0];
    const Numbers in = Of(x);
    const int last = LastOf(node.outputs[0]);
    const auto channels = static_cast<int>(in.size());
    if (channels == 0 || last % channels != 0 || node.inputs.size() < 2 ||
        !ReadsShape(node.inputs[1]))
      return false;
    Numbers out;
    for (int i = 0; i < last; ++i) out.push_back(in[At(i % channels)]);
    return Set(node, std::move(out));
  }

  bool VisitTranspose(const Node& node) {
    const auto order = node.inputs.size() > 1
                           ? graph::ReadInts(g_, node.inputs[1])
                           : std::nullopt;
    if (!order || order->empty() ||
        order->back() != static_cast<int64_t>(order->size()) - 1)
      return false;
    return Set(node, Of(node.inputs[0]));
  }

  // The parts stay equal in size.
  bool VisitSplit(const Node& node) {
    const auto axis = graph::ReadInts(g_, node.inputs[0]);
    if (!axis || axis->size() != 1 || node.inputs.size() != 2) return false;
    const ValueId x = node.inputs[1];
    const Numbers in = Of(x);
    const int rank = value(x).shape.rank();
    const bool is_last = (*axis)[0] == -1 || (*axis)[0] == rank - 1;
    const size_t parts = node.outputs.size();
    if (in.empty() || parts == 0 || (is_last && in.size() % parts != 0))
      return false;
    const size_t size = is_last ? in.size() / parts : in.size();
    const Numbers part(in.begin(), in.begin() + static_cast<ptrdiff_t>(size));
    for (size_t k = 0; k < parts; ++k) {
      if (LastOf(node.outputs[k]) != static_cast<int>(size)) return false;
      for (size_t i = 0; is_last && i < size; ++i)
        Join(part[i], in[k * size + i]);
    }
    for (const ValueId v : node.outputs) of_[At(v)] = part;
    return true;
  }

  // Channel k * n + c of the input is pixel k of channel c of n.
  bool VisitDepthToSpace(const Node& node) {
    const auto block = node.attributes.Int("block_size", 0);
    const Numbers in = Of(node.inputs[0]);
    if (!block.ok() || *block < 1) return false;
    const auto pixels = static_cast<size_t>(*block * *block);
    if (in.empty() || in.size() % pixels != 0) return false;
    const size_t n = in.size() / pixels;
    for (size_t i = n; i < in.size(); ++i) Join(in[i % n], in[i]);
    return Set(node,
               Numbers(in.begin(), in.begin() + static_cast<ptrdiff_t>(n)));
  }

  const Subgraph& g_;
  std::vector<Numbers> of_;
  std::vector<int> parent_;
  std::vector<bool> is_fixed_;
  std::vector<Filter> made_;  // node: past the end where no layer makes it.
};

// Rewrites one subgraph.
class Cutter {
 public:
  Cutter(Subgraph& subgraph, const Channels& channels,
         const std::vector<bool>& keeps)
      : g_(subgraph), channels_(channels), keeps_(keeps) {}

  void Run() {
    const size_t values = g_.values.size();
    for (Node& node : g_.nodes) {
      if (graph::FindFloatLinearOp(g_, node) != nullptr) CutLinear(node);
      if (graph::TraitsOf(node).shape == ShapeRule::kBroadcast) CutBinary(node);
      if (node.op == "RESHAPE") CutShape(node, 1, node.outputs[0]);
    }
    for (size_t v = 0; v < values; ++v) {
      const Numbers& list = channels_.Of(static_cast<ValueId>(v));
      if (!list.empty() && !g_.values[v].constant)
        SetLast(&g_.values[v].shape, Kept(list).size());
    }
  }

 private:
  static void SetLast(Shape* shape, size_t channels) {
    (*shape)[shape->rank() - 1] = static_cast<int32_t>(channels);
  }

  // Positions of what is kept.
  std::vector<int> Kept(const Numbers& list) const {
    std::vector<int> kept;
    for (size_t i = 0; i < list.size(); ++i)
      if (keeps_[static_cast<size_t>(list[i])])
        kept.push_back(static_cast<int>(i));
    return kept;
  }

  // A float constant with these positions of an axis only.
  ValueId Sliced(ValueId v, int axis, const std::vector<int>& positions) {
    if (v == graph::kNoValue) return v;
    const Shape shape = g_.values[static_cast<size_t>(v)].shape;
    if (shape[axis] == static_cast<int32_t>(positions.size())) return v;
    const auto data = graph::ReadFloats(g_, v);
    if (!data) return v;
    size_t inner = 1, outer = 1;
    for (int i = 0; i < axis; ++i) outer *= static_cast<size_t>(shape[i]);
    for (int i = axis + 1; i < shape.rank(); ++i)
      inner *= static_cast<size_t>(shape[i]);
    const auto length = static_cast<size_t>(shape[axis]);
    std::vector<float> cut;
    cut.reserve(outer * positions.size() * inner);
    for (size_t o = 0; o < outer; ++o)
      for (const int p : positions) {
        const auto from =
            data->begin() + static_cast<ptrdiff_t>(
                                (o * length + static_cast<size_t>(p)) * inner);
        cut.insert(cut.end(), from, from + static_cast<ptrdiff_t>(inner));
      }
    Shape small = shape;
    small[axis] = static_cast<int32_t>(positions.size());
    return graph::AddFloats(g_, g_.values[static_cast<size_t>(v)].name, small,
                            cut);
  }

  void CutLinear(Node& node) {
    const graph::LinearOp linear = *graph::FindFloatLinearOp(g_, node);
    const auto input = [&](int i) -> ValueId& {
      return node.inputs[static_cast<size_t>(i)];
    };
    const Numbers& out = channels_.Of(node.outputs[0]);
    if (!out.empty()) {
      const std::vector<int> kept = Kept(out);
      input(linear.weights) =
          Sliced(input(linear.weights), linear.channel_axis, kept);
      if (graph::InputOrNone(node, linear.bias) != graph::kNoValue)
        input(linear.bias) = Sliced(input(linear.bias), 0, kept);
    }
    if (node.op == "TRANSPOSE_CONV") CutShape(node, 0, node.outputs[0]);
    const Numbers& in = channels_.Of(input(linear.input));
    if (node.op == "DEPTHWISE_CONV_2D" || in.empty()) return;
    const Shape& weights =
        g_.values[static_cast<size_t>(input(linear.weights))].shape;
    Numbers all;
    for (int i = 0; i < weights.back(); ++i)
      all.push_back(in[static_cast<size_t>(i) % in.size()]);
    input(linear.weights) =
        Sliced(input(linear.weights), weights.rank() - 1, Kept(all));
  }

  void CutBinary(Node& node) {
    const Numbers& list = channels_.Of(node.outputs[0]);
    if (list.empty()) return;
    for (ValueId& v : node.inputs) {
      const Value& x = g_.values[static_cast<size_t>(v)];
      if (x.constant && x.shape.rank() > 0 &&
          x.shape.back() == static_cast<int32_t>(list.size()) &&
          list.size() > 1)
        v = Sliced(v, x.shape.rank() - 1, Kept(list));
    }
  }

  // The last element of a constant shape becomes the channel count of `like`.
  void CutShape(Node& node, size_t input, ValueId like) {
    const Numbers& list = channels_.Of(like);
    if (list.empty() || node.inputs.size() <= input) return;
    const ValueId v = node.inputs[input];
    auto shape = graph::ReadInts(g_, v);
    const auto kept = static_cast<int64_t>(Kept(list).size());
    if (!shape || shape->empty() || kept == static_cast<int64_t>(list.size()) ||
        shape->back() < 0)
      return;
    shape->back() = kept;
    const std::vector<int32_t> numbers(shape->begin(), shape->end());
    Value cut = g_.values[static_cast<size_t>(v)];
    cut.type = ElementType::kInt32;
    std::vector<uint8_t> bytes(numbers.size() * sizeof(int32_t));
    std::copy_n(reinterpret_cast<const uint8_t*>(numbers.data()), bytes.size(),
                bytes.data());
    cut.constant = graph::MakeConstant(std::move(bytes));
    node.inputs[input] = g_.AddValue(std::move(cut));
    node.attributes.Remove("new_shape");
  }

  Subgraph& g_;
  const Channels& channels_;
  const std::vector<bool>& keeps_;
};

}  // namespace

Channels Channels::Find(const Subgraph& subgraph) {
  Walk walk(subgraph);
  Channels found;
  // Ids without gaps, in the order of their first appearance.
  std::vector<int> number(static_cast<size_t>(walk.size()), -1);
  std::vector<bool> is_fixed;
  for (int i = 0; i < walk.size(); ++i) {
    const int root = walk.Root(i);
    int& n = number[static_cast<size_t>(root)];
    if (n < 0) {
      n = found.count();
      found.filters_.emplace_back();
      is_fixed.push_back(walk.IsFixed(root));
    }
    number[static_cast<size_t>(i)] = n;
    const Filter& made = walk.made()[static_cast<size_t>(i)];
    if (made.node < subgraph.nodes.size())
      found.filters_[static_cast<size_t>(n)].push_back(made);
  }
  found.of_ = std::move(walk.of());
  for (Numbers& list : found.of_)
    for (int& i : list) i = number[static_cast<size_t>(i)];
  std::map<std::vector<size_t>, size_t> groups;
  for (int i = 0; i < found.count(); ++i) {
    if (is_fixed[static_cast<size_t>(i)] || found.FiltersOf(i).empty())
      continue;
    std::vector<size_t> layers;
    for (const Filter& filter : found.FiltersOf(i))
      layers.push_back(filter.node);
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    const auto [at, is_new] = groups.emplace(layers, found.groups_.size());
    if (is_new) found.groups_.push_back({std::move(layers), {}});
    found.groups_[at->second].channels.push_back(i);
  }
  return found;
}

const std::vector<int>& Channels::Of(graph::ValueId v) const {
  static const Numbers kNone;
  return v < 0 || static_cast<size_t>(v) >= of_.size()
             ? kNone
             : of_[static_cast<size_t>(v)];
}

Result<graph::Graph> WithoutChannels(const graph::Graph& graph,
                                     const Channels& channels,
                                     const std::vector<bool>& keeps) {
  graph::Graph cut = graph;
  Cutter(cut.main(), channels, keeps).Run();
  graph::CompactValues(cut);
  MUNJA_RETURN_IF_ERROR(graph::Verify(cut));
  return cut;
}

}  // namespace munja::compress
