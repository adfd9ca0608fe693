#include "runtime/delegated_kernel.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/buffer.h"
#include "base/log.h"

namespace munja::runtime {
namespace {

bool HasAllValues(const ops::PrepareContext& context) {
  for (int i = 0; i < context.inputs(); ++i) {
    const TensorView& input = context.input(i);
    if (context.has_input(i) && input.data == nullptr && input.bytes > 0)
      return false;
  }
  return true;
}

std::shared_ptr<const graph::Graph> GraphOf(const graph::Subgraph& subgraph,
                                            const Partition& partition) {
  auto graph = std::make_shared<graph::Graph>();
  graph::Subgraph& own = graph->subgraphs.emplace_back();
  own.name = subgraph.name;
  own.values = subgraph.values;
  for (const int n : partition.nodes) own.nodes.push_back(subgraph.nodes[n]);
  // Variables among them too: an input's memory is the caller's, so that the
  // state stays where it is.
  own.inputs = partition.inputs;
  own.outputs = partition.outputs;
  return graph;
}

}  // namespace

// Belongs to one plan. Eval changes it: one caller at a time runs a plan.
class DelegatedKernel::PlanState final : public ops::State {
 public:
  PlanState(const DelegatedKernel& kernel, int thread_count)
      : is_deferred(kernel.graph_->main().outputs.size()),
        threads(thread_count),
        kernel_(kernel) {}
  ~PlanState() override {
    if (session != nullptr) kernel_.GiveBack(std::move(session));
  }

  // Copies of the variables, to undo what an Eval that fails made of them.
  Status MakeRoomForVariables(const ops::PrepareContext& context) {
    for (const int i : kernel_.variables_) {
      MUNJA_ASSIGN_OR_RETURN(Buffer copy,
                             Buffer::Allocate(context.input(i).bytes));
      variables_.push_back(std::move(copy));
    }
    return Status();
  }
  void SaveVariables(const ops::EvalContext& context) {
    for (size_t i = 0; i < variables_.size(); ++i) {
      const TensorView& view = context.input(kernel_.variables_[i]);
      if (view.bytes > 0)
        std::memcpy(variables_[i].data(), view.data, view.bytes);
    }
  }
  void RestoreVariables(const ops::EvalContext& context) const {
    for (size_t i = 0; i < variables_.size(); ++i) {
      const TensorView& view = context.input(kernel_.variables_[i]);
      if (view.bytes > 0)
        std::memcpy(view.data, variables_[i].data(), view.bytes);
    }
  }

  std::unique_ptr<ops::State> inner;  // The delegate's.
  std::unique_ptr<Session> session;   // Given: the nodes ran on the CPU.
  bool stays_on_cpu = false;
  std::vector<bool> is_deferred;  // By output.
  const int threads;

 private:
  const DelegatedKernel& kernel_;
  std::vector<Buffer> variables_;
};

// The context in which the delegate's kernel prepares. In place is not passed
// on: the inputs must still be there when its Eval fails.
class DelegatedKernel::Preparing final : public ops::PrepareContext {
 public:
  Preparing(ops::PrepareContext& outer, PlanState& state)
      : outer_(outer),
        state_(state),
        is_set_(state.is_deferred.size(), false) {}

  const TensorView& input(int i) const override { return outer_.input(i); }
  int inputs() const override { return outer_.inputs(); }
  bool has_input(int i) const override { return outer_.has_input(i); }
  const TensorView& output(int i) const override { return outer_.output(i); }
  Status SetOutputShape(int i, const Shape& shape) override {
    MUNJA_RETURN_IF_ERROR(outer_.SetOutputShape(i, shape));
    is_set_[i] = true;
    state_.is_deferred[i] = false;
    return Status();
  }
  void DeferOutputShape(int i) override {
    outer_.DeferOutputShape(i);
    if (i < 0 || static_cast<size_t>(i) >= is_set_.size()) return;
    is_set_[i] = true;
    state_.is_deferred[i] = true;
  }
  void RequestScratch(size_t bytes) override { outer_.RequestScratch(bytes); }
  void AllowInPlace(int, int) override {}
  void SetState(std::unique_ptr<ops::State> state) override {
    state_.inner = std::move(state);
  }
  int threads() const override { return outer_.threads(); }

  Status CheckOutputs() const {
    const auto it = std::find(is_set_.begin(), is_set_.end(), false);
    if (it == is_set_.end()) return Status();
    return Internal("output " + std::to_string(it - is_set_.begin()) +
                    " was given no shape");
  }

 private:
  ops::PrepareContext& outer_;
  PlanState& state_;
  std::vector<bool> is_set_;
};

class DelegatedKernel::Evaluating final : public ops::EvalContext {
 public:
  Evaluating(ops::EvalContext& outer, const ops::State* state)
      : outer_(outer), state_(state) {}
  const TensorView& input(int i) const override { return outer_.input(i); }
  int inputs() const override { return outer_.inputs(); }
  bool has_input(int i) const override { return outer_.has_input(i); }
  const TensorView& output(int i) const override { return outer_.output(i); }
  void* scratch() const override { return outer_.scratch(); }
  const ops::State* state() const override { return state_; }
  ThreadPool& pool() const override { return outer_.pool(); }
  Status ResizeOutput(int i, const Shape& shape, size_t bytes) override {
    return outer_.ResizeOutput(i, shape, bytes);
  }
  ops::Host* host() const override { return outer_.host(); }
  std::vector<ops::PartTime>* part_times() const override {
    return outer_.part_times();
  }

 private:
  ops::EvalContext& outer_;
  const ops::State* state_;
};

DelegatedKernel::DelegatedKernel(std::string delegate, std::string label,
                                 std::unique_ptr<ops::Kernel> kernel,
                                 const graph::Subgraph& subgraph,
                                 const Partition& partition,
                                 const SessionOptions& options,
                                 bool may_recover)
    : delegate_(std::move(delegate)),
      label_(std::move(label)),
      kernel_(std::move(kernel)),
      may_recover_(may_recover),
      graph_(GraphOf(subgraph, partition)),
      options_(options) {
  options_.delegates.clear();
  options_.profile = false;
  options_.top_k = 0;
  options_.stored_inputs = false;
  options_.subgraph = 0;
  options_.changes_given_variables = true;
  for (size_t i = 0; i < partition.inputs.size(); ++i) {
    if (subgraph.values[partition.inputs[i]].is_variable)
      variables_.push_back(static_cast<int>(i));
  }
}

std::string DelegatedKernel::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void DelegatedKernel::Report(std::string_view phase,
                             const Status& failure) const {
  std::string reason =
      std::string(phase) + " failed: " + std::string(failure.message());
  {
    const std::lock_guard lock(mutex_);
    if (failure_ == reason) return;
    failure_ = reason;
  }
  Log(Severity::kWarning, label_ + " runs on the CPU: " + reason);
}

void DelegatedKernel::Recovered() const {
  const std::lock_guard lock(mutex_);
  failure_.clear();
}

Result<std::unique_ptr<Session>> DelegatedKernel::TakeSession(
    int threads) const {
  const std::lock_guard lock(mutex_);
  if (!idle_sessions_.empty()) {
    std::unique_ptr<Session> session = std::move(idle_sessions_.back());
    idle_sessions_.pop_back();
    return session;
  }
  if (first_session_ == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(first_session_, CreateSession(graph_, options_));
  }
  return first_session_->Fork(threads > 1 ? options_.pool : nullptr);
}

void DelegatedKernel::GiveBack(std::unique_ptr<Session> session) const {
  const std::lock_guard lock(mutex_);
  idle_sessions_.push_back(std::move(session));
}

Status DelegatedKernel::Prepare(ops::PrepareContext& context) const {
  auto state = std::make_unique<PlanState>(*this, context.threads());
  MUNJA_RETURN_IF_ERROR(state->MakeRoomForVariables(context));
  Preparing preparing(context, *state);
  Status status = kernel_->Prepare(preparing);
  if (status.ok()) status = preparing.CheckOutputs();
  if (!status.ok()) {
    if (status.code() == Code::kNeedsValues && !HasAllValues(context))
      return status;
    Report("prepare", status);
    MUNJA_RETURN_IF_ERROR(PrepareOnCpu(context, *state));
    state->stays_on_cpu = true;
  }
  context.SetState(std::move(state));
  return Status();
}

Status DelegatedKernel::PrepareOnCpu(ops::PrepareContext& context,
                                     PlanState& state) const {
  MUNJA_ASSIGN_OR_RETURN(state.session, TakeSession(state.threads));
  std::vector<Shape> inputs;
  for (int i = 0; i < context.inputs(); ++i)
    inputs.push_back(context.input(i).shape);
  auto shapes = state.session->Plan(inputs);
  if (!shapes.ok()) {
    if (shapes.status().code() != Code::kNeedsValues || !HasAllValues(context))
      return std::move(shapes).TakeStatus();
    // Its shapes come with the run; a run that cannot be says why.
    shapes = std::vector<Shape>(state.is_deferred.size(), Shape{kDynamic});
  }
  for (size_t o = 0; o < shapes->size(); ++o) {
    state.is_deferred[o] = !(*shapes)[o].is_static();
    if (state.is_deferred[o]) {
      context.DeferOutputShape(static_cast<int>(o));
    } else {
      MUNJA_RETURN_IF_ERROR(
          context.SetOutputShape(static_cast<int>(o), (*shapes)[o]));
    }
  }
  return Status();
}

Status DelegatedKernel::Eval(ops::EvalContext& context) const {
  // The state is ours alone: contexts hand it out as const because most
  // kernels' never changes.
  auto& state =
      const_cast<PlanState&>(static_cast<const PlanState&>(*context.state()));
  if (!state.stays_on_cpu) {
    Evaluating evaluating(context, state.inner.get());
    state.SaveVariables(context);
    const Status status = kernel_->Eval(evaluating);
    if (status.ok()) {
      if (state.session != nullptr) Recovered();
      return Status();
    }
    state.RestoreVariables(context);
    Report("eval", status);
    state.stays_on_cpu = !may_recover_;
    if (state.session == nullptr) {
      MUNJA_ASSIGN_OR_RETURN(state.session, TakeSession(state.threads));
    }
  }
  return EvalOnCpu(context, state);
}

Status DelegatedKernel::EvalOnCpu(ops::EvalContext& context,
                                  PlanState& state) const {
  std::vector<TensorView> inputs;
  for (int i = 0; i < context.inputs(); ++i) inputs.push_back(context.input(i));
  MUNJA_ASSIGN_OR_RETURN(const auto outputs, state.session->Run(inputs));
  for (size_t o = 0; o < outputs.size(); ++o) {
    const int number = static_cast<int>(o);
    if (state.is_deferred[o]) {
      MUNJA_RETURN_IF_ERROR(
          context.ResizeOutput(number, outputs[o].shape, outputs[o].bytes));
    }
    const TensorView& target = context.output(number);
    if (target.shape != outputs[o].shape || target.bytes != outputs[o].bytes)
      return Internal(label_ + ": output " + std::to_string(o) + " has shape " +
                      outputs[o].shape.ToString() +
                      ", but the delegate prepared " + target.shape.ToString());
    if (target.bytes > 0)
      std::memcpy(target.data, outputs[o].data, target.bytes);
  }
  return Status();
}

}  // namespace munja::runtime
