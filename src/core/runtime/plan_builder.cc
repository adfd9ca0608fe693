#include "runtime/plan_builder.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/control.h"
#include "graph/op_traits.h"
#include "graph/side_effects.h"
#include "runtime/tensor_bytes.h"

namespace munja::runtime {

Result<std::unique_ptr<Plan>> Plan::Make(const Program& program,
                                         std::span<const Shape> inputs,
                                         ThreadPool& pool) {
  return PlanBuilder(program, pool).Build(inputs);
}

Result<std::unique_ptr<Plan>> PlanBuilder::Build(
    std::span<const Shape> inputs) {
  plan_.reset(new Plan);
  plan_->input_shapes_.assign(inputs.begin(), inputs.end());
  plan_->placements_.resize(graph_.values.size());
  PlaceFixedValues(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorView& view = views_[graph_.inputs[i]];
    if (view.type == ElementType::kString)
      return NeedsValues("input " + std::to_string(i) +
                         ": the size of strings is dynamic");
    auto bytes = TensorBytes(view.type, inputs[i]);
    if (!bytes.ok())
      return std::move(bytes).TakeStatus().With("input " + std::to_string(i));
    view.bytes = *bytes;
  }
  MUNJA_RETURN_IF_ERROR(PrepareNodes());
  DropUnneededSteps();
  FindChains();
  MUNJA_RETURN_IF_ERROR(PlaceArena());
  CollectSlots();
  return std::move(plan_);
}

void PlanBuilder::PlaceFixedValues(std::span<const Shape> inputs) {
  views_.resize(graph_.values.size());
  for (size_t v = 0; v < views_.size(); ++v) {
    const graph::Value& value = graph_.values[v];
    views_[v].type = value.type;
    views_[v].quantization = &value.quantization;
    if (!value.constant || value.is_variable) continue;
    views_[v].shape = value.shape;
    views_[v].bytes = value.constant->bytes.size();
    // Views have one kind of pointer; inputs are never written through it.
    views_[v].data = const_cast<uint8_t*>(value.constant->bytes.data());
    plan_->placements_[v] = {Storage::kFixed, 0};
  }
  const auto variables = program_.variables();
  for (size_t i = 0; i < variables.size(); ++i) {
    const graph::ValueId v = variables[i].value;
    views_[v].shape = graph_.values[v].shape;
    views_[v].bytes = variables[i].bytes;
    plan_->placements_[v] = {Storage::kVariable, i};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::ValueId v = graph_.inputs[i];
    views_[v].shape = inputs[i];
    views_[v].data = nullptr;
    plan_->placements_[v] = {Storage::kInput, i};
  }
}

Status PlanBuilder::PrepareNodes() {
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    Status status = PrepareNode(n);
    if (!status.ok()) return std::move(status).With(graph::Describe(graph_, n));
  }
  return Status();
}

bool PlanBuilder::CanEvaluateNow(const NodeContext& context) const {
  const graph::Node& node = context.node();
  if (!graph::IsPure(graph_, node) || OutputBytes(context) > kMaxKnownBytes)
    return false;
  if (graph::TraitsOf(node).reads == graph::Reads::kShapes) return true;
  bool has_any = false;
  for (const graph::ValueId v : node.inputs) {
    if (v == graph::kNoValue) continue;
    has_any = true;
    if (plan_->placements_[v].storage != Storage::kFixed) return false;
  }
  return has_any;
}

Status PlanBuilder::PrepareNode(size_t n) {
  const graph::Node& node = graph_.nodes[n];
  const ops::Kernel& kernel = program_.kernel(n);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue)
      return Malformed("output " + std::to_string(i) + " is absent");
  }
  Plan::Step step;
  step.node = n;
  step.context = std::make_unique<NodeContext>(node, views_, pool_);
  Preparation preparation(*step.context);
  MUNJA_RETURN_IF_ERROR(preparation.Run(kernel));
  if (preparation.has_deferred())
    return NeedsValues("the shape of an output is dynamic");
  step.scratch_bytes = preparation.scratch_bytes();
  step.in_place = preparation.in_place();

  const bool is_known = CanEvaluateNow(*step.context);
  if (is_known) {
    MUNJA_ASSIGN_OR_RETURN(
        std::vector<Buffer> data,
        EvaluateNow(kernel, *step.context, step.scratch_bytes));
    for (Buffer& buffer : data) plan_->known_.push_back(std::move(buffer));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const graph::ValueId v = node.outputs[i];
    const TensorView& output = step.context->output_views[i];
    if (plan_->placements_[v].storage == Storage::kVariable &&
        output.shape != views_[v].shape) {
      return Unsupported("changes the shape of variable '" +
                         graph_.values[v].name + "'");
    }
    views_[v] = output;
    if (is_known) plan_->placements_[v] = {Storage::kFixed, 0};
  }
  if (!is_known) plan_->steps_.push_back(std::move(step));
  return Status();
}

void PlanBuilder::DropUnneededSteps() {
  std::vector<bool> is_needed(graph_.values.size());
  for (const graph::ValueId v : graph_.outputs) is_needed[v] = true;
  auto& steps = plan_->steps_;
  std::vector<Plan::Step> kept;
  for (size_t s = steps.size(); s-- > 0;) {
    const graph::Node& node = steps[s].context->node();
    const bool is_used =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](graph::ValueId v) { return is_needed[v]; });
    if (!is_used && !graph::HasSideEffects(graph_, node)) continue;
    for (const graph::ValueId v : node.inputs)
      if (v != graph::kNoValue) is_needed[v] = true;
    kept.push_back(std::move(steps[s]));
  }
  std::reverse(kept.begin(), kept.end());
  steps = std::move(kept);
}

bool PlanBuilder::PlaceInMemoryOfInput(const Plan::Step& step, int step_number,
                                       int output) {
  const graph::Node& node = step.context->node();
  for (const auto& [out, in] : step.in_place) {
    if (out != output || !step.context->has_input(in)) continue;
    const int request = request_of_[node.inputs[in]];
    // Read later, or taken by another output of this step.
    if (request < 0 || requests_[request].last != step_number) continue;
    if (requests_[request].bytes < step.context->output_views[out].bytes)
      continue;
    // Another operand in the same memory would be overwritten while it is
    // still being read.
    bool is_shared = false;
    for (int j = 0; j < step.context->inputs(); ++j) {
      is_shared |= j != in && step.context->has_input(j) &&
                   request_of_[node.inputs[j]] == request;
    }
    for (int o = 0; o < output; ++o)
      is_shared |= request_of_[node.outputs[o]] == request;
    if (is_shared) continue;
    const graph::ValueId v = node.outputs[output];
    request_of_[v] = request;
    requests_[request].last = std::max(step_number, last_use_[v]);
    return true;
  }
  return false;
}

Status PlanBuilder::PlaceArena() {
  const int end = static_cast<int>(plan_->steps_.size());
  // Steps of a chain run at the same time.
  std::vector<int> time(plan_->steps_.size());
  std::iota(time.begin(), time.end(), 0);
  for (const Plan::Chain& chain : plan_->chains_) {
    for (size_t s = chain.first; s < chain.end; ++s)
      time[s] = static_cast<int>(chain.first);
  }
  last_use_.assign(graph_.values.size(), -1);
  request_of_.assign(graph_.values.size(), -1);
  for (int s = 0; s < end; ++s) {
    for (const graph::ValueId v : plan_->steps_[s].context->node().inputs)
      if (v != graph::kNoValue) last_use_[v] = time[s];
  }
  for (const graph::ValueId v : graph_.outputs) last_use_[v] = end;

  std::vector<std::pair<size_t*, size_t>> offsets;  // Other requests.
  const auto request = [&](size_t bytes, int first, int last) {
    requests_.push_back({bytes, first, last});
    return static_cast<int>(requests_.size() - 1);
  };
  for (int s = 0; s < end; ++s) {
    Plan::Step& step = plan_->steps_[s];
    const graph::Node& node = step.context->node();
    for (int o = 0; o < static_cast<int>(node.outputs.size()); ++o) {
      const graph::ValueId v = node.outputs[o];
      if (plan_->placements_[v].storage == Storage::kVariable) continue;
      if (!is_inner_.empty() && is_inner_[v]) continue;
      if (!PlaceInMemoryOfInput(step, s, o)) {
        request_of_[v] = request(step.context->output_views[o].bytes, time[s],
                                 std::max(time[s], last_use_[v]));
      }
    }
    if (step.scratch_bytes > 0) {
      offsets.emplace_back(&step.scratch_offset,
                           request(step.scratch_bytes, time[s], time[s]));
    }
  }
  for (Plan::Chain& chain : plan_->chains_) {
    const int at = time[chain.first];
    offsets.emplace_back(&chain.offset, request(chain.bands->bytes(), at, at));
  }
  plan_->output_values_ = graph_.outputs;
  plan_->copies_.reserve(graph_.outputs.size());
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const graph::ValueId v = graph_.outputs[i];
    const Plan::Placement& place = plan_->placements_[v];
    plan_->outputs_.push_back(views_[v]);
    if (place.storage != Storage::kInput) continue;
    plan_->copies_.push_back({place.at, i, 0});
    offsets.emplace_back(&plan_->copies_.back().offset,
                         request(views_[v].bytes, end, end));
  }

  MUNJA_ASSIGN_OR_RETURN(const MemoryPlan memory,
                         PlanMemory(requests_, kMaxArenaBytes));
  plan_->arena_bytes_ = memory.arena_bytes;
  for (size_t v = 0; v < request_of_.size(); ++v) {
    if (request_of_[v] >= 0)
      plan_->placements_[v] = {Storage::kArena, memory.offsets[request_of_[v]]};
  }
  for (const auto& [offset, id] : offsets) *offset = memory.offsets[id];
  return Status();
}

void PlanBuilder::CollectSlots() {
  for (Plan::Step& step : plan_->steps_) {
    const graph::Node& node = step.context->node();
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const graph::ValueId v = node.inputs[i];
      if (v == graph::kNoValue) continue;
      const Plan::Placement& place = plan_->placements_[v];
      if (place.storage == Storage::kInput)
        plan_->input_slots_.push_back(
            {&step.context->input_views[i], place.at});
    }
  }
}

}  // namespace munja::runtime
