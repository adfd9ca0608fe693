#include "compress/quantization/sensitivity.h"

#include <algorithm>
#include <utility>

#include "base/control.h"
#include "compress/quantization/cost.h"
#include "graph/op_traits.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

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
  const std::span<const Sample> few = FirstSamples(samples);
  std::vector<Candidate> candidates = FindCandidates(main, *assignment);
  MUNJA_ASSIGN_OR_RETURN(OutputLoss base, CompareOutputs(prepared, *assignment,
                                                         few, reference, pool));
  MUNJA_ASSIGN_OR_RETURN(const RunCost cost, CountCost(prepared, few[0], pool));
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
      const auto found = cost.multiply_accumulates.find(
          main.values[static_cast<size_t>(main.nodes[n].outputs[0])].name);
      if (found != cost.multiply_accumulates.end())
        candidate.row.multiply_accumulates += found->second;
    }
  }
  // Nothing is free: a node that multiplies little still needs conversions.
  constexpr int64_t kLeastCost = 1000000;
  const auto gain = [&](const Candidate& c) {
    return (base.relative - c.row.loss) /
           static_cast<double>(
               std::max(c.row.multiply_accumulates, kLeastCost));
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
    // A layer that helped alone need not help together with others.
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
