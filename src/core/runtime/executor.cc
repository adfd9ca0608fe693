#include "runtime/executor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/control.h"
#include "runtime/input_check.h"

namespace munja::runtime {
namespace {

// So many sets of shapes for which no plan can be made, and none for which one
// can: the next ones are not tried.
constexpr size_t kEagerTrials = 4;
// Maximum that are remembered; a forgotten one is tried again.
constexpr size_t kMaxEagerShapes = 16;

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, ThreadPool& pool,
                   int max_plans, ops::Host* host)
    : program_(std::move(program)),
      pool_(pool),
      host_(host),
      plans_(*program_, pool, max_plans),
      is_eager_(program_->needs_host()),
      shapes_(program_->inputs().size()),
      data_(program_->inputs().size()) {}

Result<std::unique_ptr<Executor>> Executor::Make(
    std::shared_ptr<const Program> program, ThreadPool& pool, int max_plans,
    ops::Host* host) {
  std::unique_ptr<Executor> executor(
      new Executor(std::move(program), pool, max_plans, host));
  MUNJA_RETURN_IF_ERROR(executor->AllocateVariables());
  return executor;
}

Status Executor::AllocateVariables() {
  for (const Program::Variable& variable : program_->variables()) {
    MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(variable.bytes));
    variables_.push_back(std::move(buffer));
  }
  ResetVariables();
  return Status();
}

void Executor::ResetVariables() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    const graph::Value& value =
        program_->subgraph().values[program_->variables()[i].value];
    // A real zero is stored as the zero point.
    const auto& zeros = value.quantization.zero_points;
    const bool is_byte =
        value.type == ElementType::kInt8 || value.type == ElementType::kUInt8;
    const int zero = is_byte && !zeros.empty() ? static_cast<int>(zeros[0]) : 0;
    if (variables_[i].size() > 0)
      std::memset(variables_[i].data(), zero, variables_[i].size());
  }
}

// Sets data_: where the run reads each input. Usually that is the caller's own
// memory; an input that is not aligned for its type, or that lies in the arena
// or in a variable (an output of the run before), is copied first. One that is
// itself a variable of the model becomes its content.
Status Executor::StageInputs(std::span<const TensorView> inputs) {
  const auto needs_copy = [&](const TensorView& input) {
    const size_t alignment = ElementSize(input.type);
    return input.bytes > 0 &&
           ((alignment > 1 &&
             reinterpret_cast<uintptr_t>(input.data) % alignment != 0) ||
            plans_.Overlaps(input.data, input.bytes) ||
            OverlapsVariables(input));
  };
  size_t total = 0;
  for (const TensorView& input : inputs) {
    if (needs_copy(input)) total += RoundUp(input.bytes, kBufferAlignment);
  }
  if (total > staging_.size()) {
    staging_ = Buffer();
    MUNJA_ASSIGN_OR_RETURN(staging_, Buffer::Allocate(total));
  }
  size_t at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    data_[i] = inputs[i].data;
    if (!needs_copy(inputs[i])) continue;
    data_[i] = staging_.data() + at;
    std::memcpy(data_[i], inputs[i].data, inputs[i].bytes);
    at += RoundUp(inputs[i].bytes, kBufferAlignment);
  }
  if (program_->changes_given_variables()) return Status();
  const graph::Subgraph& graph = program_->subgraph();
  for (size_t k = 0; k < variables_.size(); ++k) {
    const graph::ValueId v = program_->variables()[k].value;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (graph.inputs[i] != v || variables_[k].size() == 0) continue;
      std::memcpy(variables_[k].data(), data_[i], inputs[i].bytes);
      data_[i] = variables_[k].data();
    }
  }
  return Status();
}

bool Executor::OverlapsVariables(const TensorView& view) const {
  const auto at = reinterpret_cast<uintptr_t>(view.data);
  return std::any_of(
      variables_.begin(), variables_.end(), [&](const Buffer& variable) {
        const auto begin = reinterpret_cast<uintptr_t>(variable.data());
        return at < begin + variable.size() && at + view.bytes > begin;
      });
}

Result<std::span<const TensorView>> Executor::RunPlan(runtime::Plan& plan,
                                                      Profiler* profiler) {
  if (profiler != nullptr &&
      (&plan != profiled_plan_ || plans_.made() != profiled_made_)) {
    plan.DescribeTo(*program_, *profiler);
    profiled_plan_ = &plan;
    profiled_made_ = plans_.made();
  }
  MUNJA_RETURN_IF_ERROR(plan.Run(*program_, data_, profiler));
  return plan.outputs();
}

Result<std::span<const TensorView>> Executor::RunEagerly(
    std::span<const TensorView> inputs, Profiler* profiler) {
  if (!eager_) eager_.emplace(*program_, pool_, host_);
  staged_.assign(inputs.begin(), inputs.end());
  for (size_t i = 0; i < staged_.size(); ++i) staged_[i].data = data_[i];
  return eager_->Run(staged_, variables_, profiler);
}

Result<std::span<const TensorView>> Executor::Run(
    std::span<const TensorView> inputs, Profiler* profiler) {
  // Also where there is no node: such a loop shall end, too.
  MUNJA_RETURN_IF_ERROR(CheckControl());
  MUNJA_RETURN_IF_ERROR(CheckInputs(program_->inputs(), inputs));
  for (size_t i = 0; i < inputs.size(); ++i) shapes_[i] = inputs[i].shape;
  // Before the arena may move: an input may lie there.
  MUNJA_RETURN_IF_ERROR(StageInputs(inputs));
  if (RunsEagerly(shapes_)) return RunEagerly(inputs, profiler);
  Result<runtime::Plan*> plan = plans_.Get(shapes_, variables_);
  if (plan.ok()) return RunPlan(**plan, profiler);
  if (plan.status().code() != Code::kNeedsValues)
    return std::move(plan).TakeStatus();
  return TryEagerly(inputs, profiler);
}

Result<std::span<const TensorView>> Executor::TryEagerly(
    std::span<const TensorView> inputs, Profiler* profiler) {
  std::vector<Buffer> before;
  for (const Buffer& variable : variables_) {
    MUNJA_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(variable.size()));
    if (variable.size() > 0)
      std::memcpy(copy.data(), variable.data(), variable.size());
    before.push_back(std::move(copy));
  }
  auto outputs = RunEagerly(inputs, profiler);
  if (outputs.ok()) {
    eager_shapes_.push_back(shapes_);
    // The model's shapes never follow from those of its inputs.
    is_eager_ = plans_.made() == 0 && eager_shapes_.size() >= kEagerTrials;
    if (eager_shapes_.size() > kMaxEagerShapes)
      eager_shapes_.erase(eager_shapes_.begin());
    return outputs;
  }
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].size() > 0)
      std::memcpy(variables_[i].data(), before[i].data(), before[i].size());
  }
  return outputs;
}

bool Executor::RunsEagerly(std::span<const Shape> shapes) const {
  return is_eager_ || std::any_of(eager_shapes_.begin(), eager_shapes_.end(),
                                  [&](const std::vector<Shape>& known) {
                                    return std::ranges::equal(known, shapes);
                                  });
}

std::vector<Shape> Executor::StatedShapes() const {
  std::vector<Shape> shapes;
  for (const TensorInfo& output : program_->outputs())
    shapes.push_back(output.shape);
  return shapes;
}

Result<std::vector<Shape>> Executor::Plan(std::span<const Shape> inputs) {
  MUNJA_RETURN_IF_ERROR(CheckShapes(program_->inputs(), inputs));
  if (RunsEagerly(inputs)) return StatedShapes();
  auto made = plans_.Get(inputs, variables_);
  if (!made.ok() && made.status().code() == Code::kNeedsValues &&
      !eager_shapes_.empty())
    return StatedShapes();
  MUNJA_ASSIGN_OR_RETURN(runtime::Plan* const plan, std::move(made));
  std::vector<Shape> shapes;
  for (const TensorView& output : plan->outputs())
    shapes.push_back(output.shape);
  return shapes;
}

}  // namespace munja::runtime
