#include "compress/quantization/quantize.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/control.h"
#include "compress/calibration/compare_outputs.h"
#include "compress/calibration/second_moments.h"
#include "compress/quantization/emit.h"
#include "compress/quantization/prepare.h"
#include "compress/quantization/sensitivity.h"
#include "compress/quantization/tune_bias.h"
#include "graph/op_traits.h"
#include "graph/passes/compact.h"
#include "graph/rewrite/def_use.h"

namespace munja::compress {
namespace {

constexpr int kPatches = 256;  // Per sample and layer.
constexpr size_t kMaxPatch = 1536;

bool Matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// Keeps nodes that must not be int8, whatever it saves.
void KeepNodes(const graph::Subgraph& main, const QuantizeOptions& options,
               std::vector<Precision>* nodes) {
  for (size_t n = 0; n < main.nodes.size(); ++n) {
    const graph::Node& node = main.nodes[n];
    if (node.outputs.empty()) continue;
    const std::string& name =
        main.values[static_cast<size_t>(node.outputs[0])].name;
    for (const std::string& pattern : options.keep) {
      if (!Matches(name, pattern)) continue;
      (*nodes)[n] = LowerTo(main, node, options.kept);
    }
  }
}

void WidenFirstLayers(const graph::Subgraph& main, int layers,
                      std::vector<Precision>* nodes) {
  for (size_t n = 0; n < main.nodes.size(); ++n) {
    const graph::Node& node = main.nodes[n];
    if (graph::FindFloatLinearOp(main, node) != nullptr && layers-- == 0)
      return;
    (*nodes)[n] = LowerTo(main, node, Precision::kInt16);
  }
}

// A softmax that ends in node n, what only moves values before it, and the
// layer that makes its classes: in float with integer weights. So are those of
// all parts, where n joins them. Returns whether there are any.
bool FloatLogitsAt(const graph::Subgraph& main, const graph::DefUse& uses,
                   int n, std::vector<Precision>* nodes) {
  if (n == graph::kNoNode) return false;
  const graph::Node& last = main.nodes[static_cast<size_t>(n)];
  if (last.op == "SQUEEZE" || last.op == "CONCATENATION") {
    bool are_all = true;
    for (const graph::ValueId part : last.inputs)
      are_all &= FloatLogitsAt(main, uses, uses.producer(part), nodes);
    if (are_all)
      (*nodes)[static_cast<size_t>(n)] = LowerTo(main, last, Precision::kFloat);
    return are_all;
  }
  if (last.op != "SOFTMAX") return false;
  while (n != graph::kNoNode) {
    const graph::Node& node = main.nodes[static_cast<size_t>(n)];
    const bool is_linear = graph::FindFloatLinearOp(main, node) != nullptr;
    const graph::QuantizationRule* rule = graph::FindQuantizationRule(node);
    if (!is_linear &&
        (rule == nullptr || rule->kind == graph::QuantizationKind::kFree))
      break;
    (*nodes)[static_cast<size_t>(n)] = LowerTo(
        main, node, is_linear ? Precision::kWeights : Precision::kFloat);
    if (is_linear) break;
    n = uses.producer(node.inputs[0]);
  }
  return true;
}

void FloatLogits(const graph::Subgraph& main, std::vector<Precision>* nodes) {
  const graph::DefUse uses(main);
  for (const graph::ValueId out : main.outputs)
    FloatLogitsAt(main, uses, uses.producer(out), nodes);
}

bool NeedsRanges(Precision mode) {
  return mode == Precision::kInt8 || mode == Precision::kInt16;
}

Status RoundLayers(const graph::Graph& prepared,
                   std::span<const Sample> samples,
                   const QuantizeOptions& options,
                   std::vector<std::optional<RoundedLayer>>* layers) {
  const graph::Subgraph& main = prepared.main();
  std::vector<std::optional<SecondMoments>> moments(main.nodes.size());
  if (!samples.empty() &&
      (options.rounding.error_feedback || options.rounding.correct_bias)) {
    MUNJA_ASSIGN_OR_RETURN(
        moments,
        CollectSecondMoments(prepared, samples, options.pool, kPatches,
                             kMaxPatch, options.rounding.error_feedback));
  }
  layers->resize(main.nodes.size());
  for (size_t n = 0; n < main.nodes.size(); ++n) {
    if (graph::FindFloatLinearOp(main, main.nodes[n]) == nullptr) continue;
    ReportProgress("rounding weights of nodes", n, main.nodes.size());
    auto layer =
        RoundWeights(main, main.nodes[n], moments[n] ? &*moments[n] : nullptr,
                     options.rounding);
    if (!layer.ok())
      return std::move(layer).TakeStatus().With(graph::Describe(main, n));
    (*layers)[n] = std::move(*layer);
    moments[n].reset();
  }
  return Status();
}

}  // namespace

Result<Calibration> Calibrate(const graph::Graph& model,
                              std::span<const Sample> samples,
                              const QuantizeOptions& options) {
  Calibration out;
  out.has_ranges = NeedsRanges(options.mode);
  if (out.has_ranges && samples.empty())
    return InvalidArgument("activations need calibration data");
  MUNJA_ASSIGN_OR_RETURN(out.prepared, Prepare(model));
  if (options.equalize && out.has_ranges) {
    MUNJA_ASSIGN_OR_RETURN(const auto peaks,
                           Collect(out.prepared, samples, options.pool, false));
    MUNJA_ASSIGN_OR_RETURN(out.equalization, Equalize(peaks, &out.prepared));
    graph::CompactValues(out.prepared);
  }
  if (out.has_ranges) {
    MUNJA_ASSIGN_OR_RETURN(out.statistics,
                           Collect(out.prepared, samples, options.pool, true));
  }
  MUNJA_RETURN_IF_ERROR(
      RoundLayers(out.prepared, samples, options, &out.layers));
  if (!samples.empty()) {
    MUNJA_ASSIGN_OR_RETURN(
        out.reference, MakeReference(out.prepared, samples,
                                     options.decision_threshold, options.pool));
  }
  return out;
}

Result<Quantized> Quantize(const graph::Graph& model,
                           std::span<const Sample> samples,
                           const QuantizeOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const Calibration calibration,
                         Calibrate(model, samples, options));
  return Quantize(calibration, samples, options);
}

Result<Quantized> Quantize(const Calibration& calibration,
                           std::span<const Sample> samples,
                           const QuantizeOptions& options) {
  const bool needs_ranges = NeedsRanges(options.mode);
  if (needs_ranges != calibration.has_ranges)
    return InvalidArgument("calibrated for another kind of precision");
  Quantized out;
  out.report.equalization = calibration.equalization;
  const graph::Graph& prepared = calibration.prepared;
  const graph::Subgraph& main = prepared.main();
  Assignment assignment;
  assignment.integer_io = options.integer_io && needs_ranges;
  assignment.nodes = UniformPrecision(main, options.mode);
  if (options.mode == Precision::kInt8 && options.wide_layers > 0)
    WidenFirstLayers(main, options.wide_layers, &assignment.nodes);
  if (needs_ranges && options.float_logits && !options.integer_io)
    FloatLogits(main, &assignment.nodes);
  KeepNodes(main, options, &assignment.nodes);
  assignment.int8.resize(main.values.size());
  assignment.int16.resize(main.values.size());
  assignment.layers = calibration.layers;
  if (needs_ranges) {
    ChooseEncodings(main, calibration.statistics, options.range, &assignment);
    MUNJA_RETURN_IF_ERROR(CheckControl());
  }
  QuantizeReport& report = out.report;
  if (needs_ranges && options.tune_bias)
    MUNJA_RETURN_IF_ERROR(
        TuneBias(prepared, samples, options.pool, &assignment));
  if (calibration.reference) {
    const Reference& reference = *calibration.reference;
    MUNJA_ASSIGN_OR_RETURN(
        OutputLoss loss,
        CompareOutputs(prepared, assignment, samples, reference, options.pool));
    report.loss_before_keeping = loss.relative;
    if (needs_ranges && options.max_loss >= 0) {
      MUNJA_ASSIGN_OR_RETURN(
          report.sensitivity,
          KeepSensitiveNodes(prepared, samples, reference, options.kept,
                             options.max_loss, options.pool, &assignment));
      MUNJA_ASSIGN_OR_RETURN(loss, CompareOutputs(prepared, assignment, samples,
                                                  reference, options.pool));
    }
    report.loss = loss.relative;
    report.decisions = loss.decisions;
  }
  MUNJA_ASSIGN_OR_RETURN(out.graph, Emit(prepared, assignment));
  graph::CompactValues(out.graph);
  MUNJA_RETURN_IF_ERROR(graph::Verify(out.graph));
  for (const Precision p : assignment.nodes) {
    ++report.nodes;
    ++(p == Precision::kFloat ? report.float_nodes : report.integer_nodes);
  }
  for (const graph::Node& node : main.nodes)
    report.layers += graph::FindFloatLinearOp(main, node) != nullptr ? 1 : 0;
  return out;
}

}  // namespace munja::compress
