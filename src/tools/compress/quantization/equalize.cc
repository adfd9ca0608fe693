#include "compress/quantization/equalize.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "graph/op_traits.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

using graph::kNoValue;
using graph::LinearOp;
using graph::Node;
using graph::Subgraph;
using graph::ValueId;

// Factors beyond this would only move the trouble into the weights.
constexpr double kMaxFactor = 64.0;

class Equalizer {
 public:
  Equalizer(const std::vector<ValueStatistics>& statistics, Subgraph* subgraph)
      : statistics_(statistics),
        sub_(*subgraph),
        parent_(subgraph->values.size()),
        is_pinned_(subgraph->values.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  EqualizationReport Run() {
    for (const ValueId v : sub_.inputs) Pin(v);
    for (const ValueId v : sub_.outputs) Pin(v);
    for (size_t n = 0; n < sub_.nodes.size(); ++n) Tie(n);
    std::map<size_t, std::vector<ValueId>> groups;
    for (size_t v = 0; v < parent_.size(); ++v)
      if (!statistics_[v].channel_peak.empty())
        groups[Find(v)].push_back(static_cast<ValueId>(v));
    EqualizationReport report;
    for (const auto& [root, members] : groups) Treat(members, &report);
    return report;
  }

 private:
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(ValueId a, ValueId b) {
    parent_[Find(static_cast<size_t>(a))] = Find(static_cast<size_t>(b));
  }
  void Pin(ValueId v) {
    if (v != kNoValue) is_pinned_[static_cast<size_t>(v)] = true;
  }
  void PinAll(const Node& node) {
    for (const ValueId v : node.inputs) Pin(v);
    for (const ValueId v : node.outputs) Pin(v);
  }
  const ValueStatistics& At(ValueId v) const {
    return statistics_[static_cast<size_t>(v)];
  }
  bool IsActivation(ValueId v) const {
    return v != kNoValue && !At(v).channel_peak.empty();
  }

  // Weights whose last dimension is that of the input's channels, or the
  // channels of a depthwise convolution without a multiplier.
  bool IsPlain(const Node& node, const LinearOp& linear) const {
    const ValueId x = node.inputs[static_cast<size_t>(linear.input)];
    if (!IsActivation(x) || !IsActivation(node.outputs[0])) return false;
    const Shape& w =
        sub_.values[static_cast<size_t>(
                        node.inputs[static_cast<size_t>(linear.weights)])]
            .shape;
    return At(x).channel_peak.size() == static_cast<size_t>(w.back()) &&
           At(node.outputs[0]).channel_peak.size() ==
               static_cast<size_t>(w[linear.channel_axis]);
  }

  void Tie(size_t n) {
    const Node& node = sub_.nodes[n];
    if (const LinearOp* linear = graph::FindFloatLinearOp(sub_, node)) {
      const graph::AttributeValue* fused =
          node.attributes.Find("fused_activation_function");
      const bool scales_along =
          graph::HasNoActivation(node) ||
          (fused != nullptr &&
           *fused == graph::AttributeValue(std::string("RELU")));
      if (!IsPlain(node, *linear)) {
        PinAll(node);
        return;
      }
      readers_[node.inputs[static_cast<size_t>(linear->input)]].push_back(n);
      writer_[node.outputs[0]] = n;
      if (!scales_along) Pin(node.outputs[0]);
      return;
    }
    TieOther(node);
  }

  void TieOther(const Node& node) {
    if (node.op == "SHAPE") return;
    if (node.is_custom || node.outputs.size() != 1 ||
        !graph::HasNoActivation(node) || !IsActivation(node.outputs[0])) {
      PinAll(node);
      return;
    }
    const ValueId out = node.outputs[0];
    const size_t channels = At(out).channel_peak.size();
    const auto fits = [&](ValueId v) {
      return IsActivation(v) && At(v).channel_peak.size() == channels;
    };
    if (node.op == "ADD" && fits(node.inputs[0]) && fits(node.inputs[1])) {
      Join(node.inputs[0], out);
      Join(node.inputs[1], out);
      return;
    }
    if (node.op == "MUL" && fits(node.inputs[0]) && fits(node.inputs[1])) {
      // The smaller factor is the gate; it keeps its scale.
      const bool second_is_gate =
          At(node.inputs[1]).image <= At(node.inputs[0]).image;
      Join(node.inputs[second_is_gate ? 0 : 1], out);
      Pin(node.inputs[second_is_gate ? 1 : 0]);
      return;
    }
    const bool goes_along = graph::TraitsOf(node).keeps_factors &&
                            fits(node.inputs[0]) && KeepsChannels(node);
    if (goes_along) {
      Join(node.inputs[0], out);
    } else {
      PinAll(node);
    }
  }

  // MEAN over, or a squeeze of, the channels themselves mixes them.
  bool KeepsChannels(const Node& node) const {
    const int rank = At(node.inputs[0]).rank;
    if (node.op == "MEAN" || node.op == "EXPAND_DIMS") {
      const auto axes = graph::ReadInts(sub_, node.inputs[1]);
      if (!axes) return false;
      for (const int64_t axis : *axes) {
        const int64_t limit = node.op == "MEAN" ? rank : rank + 1;
        if ((axis < 0 ? axis + limit : axis) == limit - 1) return false;
      }
      return true;
    }
    if (node.op == "SQUEEZE") {
      const auto dims = node.attributes.Ints("squeeze_dims");
      if (!dims.ok() || dims->empty()) return false;
      return std::all_of(dims->begin(), dims->end(), [&](int64_t d) {
        return (d < 0 ? d + rank : d) != rank - 1;
      });
    }
    return true;
  }

  void Treat(const std::vector<ValueId>& members, EqualizationReport* report) {
    const size_t channels = At(members[0]).channel_peak.size();
    std::vector<double> peak(channels, 0.0), weight(channels, 0.0);
    bool has_writer = false, has_reader = false, has_dense_reader = false;
    for (const ValueId v : members) {
      if (is_pinned_[static_cast<size_t>(v)] ||
          At(v).channel_peak.size() != channels)
        return;
      for (size_t c = 0; c < channels; ++c)
        peak[c] = std::max(peak[c], double{At(v).channel_peak[c]});
      has_writer |= writer_.contains(v);
      if (const auto found = readers_.find(v); found != readers_.end()) {
        has_reader = true;
        for (const size_t n : found->second)
          has_dense_reader |= AddColumnPeaks(sub_.nodes[n], &weight);
      }
    }
    if (!has_writer || !has_reader) return;
    const double top = *std::max_element(peak.begin(), peak.end());
    if (!(top > 0)) return;
    std::vector<double> factor(channels, 1.0);
    double largest = 0, smallest = kMaxFactor;
    for (size_t c = 0; c < channels; ++c) {
      const double a = peak[c] / top;
      if (!(a > 0)) continue;
      // A depthwise reader has a scale for each channel and loses nothing.
      factor[c] = !has_dense_reader ? a
                  : weight[c] > 0   ? std::sqrt(a / weight[c])
                                    : a;
      largest = std::max(largest, factor[c]);
    }
    if (!(largest > 0)) return;
    for (size_t c = 0; c < channels; ++c) {
      if (!(peak[c] > 0)) {
        factor[c] = 1.0;
        continue;
      }
      factor[c] = std::max(factor[c] / largest, 1.0 / kMaxFactor);
      smallest = std::min(smallest, factor[c]);
    }
    ++report->groups;
    report->widest = std::max(report->widest, 1.0 / smallest);
    for (const ValueId v : members) {
      if (const auto w = writer_.find(v); w != writer_.end())
        ScaleOutputs(&sub_.nodes[w->second], factor);
      if (const auto r = readers_.find(v); r != readers_.end())
        for (const size_t n : r->second) ScaleInputs(&sub_.nodes[n], factor);
    }
  }

  // The largest share that a channel has in the range of any output; false for
  // a depthwise node, which does not care.
  bool AddColumnPeaks(const Node& node, std::vector<double>* weight) const {
    if (node.op == "DEPTHWISE_CONV_2D") return false;
    const LinearOp* linear = graph::FindFloatLinearOp(sub_, node);
    const auto data = graph::ReadFloats(
        sub_, node.inputs[static_cast<size_t>(linear->weights)]);
    const size_t channels = weight->size();
    const Shape& shape =
        sub_.values[static_cast<size_t>(
                        node.inputs[static_cast<size_t>(linear->weights)])]
            .shape;
    const auto outputs = static_cast<size_t>(shape[0]);
    const size_t row = data->size() / std::max<size_t>(1, outputs);
    for (size_t o = 0; o < outputs; ++o) {
      const float* w = data->data() + o * row;
      double top = 0;
      for (size_t i = 0; i < row; ++i)
        top = std::max(top, std::fabs(double{w[i]}));
      if (!(top > 0)) continue;
      for (size_t i = 0; i < row; ++i) {
        double& share = (*weight)[i % channels];
        share = std::max(share, std::fabs(double{w[i]}) / top);
      }
    }
    return true;
  }

  void Replace(Node* node, int input, const std::vector<float>& data) {
    const ValueId old = node->inputs[static_cast<size_t>(input)];
    const std::string name = sub_.values[static_cast<size_t>(old)].name;
    const Shape shape = sub_.values[static_cast<size_t>(old)].shape;
    node->inputs[static_cast<size_t>(input)] =
        graph::AddFloats(sub_, name, shape, data);
  }

  void ScaleInputs(Node* node, const std::vector<double>& factor) {
    const LinearOp* linear = graph::FindFloatLinearOp(sub_, *node);
    auto data = graph::ReadFloats(
        sub_, node->inputs[static_cast<size_t>(linear->weights)]);
    for (size_t i = 0; i < data->size(); ++i)
      (*data)[i] *= static_cast<float>(factor[i % factor.size()]);
    Replace(node, linear->weights, *data);
  }

  void ScaleOutputs(Node* node, const std::vector<double>& factor) {
    const LinearOp* linear = graph::FindFloatLinearOp(sub_, *node);
    const ValueId id = node->inputs[static_cast<size_t>(linear->weights)];
    auto data = graph::ReadFloats(sub_, id);
    const Shape& shape = sub_.values[static_cast<size_t>(id)].shape;
    const auto inner = static_cast<size_t>(
        shape.elements(linear->channel_axis + 1, shape.rank()));
    for (size_t i = 0; i < data->size(); ++i)
      (*data)[i] /= static_cast<float>(factor[i / inner % factor.size()]);
    Replace(node, linear->weights, *data);
    const ValueId bias_id = graph::InputOrNone(*node, linear->bias);
    if (bias_id == kNoValue) return;
    auto bias = graph::ReadFloats(sub_, bias_id);
    for (size_t c = 0; c < bias->size(); ++c)
      (*bias)[c] /= static_cast<float>(factor[c]);
    Replace(node, linear->bias, *bias);
  }

  const std::vector<ValueStatistics>& statistics_;
  Subgraph& sub_;
  std::vector<size_t> parent_;
  std::vector<bool> is_pinned_;
  std::map<ValueId, std::vector<size_t>> readers_;  // Linear nodes.
  std::map<ValueId, size_t> writer_;
};

}  // namespace

Result<EqualizationReport> Equalize(
    const std::vector<ValueStatistics>& statistics, graph::Graph* graph) {
  if (statistics.size() != graph->main().values.size())
    return Internal("statistics of another graph");
  return Equalizer(statistics, &graph->main()).Run();
}

}  // namespace munja::compress
