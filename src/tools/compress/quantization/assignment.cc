#include "compress/quantization/assignment.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/control.h"
#include "graph/op_traits.h"
#include "graph/rewrite/def_use.h"
#include "kernels/elementwise/activation.h"

namespace munja::compress {
namespace {

using graph::kNoNode;
using graph::kNoValue;
using graph::Node;
using graph::Subgraph;
using graph::ValueId;

// Values that are all smaller have no scale that float can divide by.
constexpr double kSmallestRange = 1e-30;

bool IsActivation(const Subgraph& subgraph, ValueId v) {
  if (v == kNoValue) return false;
  const graph::Value& value = subgraph.values[static_cast<size_t>(v)];
  return value.type == ElementType::kFloat32 && !value.constant &&
         !value.is_variable;
}

bool HasFloatOutput(const Subgraph& subgraph, const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId v) { return IsActivation(subgraph, v); });
}

// Sets of values that share one encoding.
class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(size_t a, size_t b) { parent_[Find(a)] = Find(b); }

 private:
  std::vector<size_t> parent_;
};

// The unary function that all readers of a value apply to it; null when they
// differ.
std::function<double(double)> ReaderOf(const Subgraph& subgraph, ValueId v) {
  std::string found;
  for (const Node& node : subgraph.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), v) ==
        node.inputs.end())
      continue;
    if (!found.empty() && found != node.op) return nullptr;
    found = node.op;
  }
  for (const ValueId out : subgraph.outputs)
    if (out == v) return nullptr;
  kernels::ActivationKind kind;
  if (found == "LOGISTIC") {
    kind = kernels::ActivationKind::kSigmoid;
  } else if (found == "GELU") {
    kind = kernels::ActivationKind::kGelu;
  } else if (found == "HARD_SWISH") {
    kind = kernels::ActivationKind::kHardSwish;
  } else if (found == "TANH") {
    kind = kernels::ActivationKind::kTanh;
  } else {
    return nullptr;
  }
  return [activation = kernels::Activation{kind}](double x) {
    return double{
        kernels::reference::Activate(activation, static_cast<float>(x))};
  };
}

}  // namespace

bool CanRun(const Subgraph& subgraph, const Node& node, Precision precision) {
  if (precision == Precision::kFloat) return true;
  const bool is_linear = graph::FindFloatLinearOp(subgraph, node) != nullptr;
  const graph::QuantizationRule* rule = graph::FindQuantizationRule(node);
  switch (precision) {
    case Precision::kWeights:
      return is_linear;
    case Precision::kDynamic:
      return is_linear && node.op != "TRANSPOSE_CONV";
    default:
      break;
  }
  if (rule == nullptr || !HasFloatOutput(subgraph, node)) return false;
  if (rule->kind == graph::QuantizationKind::kLinear && !is_linear)
    return false;
  // Activations that the schema's integer operators cannot fuse.
  const graph::AttributeValue* fused =
      node.attributes.Find("fused_activation_function");
  if (fused != nullptr) {
    bool is_known = false;
    for (const char* name : {"NONE", "RELU", "RELU6", "RELU_N1_TO_1"})
      is_known |= *fused == graph::AttributeValue(std::string(name));
    if (!is_known) return false;
  }
  return precision == Precision::kInt16 ? rule->int16_version > 0
                                        : rule->int8_version > 0;
}

Precision LowerTo(const Subgraph& subgraph, const Node& node,
                  Precision wanted) {
  Precision p = wanted;
  if (p == Precision::kDynamic && !CanRun(subgraph, node, p))
    p = Precision::kWeights;
  return CanRun(subgraph, node, p) ? p : Precision::kFloat;
}

std::vector<Precision> UniformPrecision(const Subgraph& subgraph,
                                        Precision wanted) {
  std::vector<Precision> out;
  for (const Node& node : subgraph.nodes)
    out.push_back(LowerTo(subgraph, node, wanted));
  return out;
}

Encoding EncodingOf(const Range& range) {
  double low = std::min(range.low, 0.0), high = std::max(range.high, 0.0);
  if (!(high - low > kSmallestRange)) high = low + 1.0;
  Encoding e;
  e.scale = static_cast<float>((high - low) / 255.0);
  const double zero = -128.0 - low / static_cast<double>(e.scale);
  e.zero = static_cast<int32_t>(std::clamp(std::round(zero), -128.0, 127.0));
  return e;
}

Encoding Int16EncodingOf(double peak) {
  Encoding e;
  if (peak > kSmallestRange) e.scale = static_cast<float>(peak / 32767.0);
  return e;
}

void ChooseEncodings(const Subgraph& subgraph,
                     const std::vector<ValueStatistics>& statistics,
                     const RangeOptions& range, Assignment* assignment) {
  const size_t count = subgraph.values.size();
  assignment->int8.assign(count, Encoding{});
  assignment->int16.assign(count, Encoding{});
  Groups groups(count);
  std::vector<const graph::QuantizationRule*> fixed(count, nullptr);
  std::vector<std::optional<graph::Clamp>> clamps(count);
  for (const Node& node : subgraph.nodes) {
    const graph::QuantizationRule* rule = graph::FindQuantizationRule(node);
    if (rule == nullptr || !HasFloatOutput(subgraph, node)) continue;
    const ValueId out = node.outputs[0];
    if (rule->kind == graph::QuantizationKind::kFixed)
      fixed[static_cast<size_t>(out)] = rule;
    if (const auto clamp = graph::FindClamp(node))
      clamps[static_cast<size_t>(out)] = clamp;
  }
  // Values that are moved from prescribed ones are prescribed, too; all others
  // that are tied together form a group.
  for (const Node& node : subgraph.nodes) {
    const graph::QuantizationRule* rule = graph::FindQuantizationRule(node);
    if (rule == nullptr || rule->kind != graph::QuantizationKind::kSameScale ||
        !HasFloatOutput(subgraph, node))
      continue;
    std::vector<size_t> tied;
    for (const auto* list : {&node.inputs, &node.outputs})
      for (const ValueId v : *list)
        if (IsActivation(subgraph, v)) tied.push_back(static_cast<size_t>(v));
    const bool is_one_input = tied.size() == node.outputs.size() + 1;
    if (is_one_input && fixed[tied[0]] != nullptr) {
      for (const size_t v : tied) fixed[v] = fixed[tied[0]];
      continue;
    }
    // A prescribed value among others is converted where it is read.
    for (const size_t v : tied)
      if (fixed[v] == nullptr) groups.Join(v, tied.back());
  }
  std::vector<Histogram> merged(count);
  std::vector<ValueId> only(count, kNoValue);
  std::vector<bool> is_alone(count, true);
  for (size_t v = 0; v < count; ++v) {
    if (statistics[v].histogram.count() == 0) continue;
    const size_t g = groups.Find(v);
    merged[g].Merge(statistics[v].histogram);
    if (only[g] != kNoValue) is_alone[g] = false;
    only[g] = static_cast<ValueId>(v);
  }
  for (size_t g = 0; g < count && !IsStopped(); ++g) {
    const Histogram& h = merged[g];
    if (h.count() == 0) continue;
    RangeOptions options = range;
    if (is_alone[g]) options.reader = ReaderOf(subgraph, only[g]);
    Range r = EstimateRange(h, options);
    // A gate from 0 to 1 may open further than calibration saw.
    const auto& clamp = clamps[static_cast<size_t>(only[g])];
    if (is_alone[g] && clamp && clamp->high == 1.0) r = {clamp->low, 1.0};
    assignment->int8[g] = EncodingOf(r);
    assignment->int16[g] =
        Int16EncodingOf(std::max(std::fabs(h.low()), std::fabs(h.high())));
  }
  for (size_t v = 0; v < count; ++v) {
    if (fixed[v] != nullptr) {
      assignment->int8[v] = {fixed[v]->int8_scale, fixed[v]->int8_zero};
      assignment->int16[v] = {fixed[v]->int16_scale, 0};
    } else if (const size_t g = groups.Find(v); g != v) {
      assignment->int8[v] = assignment->int8[g];
      assignment->int16[v] = assignment->int16[g];
    }
  }
}

}  // namespace munja::compress
