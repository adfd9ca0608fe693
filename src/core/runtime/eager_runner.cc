#include "runtime/eager_runner.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "base/control.h"
#include "runtime/plan.h"

namespace munja::runtime {
namespace {

// The size of an output whose shape Eval has still to find out.
constexpr size_t kNotResized = SIZE_MAX;

}  // namespace

EagerRunner::EagerRunner(const Program& program, ThreadPool& pool,
                         ops::Host* host)
    : program_(program),
      graph_(program.subgraph()),
      pool_(pool),
      host_(host),
      views_(graph_.values.size()),
      owned_(graph_.values.size()),
      is_fixed_(graph_.values.size()),
      last_use_(graph_.values.size(), SIZE_MAX),
      steps_(graph_.nodes.size()) {
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    for (const graph::ValueId v : graph_.nodes[n].inputs)
      if (v != graph::kNoValue) last_use_[v] = n;
    for (const graph::ValueId v : graph_.nodes[n].outputs)
      if (v != graph::kNoValue && last_use_[v] == SIZE_MAX) last_use_[v] = n;
  }
  // Outputs of the run outlive every node.
  for (const graph::ValueId v : graph_.outputs) last_use_[v] = SIZE_MAX;
  for (size_t v = 0; v < views_.size(); ++v) {
    const graph::Value& value = graph_.values[v];
    views_[v] = {value.type, Shape(), nullptr, 0, &value.quantization};
    if (!value.constant || value.is_variable) continue;
    views_[v].shape = value.shape;
    views_[v].bytes = value.constant->bytes.size();
    // Views have one kind of pointer; inputs are never written through it.
    views_[v].data = const_cast<uint8_t*>(value.constant->bytes.data());
    is_fixed_[v] = true;
  }
}

void EagerRunner::PlaceGivenValues(std::span<const TensorView> inputs,
                                   std::span<Buffer> variables) {
  const auto kept = program_.variables();
  for (size_t i = 0; i < kept.size(); ++i) {
    TensorView& view = views_[kept[i].value];
    view.shape = graph_.values[kept[i].value].shape;
    view.bytes = kept[i].bytes;
    view.data = variables[i].data();
    is_fixed_[kept[i].value] = true;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorView& view = views_[graph_.inputs[i]];
    view.shape = inputs[i].shape;
    view.bytes = inputs[i].bytes;
    view.data = inputs[i].data;
    is_fixed_[graph_.inputs[i]] = true;
  }
}

Result<std::span<const TensorView>> EagerRunner::Run(
    std::span<const TensorView> inputs, std::span<Buffer> variables,
    Profiler* profiler) {
  // Inputs may lie in what the last run gave out: that memory is used again
  // after this run only.
  std::vector<Buffer> previous = std::exchange(held_, {});
  for (Buffer& buffer : owned_)
    if (buffer.size() > 0) free_.push_back(std::move(buffer));
  PlaceGivenValues(inputs, variables);
  Status status;
  for (size_t n = 0; status.ok() && n < steps_.size(); ++n) {
    status = RunNode(n, profiler);
    if (!status.ok())
      status = std::move(status).With(graph::Describe(graph_, n));
  }
  if (status.ok()) status = CollectOutputs(inputs);
  for (Buffer& buffer : previous) free_.push_back(std::move(buffer));
  if (!status.ok()) return status;
  return std::span<const TensorView>(outputs_);
}

bool EagerRunner::TakeInputs(size_t n) {
  const graph::Node& node = graph_.nodes[n];
  Step& step = steps_[n];
  if (step.context == nullptr) {
    step.context = std::make_unique<NodeContext>(node, views_, pool_);
    step.context->output_memory = this;
    step.context->session_host = host_;
    return true;
  }
  bool is_new = false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == graph::kNoValue) continue;
    const TensorView& view = views_[node.inputs[i]];
    is_new |= step.context->input_views[i].shape != view.shape;
    step.context->input_views[i] = view;
  }
  return is_new;
}

Status EagerRunner::Prepare(size_t n) {
  const graph::Node& node = graph_.nodes[n];
  const ops::Kernel& kernel = program_.kernel(n);
  Step& step = steps_[n];
  step.is_prepared = false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue)
      return Malformed("output " + std::to_string(i) + " is absent");
  }
  NodeContext& context = *step.context;
  // First as a plan would: without the values, so that a node that does not
  // look at them is prepared once.
  if (!step.wants_values) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const graph::ValueId v = node.inputs[i];
      if (v != graph::kNoValue && !graph_.values[v].constant)
        context.input_views[i].data = nullptr;
    }
  }
  Preparation first(context);
  Status status = first.Run(kernel);
  TakeInputs(n);
  Preparation second(context);
  Preparation* preparation = &first;
  if (status.code() == Code::kNeedsValues && !step.wants_values) {
    status = second.Run(kernel);
    preparation = &second;
    step.wants_values = status.ok();
  }
  MUNJA_RETURN_IF_ERROR(std::move(status));
  step.scratch_bytes = preparation->scratch_bytes();
  step.is_deferred.assign(node.outputs.size(), false);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    step.is_deferred[i] = preparation->is_deferred(static_cast<int>(i));
    const graph::ValueId v = node.outputs[i];
    if (is_fixed_[v] && (step.is_deferred[i] ||
                         context.output_views[i].shape != views_[v].shape))
      return Unsupported("changes the shape of variable '" +
                         graph_.values[v].name + "'");
  }
  step.is_prepared = true;
  return Status();
}

Status EagerRunner::PlaceOutputs(size_t n) {
  Step& step = steps_[n];
  const graph::Node& node = graph_.nodes[n];
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    TensorView& view = step.context->output_views[i];
    if (step.is_deferred[i]) {
      view.data = nullptr;
      view.bytes = kNotResized;
    } else if (is_fixed_[node.outputs[i]]) {
      view.data = views_[node.outputs[i]].data;
    } else {
      MUNJA_ASSIGN_OR_RETURN(
          view.data, Allocate(*step.context, static_cast<int>(i), view.bytes));
    }
  }
  if (step.scratch_bytes > scratch_.size()) {
    bytes_ -= scratch_.size();
    scratch_ = Buffer();
    MUNJA_ASSIGN_OR_RETURN(scratch_, AllocateNew(step.scratch_bytes));
  }
  step.context->scratch_data = scratch_.data();
  return Status();
}

Status EagerRunner::RunNode(size_t n, Profiler* profiler) {
  using Clock = std::chrono::steady_clock;
  MUNJA_RETURN_IF_ERROR(CheckControl());
  Step& step = steps_[n];
  const Clock::time_point start =
      profiler != nullptr ? Clock::now() : Clock::time_point();
  if (TakeInputs(n) || !step.is_prepared || step.wants_values) {
    MUNJA_RETURN_IF_ERROR(Prepare(n));
  }
  MUNJA_RETURN_IF_ERROR(PlaceOutputs(n));
  NodeContext& context = *step.context;
  const ops::Kernel& kernel = program_.kernel(n);
  context.wanted_part_times =
      profiler != nullptr ? profiler->EmptyParts() : nullptr;
  MUNJA_RETURN_IF_ERROR(kernel.Eval(context));
  MUNJA_RETURN_IF_ERROR(CheckControl());  // Loops may have been cut short.
  const graph::Node& node = graph_.nodes[n];
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (step.is_deferred[i] && context.output_views[i].bytes == kNotResized)
      return Internal("output " + std::to_string(i) + " was given no shape");
    views_[node.outputs[i]] = context.output_views[i];
  }
  if (profiler != nullptr) {
    const Clock::time_point end = Clock::now();
    profiler->SetShapes(
        n, context.input_views, context.output_views,
        kernel.MultiplyAccumulates(context.input_views, context.output_views));
    profiler->Add(n, start, end);
  }
  for (const auto* list : {&node.inputs, &node.outputs}) {
    for (const graph::ValueId v : *list)
      if (v != graph::kNoValue && last_use_[v] == n) Release(v);
  }
  return Status();
}

Status EagerRunner::CollectOutputs(std::span<const TensorView> inputs) {
  outputs_.clear();
  for (const graph::ValueId v : graph_.outputs) {
    TensorView view = views_[v];
    const bool is_input =
        std::any_of(inputs.begin(), inputs.end(), [&](const TensorView& input) {
          return input.data == view.data && view.data != nullptr;
        });
    if (is_input) {
      // The caller's memory: outputs are the session's own.
      MUNJA_ASSIGN_OR_RETURN(Buffer copy, Acquire(view.bytes));
      if (view.bytes > 0) std::memcpy(copy.data(), view.data, view.bytes);
      view.data = copy.data();
      held_.push_back(std::move(copy));
    } else if (owned_[v].size() > 0) {
      held_.push_back(std::move(owned_[v]));
    }
    outputs_.push_back(view);
  }
  return Status();
}

Result<void*> EagerRunner::Allocate(const NodeContext& context, int output,
                                    size_t bytes) {
  const graph::ValueId v = context.node().outputs[output];
  Release(v);  // A kernel may resize twice.
  MUNJA_ASSIGN_OR_RETURN(owned_[v], Acquire(bytes));
  return static_cast<void*>(owned_[v].data());
}

Result<Buffer> EagerRunner::Acquire(size_t bytes) {
  // The smallest that fits, unless it is far too large.
  auto best = free_.end(), largest = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (largest == free_.end() || it->size() > largest->size()) largest = it;
    if (it->size() < bytes || it->size() / 4 > bytes + 4096) continue;
    if (best == free_.end() || it->size() < best->size()) best = it;
  }
  if (best == free_.end()) {
    // All are too small: one of them goes, so that their number stays that of
    // the values alive at once.
    if (largest != free_.end() && largest->size() < bytes) {
      bytes_ -= largest->size();
      free_.erase(largest);
    }
    return AllocateNew(bytes);
  }
  Buffer buffer = std::move(*best);
  free_.erase(best);
  return buffer;
}

Result<Buffer> EagerRunner::AllocateNew(size_t bytes) {
  const auto fits = [&] {
    return bytes <= kMaxArenaBytes && bytes_ <= kMaxArenaBytes - bytes;
  };
  // Before giving up: what lies there unused, and is of the wrong size.
  while (!fits() && !free_.empty()) {
    bytes_ -= free_.back().size();
    free_.pop_back();
  }
  if (!fits())
    return OutOfMemory("the values of one run need more than " +
                       std::to_string(kMaxArenaBytes >> 20) + " MiB");
  MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(bytes));
  bytes_ += buffer.size();
  return buffer;
}

void EagerRunner::Release(graph::ValueId value) {
  if (owned_[value].size() > 0) free_.push_back(std::move(owned_[value]));
}

}  // namespace munja::runtime
