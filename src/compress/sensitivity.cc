#include "compress/sensitivity.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/control.h"
#include "compress/emit.h"
#include "graph/op_traits.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"
#include "runtime/session.h"

namespace munja::compress {
namespace {

// Elements of the inputs of all samples used; each layer takes a run of them.
constexpr size_t kMaxElements = size_t{8} << 20;

// Milliseconds of each node of one run, by the name of its output.
Result<std::map<std::string, double>> TimeNodes(
    const graph::Graph& graph, const Sample& sample,
    const std::shared_ptr<ThreadPool>& pool) {
  runtime::SessionOptions options;
  options.pool = pool;
  options.run_passes = false;
  options.profile = true;
  MUNJA_ASSIGN_OR_RETURN(
      const auto session,
      runtime::CreateSession(std::make_shared<const graph::Graph>(graph),
                             options));
  std::vector<TensorView> views;
  for (const CalibrationTensor& tensor : sample) {
    TensorView view;
    view.shape = tensor.shape;
    view.data = const_cast<float*>(tensor.values.data());
    view.bytes = tensor.values.size() * sizeof(float);
    views.push_back(view);
  }
  // The first run pays for plans and memory.
  MUNJA_RETURN_IF_ERROR(session->Run(views).TakeStatus());
  session->ResetProfile();
  constexpr int kRuns = 3;
  for (int i = 0; i < kRuns; ++i)
    MUNJA_RETURN_IF_ERROR(session->Run(views).TakeStatus());
  std::map<std::string, double> times;
  for (const runtime::NodeProfile& row : session->Profile())
    times[row.name] += row.milliseconds / kRuns;
  return times;
}

// A layer and the activation that alone reads it.
struct Candidate {
  std::vector<size_t> nodes;
  Sensitivity row;
};

std::vector<Candidate> FindCandidates(const graph::Subgraph& main,
                                      const Assignment& assignment) {
  const graph::DefUse uses(main);
  std::vector<Candidate> found;
  for (size_t n = 0; n < main.nodes.size(); ++n) {
    const graph::Node& node = main.nodes[n];
    if (!assignment.layers[n] || (assignment.nodes[n] != Precision::kInt8 &&
                                  assignment.nodes[n] != Precision::kInt16))
      continue;
    Candidate candidate;
    candidate.nodes = {n};
    candidate.row.op = node.op;
    candidate.row.name = main.values[static_cast<size_t>(node.outputs[0])].name;
    const int reader = uses.only_reader(node.outputs[0]);
    if (reader != graph::kNoNode) {
      const graph::Node& after = main.nodes[static_cast<size_t>(reader)];
      const graph::QuantizationRule* rule = graph::FindQuantizationRule(after);
      if (rule != nullptr && after.inputs.size() == 1 &&
          rule->kind != graph::QuantizationKind::kSameScale)
        candidate.nodes.push_back(static_cast<size_t>(reader));
    }
    found.push_back(std::move(candidate));
  }
  return found;
}

void Keep(const graph::Subgraph& main, const Candidate& candidate,
          Precision kept, Assignment* assignment) {
  for (const size_t n : candidate.nodes)
    assignment->nodes[n] = LowerTo(main, main.nodes[n], kept);
}

}  // namespace

Result<std::vector<Sensitivity>> KeepSensitiveNodes(
    const graph::Graph& prepared, std::span<const Sample> samples,
    const Reference& reference, Precision kept, double max_loss,
    const std::shared_ptr<ThreadPool>& pool, Assignment* assignment) {
  const graph::Subgraph& main = prepared.main();
  const std::span<const Sample> few = FirstSamples(samples, kMaxElements);
  std::vector<Candidate> candidates = FindCandidates(main, *assignment);
  MUNJA_ASSIGN_OR_RETURN(OutputLoss base, CompareOutputs(prepared, *assignment,
                                                         few, reference, pool));
  MUNJA_ASSIGN_OR_RETURN(const auto float_times,
                         TimeNodes(prepared, few[0], pool));
  std::map<std::string, double> integer_times;
  if (!assignment->integer_io) {
    MUNJA_ASSIGN_OR_RETURN(const graph::Graph integers,
                           Emit(prepared, *assignment));
    MUNJA_ASSIGN_OR_RETURN(integer_times, TimeNodes(integers, few[0], pool));
  }
  const auto time_of = [](const std::map<std::string, double>& times,
                          const std::string& name) {
    const auto found = times.find(name);
    return found == times.end() ? 0.0 : found->second;
  };
  size_t done = 0;
  for (Candidate& candidate : candidates) {
    ReportProgress("trying layers", done++, candidates.size());
    Assignment changed = *assignment;
    Keep(main, candidate, kept, &changed);
    MUNJA_ASSIGN_OR_RETURN(
        const OutputLoss loss,
        CompareOutputs(prepared, changed, few, reference, pool));
    candidate.row.loss = loss.relative;
    for (const size_t n : candidate.nodes) {
      const std::string& name =
          main.values[static_cast<size_t>(main.nodes[n].outputs[0])].name;
      candidate.row.milliseconds +=
          time_of(float_times, name) - time_of(integer_times, name);
    }
  }
  // Nothing is free: a node that runs faster in float still needs conversions.
  constexpr double kLeastCost = 0.02;  // Milliseconds.
  const auto gain = [&](const Candidate& c) {
    return (base.relative - c.row.loss) /
           std::max(c.row.milliseconds, kLeastCost);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     return gain(a) > gain(b);
                   });
  for (Candidate& candidate : candidates) {
    if (base.relative <= max_loss) break;
    Assignment changed = *assignment;
    Keep(main, candidate, kept, &changed);
    MUNJA_ASSIGN_OR_RETURN(
        const OutputLoss loss,
        CompareOutputs(prepared, changed, few, reference, pool));
    // One that helped alone need not help beside others.
    if (loss.relative >= base.relative) continue;
    *assignment = std::move(changed);
    base = loss;
    candidate.row.is_kept = true;
  }
  std::vector<Sensitivity> rows;
  for (Candidate& candidate : candidates)
    rows.push_back(std::move(candidate.row));
  return rows;
}

}  // namespace munja::compress
