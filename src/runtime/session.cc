#include "runtime/session.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "ops/op.h"
#include "runtime/create_session.h"
#include "runtime/input_check.h"
#include "runtime/plan_cache.h"
#include "runtime/profiler.h"
#include "runtime/program.h"

namespace munja::runtime {
namespace {

class CompiledSession final : public Session {
 public:
  CompiledSession(std::shared_ptr<const Program> program,
                  const SessionOptions& options)
      : program_(std::move(program)),
        options_(options),
        pool_(options.pool ? options.pool : std::make_shared<ThreadPool>(1)),
        plans_(*program_, *pool_, options.max_plans),
        shapes_(program_->inputs().size()),
        data_(program_->inputs().size()) {
    if (options.profile) profiler_.emplace(program_->subgraph());
  }

  // Once, before any other call.
  Status AllocateVariables();

  std::span<const TensorInfo> inputs() const override {
    return program_->inputs();
  }
  std::span<const TensorInfo> outputs() const override {
    return program_->outputs();
  }
  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override;
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override;
  Result<std::unique_ptr<Session>> Fork(
      std::shared_ptr<ThreadPool> pool) const override;
  std::vector<NodeProfile> Profile() const override {
    return profiler_ ? profiler_->Rows() : std::vector<NodeProfile>();
  }
  void ResetProfile() override {
    if (profiler_) profiler_->Reset();
  }
  MemoryUse memory() const override {
    return {plans_.arena_bytes(), program_->packed_bytes()};
  }
  void ResetVariables() override;

 private:
  Status StageInputs(std::span<const TensorView> inputs);

  std::shared_ptr<const Program> program_;
  SessionOptions options_;
  std::shared_ptr<ThreadPool> pool_;
  PlanCache plans_;
  std::vector<Buffer> variables_;
  std::optional<Profiler> profiler_;
  const runtime::Plan* profiled_plan_ = nullptr;  // The one profiler_ shows.
  int64_t profiled_made_ = 0;
  // Of the run in progress; here so that a run allocates nothing.
  std::vector<Shape> shapes_;
  std::vector<void*> data_;
  Buffer staging_;
};

Status CompiledSession::AllocateVariables() {
  for (const Program::Variable& variable : program_->variables()) {
    MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(variable.bytes));
    variables_.push_back(std::move(buffer));
  }
  ResetVariables();
  return Status();
}

void CompiledSession::ResetVariables() {
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
// (an output of the run before), is copied first.
Status CompiledSession::StageInputs(std::span<const TensorView> inputs) {
  const auto needs_copy = [&](const TensorView& input) {
    const size_t alignment = ElementSize(input.type);
    return input.bytes > 0 &&
           ((alignment > 1 &&
             reinterpret_cast<uintptr_t>(input.data) % alignment != 0) ||
            plans_.Overlaps(input.data, input.bytes));
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
  return Status();
}

Result<std::span<const TensorView>> CompiledSession::Run(
    std::span<const TensorView> inputs) {
  MUNJA_RETURN_IF_ERROR(CheckInputs(program_->inputs(), inputs));
  for (size_t i = 0; i < inputs.size(); ++i) shapes_[i] = inputs[i].shape;
  // Before the arena may move: an input may lie there.
  MUNJA_RETURN_IF_ERROR(StageInputs(inputs));
  MUNJA_ASSIGN_OR_RETURN(runtime::Plan* const plan,
                         plans_.Get(shapes_, variables_));
  Profiler* const profiler = profiler_ ? &*profiler_ : nullptr;
  if (profiler != nullptr &&
      (plan != profiled_plan_ || plans_.made() != profiled_made_)) {
    plan->DescribeTo(*program_, *profiler);
    profiled_plan_ = plan;
    profiled_made_ = plans_.made();
  }
  MUNJA_RETURN_IF_ERROR(plan->Run(*program_, data_, profiler));
  return plan->outputs();
}

Result<std::vector<Shape>> CompiledSession::Plan(
    std::span<const Shape> inputs) {
  MUNJA_RETURN_IF_ERROR(CheckShapes(program_->inputs(), inputs));
  MUNJA_ASSIGN_OR_RETURN(runtime::Plan* const plan,
                         plans_.Get(inputs, variables_));
  std::vector<Shape> shapes;
  for (const TensorView& output : plan->outputs())
    shapes.push_back(output.shape);
  return shapes;
}

Result<std::unique_ptr<Session>> CompiledSession::Fork(
    std::shared_ptr<ThreadPool> pool) const {
  SessionOptions options = options_;
  options.pool = std::move(pool);
  auto fork = std::make_unique<CompiledSession>(program_, options);
  MUNJA_RETURN_IF_ERROR(fork->AllocateVariables());
  return std::unique_ptr<Session>(std::move(fork));
}

}  // namespace

Result<std::unique_ptr<Session>> CreateSessionWith(
    std::shared_ptr<const graph::Graph> graph, const SessionOptions& options,
    OpFinder find_op) {
  if (graph == nullptr) return InvalidArgument("there is no graph");
  MUNJA_ASSIGN_OR_RETURN(std::shared_ptr<const Program> program,
                         Program::Compile(*graph, options, find_op));
  auto session = std::make_unique<CompiledSession>(std::move(program), options);
  MUNJA_RETURN_IF_ERROR(session->AllocateVariables());
  return std::unique_ptr<Session>(std::move(session));
}

Result<std::unique_ptr<Session>> CreateSession(
    std::shared_ptr<const graph::Graph> graph, const SessionOptions& options) {
  return CreateSessionWith(std::move(graph), options, ops::FindOp);
}

}  // namespace munja::runtime
