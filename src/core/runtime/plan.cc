#include "runtime/plan.h"

#include <chrono>
#include <cstring>

#include "base/control.h"

namespace munja::runtime {

void Plan::BindView(graph::ValueId value, TensorView* view, uint8_t* arena,
                    std::span<Buffer> variables) const {
  if (value == graph::kNoValue) return;
  const Placement& place = placements_[value];
  if (place.storage == Storage::kArena) view->data = arena + place.at;
  if (place.storage == Storage::kVariable)
    view->data = variables[place.at].data();
}

void Plan::Bind(uint8_t* arena, std::span<Buffer> variables) {
  if (is_bound_ && arena == arena_) return;
  arena_ = arena;
  is_bound_ = true;
  for (Step& step : steps_) {
    NodeContext& context = *step.context;
    const graph::Node& node = context.node();
    for (size_t i = 0; i < node.inputs.size(); ++i)
      BindView(node.inputs[i], &context.input_views[i], arena, variables);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      BindView(node.outputs[i], &context.output_views[i], arena, variables);
    context.scratch_data =
        step.scratch_bytes > 0 ? arena + step.scratch_offset : nullptr;
  }
  for (Chain& chain : chains_) chain.bands->Bind(arena + chain.offset);
  for (size_t i = 0; i < outputs_.size(); ++i)
    BindView(output_values_[i], &outputs_[i], arena, variables);
  for (const OutputCopy& copy : copies_)
    outputs_[copy.output].data = arena + copy.offset;
}

size_t Plan::banded_steps() const {
  size_t steps = 0;
  for (const Chain& chain : chains_) steps += chain.end - chain.first;
  return steps;
}

void Plan::DescribeTo(const Program& program, Profiler& profiler) const {
  for (const Step& step : steps_) {
    const NodeContext& context = *step.context;
    profiler.SetShapes(step.node, context.input_views, context.output_views,
                       program.kernel(step.node).MultiplyAccumulates(
                           context.input_views, context.output_views));
  }
}

Status Plan::Run(const Program& program, std::span<void* const> inputs,
                 Profiler* profiler) {
  using Clock = std::chrono::steady_clock;
  for (const InputSlot& slot : input_slots_)
    slot.view->data = inputs[slot.input];
  auto chain = chains_.begin();
  for (size_t s = 0; s < steps_.size(); ++s) {
    Step& step = steps_[s];
    MUNJA_RETURN_IF_ERROR(CheckControl());
    if (chain != chains_.end() && chain->first == s) {
      chain->bands->Run(step.context->pool(), profiler);
      s = chain->end - 1;
      ++chain;
      continue;
    }
    const ops::Kernel& kernel = program.kernel(step.node);
    step.context->wanted_part_times =
        profiler != nullptr ? profiler->EmptyParts() : nullptr;
    const Clock::time_point start =
        profiler != nullptr ? Clock::now() : Clock::time_point();
    Status status = kernel.Eval(*step.context);
    if (!status.ok()) {
      return std::move(status).With(
          graph::Describe(program.subgraph(), step.node));
    }
    if (profiler != nullptr) profiler->Add(step.node, start, Clock::now());
  }
  // The last node's loops may have been cut short.
  MUNJA_RETURN_IF_ERROR(CheckControl());
  for (const OutputCopy& copy : copies_) {
    const TensorView& output = outputs_[copy.output];
    if (output.bytes > 0)
      std::memcpy(output.data, inputs[copy.input], output.bytes);
  }
  return Status();
}

}  // namespace munja::runtime
