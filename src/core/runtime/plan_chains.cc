// PlanBuilder: which steps run by bands of rows.
#include <algorithm>
#include <utility>

#include "kernels/cpu/cache.h"
#include "ops/support/row_kernel.h"
#include "runtime/plan_builder.h"

namespace munja::runtime {

bool PlanBuilder::SplitsRows(const Plan::Step& step) const {
  const NodeContext& context = *step.context;
  const ops::RowKernel* const rows = program_.kernel(step.node).by_rows();
  if (rows == nullptr || context.node().outputs.size() != 1 ||
      !rows->CanSplitRows(context))
    return false;
  // A variable may change between here and where the chain runs.
  const auto is_variable = [&](graph::ValueId v) {
    return v != graph::kNoValue &&
           plan_->placements_[v].storage == Storage::kVariable;
  };
  return std::none_of(context.node().inputs.begin(),
                      context.node().inputs.end(), is_variable) &&
         !is_variable(context.node().outputs[0]);
}

std::unique_ptr<Bands> PlanBuilder::MakeBands(
    const std::vector<size_t>& steps) const {
  std::vector<Bands::Stage> stages;
  size_t weights = 0;
  for (const size_t s : steps) {
    const Plan::Step& step = plan_->steps_[s];
    const ops::Kernel& kernel = program_.kernel(step.node);
    weights += kernel.packed_bytes();
    Bands::Stage stage{step.node, kernel.by_rows(), step.context.get(), {}};
    const auto& inputs = step.context->node().inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      int source = Bands::kNoRows;
      const int input = static_cast<int>(i);
      if (step.context->has_input(input) &&
          stage.kernel->IsRowInput(*stage.context, input))
        source = Bands::kWholeMap;
      for (size_t p = 0; p < stages.size(); ++p) {
        if (stages[p].context->node().outputs[0] != inputs[i]) continue;
        if (source == Bands::kNoRows) return nullptr;  // All of it is read.
        source = static_cast<int>(p);
      }
      stage.sources.push_back(source);
    }
    stages.push_back(std::move(stage));
  }
  // Rows and weights may take half as much again as the cache: of a long chain
  // a few rows spill into the next level, while cutting it in two would write
  // and read a whole map there.
  const size_t most = kernels::SecondLevelCacheBytes() / 2 * 3;
  if (weights >= most) return nullptr;
  return Bands::Make(std::move(stages),
                     {.bytes = most - weights, .threads = pool_.threads()});
}

// A chain grows from its last step towards the inputs, by steps whose output
// is read within the chain alone.
void PlanBuilder::FindChains() {
  if (!program_.can_run_bands()) return;
  // Smaller maps stay in the cache without tiling.
  const size_t large = kernels::SecondLevelCacheBytes();
  auto& steps = plan_->steps_;
  std::vector<std::vector<size_t>> readers(graph_.values.size());
  for (size_t s = 0; s < steps.size(); ++s) {
    for (const graph::ValueId v : steps[s].context->node().inputs)
      if (v != graph::kNoValue) readers[v].push_back(s);
  }
  std::vector<bool> is_output(graph_.values.size());
  for (const graph::ValueId v : graph_.outputs) is_output[v] = true;

  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> last_of(steps.size(), kNone);  // The chain's last step.
  std::vector<std::pair<std::vector<size_t>, std::unique_ptr<Bands>>> chains;
  for (size_t last = steps.size(); last-- > 0;) {
    if (last_of[last] != kNone || !SplitsRows(steps[last])) continue;
    std::vector<size_t> members = {last};
    std::unique_ptr<Bands> bands;
    last_of[last] = last;
    for (size_t s = last; s-- > 0;) {
      if (last_of[s] != kNone || !SplitsRows(steps[s])) continue;
      const graph::ValueId v = steps[s].context->node().outputs[0];
      const bool is_inner =
          !is_output[v] && !readers[v].empty() &&
          std::all_of(readers[v].begin(), readers[v].end(),
                      [&](size_t r) { return last_of[r] == last; });
      if (!is_inner || steps[s].context->output_views[0].bytes < large)
        continue;
      members.insert(members.begin(), s);
      std::unique_ptr<Bands> grown = MakeBands(members);
      if (grown == nullptr) {
        members.erase(members.begin());
        continue;
      }
      bands = std::move(grown);
      last_of[s] = last;
    }
    if (bands == nullptr)
      last_of[last] = kNone;
    else
      chains.emplace_back(std::move(members), std::move(bands));
  }
  if (chains.empty()) return;

  // Steps of a chain move to the last one.
  std::reverse(chains.begin(), chains.end());
  is_inner_.assign(graph_.values.size(), false);
  std::vector<Plan::Step> ordered;
  auto chain = chains.begin();
  for (size_t s = 0; s < steps.size(); ++s) {
    if (last_of[s] == kNone) {
      ordered.push_back(std::move(steps[s]));
      continue;
    }
    if (last_of[s] != s) continue;
    const size_t first = ordered.size();
    for (const size_t member : chain->first) {
      if (member != s)
        is_inner_[steps[member].context->node().outputs[0]] = true;
      // Rows are read by others while they would be overwritten.
      steps[member].in_place.clear();
      ordered.push_back(std::move(steps[member]));
    }
    plan_->chains_.push_back(
        {first, ordered.size(), std::move(chain->second), 0});
    ++chain;
  }
  steps = std::move(ordered);
}

}  // namespace munja::runtime
