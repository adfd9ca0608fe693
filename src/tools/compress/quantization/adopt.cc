#include "compress/quantization/adopt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/control.h"
#include "compress/quantization/assignment.h"
#include "compress/quantization/emit.h"
#include "compress/quantization/prepare.h"
#include "compress/quantization/round_weights.h"
#include "graph/op_traits.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

using graph::kNoValue;
using graph::Node;
using graph::Subgraph;
using graph::Value;
using graph::ValueId;

// By the names of values, which outlive Prepare.
struct Pairs {
  std::map<std::string, Encoding> encodings;
  // A value that is also read without rounding: its writer stays float.
  std::set<std::string> also_read;
};

// The scale that an operator prescribes for its output may be this much coarser
// than the source's: half of it is less than a step of the source. (It does not
// clip where the source clips, which is no loss.)
constexpr float kCoarser = 1.5f;

bool Contains(const std::vector<ValueId>& list, ValueId v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

// Removes the pairs: readers of their results read the original values, whose
// names are then keys of `pairs`. Returns the obstacle, if any.
std::string TakePairs(graph::Graph* graph, Pairs* pairs) {
  Subgraph& main = graph->main();
  std::vector<int> maker(main.values.size(), -1);
  for (size_t n = 0; n < main.nodes.size(); ++n)
    for (const ValueId v : main.nodes[n].outputs)
      if (v != kNoValue) maker[static_cast<size_t>(v)] = static_cast<int>(n);
  const auto value = [&](ValueId v) -> Value& {
    return main.values[static_cast<size_t>(v)];
  };
  std::map<ValueId, ValueId> stands_for;
  std::set<ValueId> rounded;
  const auto follow = [&](ValueId& v) {
    if (const auto it = stands_for.find(v); it != stands_for.end())
      v = it->second;
  };
  for (const Node& node : main.nodes) {
    if (node.op != "DEQUANTIZE") continue;
    const ValueId stored = node.inputs[0], result = node.outputs[0];
    const int n = maker[static_cast<size_t>(stored)];
    if (n < 0 || main.nodes[static_cast<size_t>(n)].op != "QUANTIZE") continue;
    // The value whose axis was moved may have been rounded just before.
    ValueId real = main.nodes[static_cast<size_t>(n)].inputs[0];
    follow(real);
    const Quantization& q = value(stored).quantization;
    if (value(stored).type != ElementType::kInt8 || q.scales.size() != 1 ||
        value(real).type != ElementType::kFloat32 || value(real).constant ||
        value(result).type != ElementType::kFloat32)
      continue;
    const Encoding encoding{
        q.scales[0],
        q.zero_points.empty() ? 0 : static_cast<int32_t>(q.zero_points[0])};
    const auto [it, is_new] =
        pairs->encodings.try_emplace(value(real).name, encoding);
    if (!is_new && it->second != encoding)
      return "'" + value(real).name + "' is stored in two ways";
    if (Contains(main.outputs, result)) {
      if (Contains(main.inputs, real) || Contains(main.outputs, real))
        return "an output is an input or another output";
      pairs->encodings.erase(it);
      std::swap(value(real).name, value(result).name);
      pairs->encodings.emplace(value(real).name, encoding);
    }
    stands_for[result] = real;
    rounded.insert(real);
  }
  for (const Node& node : main.nodes) {
    if (node.op == "QUANTIZE") continue;
    for (const ValueId v : node.inputs)
      if (rounded.contains(v)) pairs->also_read.insert(value(v).name);
  }
  for (const ValueId v : main.outputs)
    if (rounded.contains(v)) pairs->also_read.insert(value(v).name);
  for (Node& node : main.nodes) {
    for (ValueId& v : node.inputs) follow(v);
  }
  for (ValueId& v : main.outputs) follow(v);
  for (graph::Signature& signature : graph->signatures)
    for (auto& [name, v] : signature.outputs) follow(v);
  std::erase_if(main.nodes, [&](const Node& node) {
    return node.op == "DEQUANTIZE" && stands_for.contains(node.outputs[0]);
  });
  // A QUANTIZE goes with its last reader.
  std::set<ValueId> read(main.outputs.begin(), main.outputs.end());
  for (const Node& node : main.nodes)
    read.insert(node.inputs.begin(), node.inputs.end());
  std::erase_if(main.nodes, [&](const Node& node) {
    return node.op == "QUANTIZE" && !read.contains(node.outputs[0]);
  });
  for (const Node& node : main.nodes)
    if (node.op == "QUANTIZE")
      return "'" + value(node.outputs[0]).name + "' is read as integers";
  return "";
}

class Adopter {
 public:
  Adopter(const Subgraph& main, const Pairs& given)
      : main_(main), given_(given), encodings_(main.values.size()) {
    for (size_t v = 0; v < main.values.size(); ++v) {
      const auto it = given.encodings.find(main.values[v].name);
      if (it != given.encodings.end() && IsActivation(static_cast<ValueId>(v)))
        encodings_[v] = it->second;
    }
  }

  Result<Assignment> Run() {
    Spread();
    Assignment assignment;
    assignment.layers.resize(main_.nodes.size());
    for (size_t n = 0; n < main_.nodes.size(); ++n) {
      MUNJA_RETURN_IF_ERROR(CheckControl());
      const Node& node = main_.nodes[n];
      bool is_integer = CanRun(main_, node, Precision::kInt8);
      for (const auto* list : {&node.inputs, &node.outputs})
        for (const ValueId v : *list)
          is_integer = is_integer && (!IsActivation(v) || At(v).has_value());
      for (const ValueId v : node.outputs)
        is_integer = is_integer && !IsAlsoRead(v);
      const graph::QuantizationRule* rule = graph::FindQuantizationRule(node);
      const bool is_fixed =
          is_integer && rule->kind == graph::QuantizationKind::kFixed;
      if (is_fixed)
        is_integer = rule->int8_scale <= kCoarser * At(node.outputs[0])->scale;
      if (is_integer && graph::FindFloatLinearOp(main_, node) != nullptr) {
        MUNJA_ASSIGN_OR_RETURN(assignment.layers[n], StoredLayer(node));
        is_integer = assignment.layers[n].has_value();
      }
      assignment.nodes.push_back(is_integer ? Precision::kInt8
                                            : Precision::kFloat);
      if (is_fixed && is_integer)
        At(node.outputs[0]) = Encoding{rule->int8_scale, rule->int8_zero};
    }
    for (const std::optional<Encoding>& e : encodings_)
      assignment.int8.push_back(e.value_or(Encoding{}));
    assignment.int16.resize(encodings_.size());
    return assignment;
  }

 private:
  std::optional<Encoding>& At(ValueId v) {
    return encodings_[static_cast<size_t>(v)];
  }
  bool IsActivation(ValueId v) const {
    if (v == kNoValue) return false;
    const Value& value = main_.values[static_cast<size_t>(v)];
    return value.type == ElementType::kFloat32 && !value.constant &&
           !value.is_variable;
  }

  bool IsAlsoRead(ValueId v) const {
    return v != kNoValue &&
           given_.also_read.contains(main_.values[static_cast<size_t>(v)].name);
  }

  // An operator that only moves elements between a pair and another operator
  // stores them like either. (PAD adds zeros, which every pair can represent.)
  void Spread() {
    constexpr std::array<std::string_view, 6> kMoves = {
        "RESHAPE", "TRANSPOSE", "SQUEEZE", "EXPAND_DIMS", "MAX_POOL_2D", "PAD"};
    const auto move = [&](const Node& node, bool forward) {
      if (std::find(kMoves.begin(), kMoves.end(), node.op) == kMoves.end())
        return;
      const ValueId x = node.inputs[0], y = node.outputs[0];
      if (!IsActivation(x) || !IsActivation(y)) return;
      if (forward && At(x) && !At(y)) At(y) = At(x);
      if (!forward && At(y) && !At(x) && !Contains(main_.inputs, x))
        At(x) = At(y);
    };
    for (const Node& node : main_.nodes) move(node, true);
    for (auto it = main_.nodes.rbegin(); it != main_.nodes.rend(); ++it)
      move(*it, false);
  }

  // The weights as int8 if that rounds none of them. They were integers times
  // a scale for each output: the fewest steps to the largest of them by which
  // all are whole.
  Result<std::optional<RoundedLayer>> StoredLayer(const Node& node) const {
    RoundingOptions options;
    options.error_feedback = options.correct_bias = false;
    MUNJA_ASSIGN_OR_RETURN(RoundedLayer layer,
                           RoundWeights(main_, node, nullptr, options));
    const graph::LinearOp& linear = *graph::FindFloatLinearOp(main_, node);
    const auto weights = graph::ReadFloats(
        main_, node.inputs[static_cast<size_t>(linear.weights)]);
    if (!weights) return Internal("the weights cannot be read");
    const size_t channels = layer.scales.size();
    const size_t size = weights->size() / channels;
    const bool is_last = layer.axis + 1 == layer.shape.rank() && layer.axis > 0;
    const auto at = [&](size_t c, size_t i) {
      return is_last ? i * channels + c : c * size + i;
    };
    for (size_t c = 0; c < channels; ++c) {
      double peak = 0;
      for (size_t i = 0; i < size; ++i)
        peak = std::max(peak, std::fabs(double{(*weights)[at(c, i)]}));
      if (peak == 0) continue;  // As in RoundWeights.
      const auto fits = [&](int steps) {
        for (size_t i = 0; i < size; ++i) {
          const double stored = (*weights)[at(c, i)] * (steps / peak);
          if (std::fabs(stored - std::round(stored)) > 1e-3) return false;
        }
        return true;
      };
      int steps = 1;
      while (steps <= 127 && !fits(steps)) ++steps;
      if (steps > 127) return std::optional<RoundedLayer>();
      layer.scales[c] = static_cast<float>(peak / steps);
      for (size_t i = 0; i < size; ++i)
        layer.weights[at(c, i)] = static_cast<int8_t>(
            std::lround((*weights)[at(c, i)] * (steps / peak)));
    }
    return std::optional(std::move(layer));
  }

  const Subgraph& main_;
  const Pairs& given_;
  std::vector<std::optional<Encoding>> encodings_;  // By value.
};

}  // namespace

Result<Adopted> AdoptPairs(const graph::Graph& model) {
  Adopted adopted;
  adopted.graph = model;
  const auto keep = [&](std::string why) {
    adopted.graph = model;
    adopted.why_not = std::move(why);
    return adopted;
  };
  if (model.subgraphs.size() != 1) {
    for (const graph::Subgraph& subgraph : model.subgraphs)
      for (const Node& node : subgraph.nodes)
        if (node.op == "QUANTIZE") return keep("it has several subgraphs");
    return adopted;
  }
  Pairs pairs;
  std::string why = TakePairs(&adopted.graph, &pairs);
  if (pairs.encodings.empty()) return keep("");
  if (!why.empty()) return keep(std::move(why));
  const auto prepared = Prepare(adopted.graph);
  MUNJA_RETURN_IF_ERROR(CheckControl());
  if (!prepared.ok()) return keep(std::string(prepared.status().message()));
  MUNJA_ASSIGN_OR_RETURN(const Assignment assignment,
                         Adopter(prepared->main(), pairs).Run());
  const auto integers = std::count(assignment.nodes.begin(),
                                   assignment.nodes.end(), Precision::kInt8);
  if (integers == 0)
    return keep("no operator has all that it reads and writes in a pair");
  adopted.integer_nodes = static_cast<int>(integers);
  adopted.float_nodes =
      static_cast<int>(assignment.nodes.size()) - adopted.integer_nodes;
  MUNJA_ASSIGN_OR_RETURN(adopted.graph, Emit(*prepared, assignment));
  return adopted;
}

}  // namespace munja::compress
