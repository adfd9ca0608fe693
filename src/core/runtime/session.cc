#include "runtime/session.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "ops/op.h"
#include "ops/support/linear/product.h"
#include "runtime/dynamic_shapes.h"
#include "runtime/executor.h"
#include "runtime/input_check.h"
#include "runtime/profiler.h"
#include "runtime/program.h"
#include "runtime/resolver.h"
#include "runtime/trace.h"

namespace munja::runtime {
namespace {

// Calls within calls; each takes stack.
constexpr size_t kMaxCallDepth = 64;

// Shared by all forks.
struct Compiled {
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const Resolver> resolver;
  // By subgraph; those that can be called from the main one.
  std::map<int, std::shared_ptr<const Program>> programs;
};

Result<std::shared_ptr<const Compiled>> Compile(
    std::shared_ptr<const graph::Graph> graph, const SessionOptions& options) {
  auto compiled = std::make_shared<Compiled>();
  compiled->graph = std::move(graph);
  compiled->resolver = options.resolver ? Resolver::ForSession(options.resolver)
                                        : std::make_shared<const Resolver>();
  const graph::Graph& g = *compiled->graph;
  std::vector<int> subgraphs = {options.subgraph};
  if (options.subgraph >= 0 &&
      static_cast<size_t>(options.subgraph) < g.subgraphs.size()) {
    subgraphs = ReachableSubgraphs(g, options.subgraph);
    // All that is missing at once, wherever it is. A delegate may have
    // operators of its own.
    if (options.delegates.empty()) {
      MUNJA_RETURN_IF_ERROR(CheckOperators(g, subgraphs, *compiled->resolver));
    }
  }
  for (const int s : subgraphs) {
    auto program = Program::Compile(g, s, options, *compiled->resolver);
    if (!program.ok() && subgraphs.size() > 1)
      return std::move(program).TakeStatus().With("subgraph " +
                                                  std::to_string(s));
    if (!program.ok()) return std::move(program).TakeStatus();
    compiled->programs[s] = std::move(*program);
  }
  return std::shared_ptr<const Compiled>(std::move(compiled));
}

class CompiledSession final : public Session, private ops::Host {
 public:
  CompiledSession(std::shared_ptr<const Compiled> compiled,
                  const SessionOptions& options)
      : compiled_(std::move(compiled)),
        options_(options),
        pool_(options.pool ? options.pool : std::make_shared<ThreadPool>(1)) {
    active_.reserve(kMaxCallDepth + 1);  // So that runs allocate nothing.
  }

  // Once, before any other call.
  Status Start();

  std::span<const TensorInfo> inputs() const override {
    return main_->program().inputs();
  }
  std::span<const TensorInfo> outputs() const override {
    return main_->program().outputs();
  }
  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override {
    const Active active(*this, options_.subgraph);
    return main_->Run(inputs, profiler_ ? &*profiler_ : nullptr);
  }
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override {
    return main_->Plan(inputs);
  }
  Result<std::unique_ptr<Session>> Fork(
      std::shared_ptr<ThreadPool> pool) const override;
  std::vector<NodeProfile> Profile() const override {
    return options_.profile ? profiler_->Rows() : std::vector<NodeProfile>();
  }
  void ResetProfile() override {
    if (profiler_) profiler_->Reset();
  }
  MemoryUse memory() const override;
  std::vector<NodeOwner> Owners() const override;
  void ResetVariables() override;

 private:
  // Marks a subgraph as running.
  class Active {
   public:
    Active(CompiledSession& session, int subgraph) : session_(session) {
      session_.active_.push_back(subgraph);
    }
    ~Active() { session_.active_.pop_back(); }
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;

   private:
    CompiledSession& session_;
  };

  Result<Executor*> ExecutorOf(int subgraph);
  // For inputs of shapes that the subgraph does not state.
  Result<Executor*> OpenExecutorOf(int subgraph);
  Result<std::span<const TensorView>> Call(
      int index, std::span<const TensorView> inputs) override;
  ops::Resources& resources() override { return resources_; }

  std::shared_ptr<const Compiled> compiled_;
  SessionOptions options_;
  std::shared_ptr<ThreadPool> pool_;
  ops::Resources resources_;
  // By subgraph; made when called.
  std::map<int, std::unique_ptr<Executor>> executors_, open_executors_;
  Executor* main_ = nullptr;
  std::optional<Profiler> profiler_;  // Profiles the main subgraph.
  std::vector<int> active_;           // Subgraphs in the middle of a run.
};

Status CompiledSession::Start() {
  MUNJA_ASSIGN_OR_RETURN(main_, ExecutorOf(options_.subgraph));
  const auto trace = ProcessTrace();
  if (options_.profile || trace != nullptr)
    profiler_.emplace(main_->program().subgraph());
  if (trace != nullptr) profiler_->TraceTo(trace);
  return Status();
}

Result<Executor*> CompiledSession::ExecutorOf(int subgraph) {
  std::unique_ptr<Executor>& executor = executors_[subgraph];
  if (executor != nullptr) return executor.get();
  const auto program = compiled_->programs.find(subgraph);
  if (program == compiled_->programs.end())
    return Internal("subgraph " + std::to_string(subgraph) +
                    " was not compiled");
  MUNJA_ASSIGN_OR_RETURN(executor, Executor::Make(program->second, *pool_,
                                                  options_.max_plans, this));
  return executor.get();
}

Result<Executor*> CompiledSession::OpenExecutorOf(int subgraph) {
  std::unique_ptr<Executor>& executor = open_executors_[subgraph];
  if (executor != nullptr) return executor.get();
  graph::Graph open;
  // Others are only called, through the session.
  open.subgraphs.resize(static_cast<size_t>(subgraph) + 1);
  open.subgraphs.back() = WithDynamicShapes(
      compiled_->graph->subgraphs[static_cast<size_t>(subgraph)]);
  SessionOptions options = options_;
  options.delegates.clear();
  options.top_k = 0;
  options.stored_inputs = false;
  MUNJA_ASSIGN_OR_RETURN(
      std::shared_ptr<const Program> program,
      Program::Compile(open, subgraph, options, *compiled_->resolver));
  MUNJA_ASSIGN_OR_RETURN(executor, Executor::Make(std::move(program), *pool_,
                                                  options_.max_plans, this));
  return executor.get();
}

Result<std::span<const TensorView>> CompiledSession::Call(
    int index, std::span<const TensorView> inputs) {
  const std::string where = "subgraph " + std::to_string(index);
  if (active_.size() > kMaxCallDepth)
    return Unsupported(where + ": calls are nested more than " +
                       std::to_string(kMaxCallDepth) + " deep");
  // Graphs are checked for that; kernels of others may call what they like.
  if (std::find(active_.begin(), active_.end(), index) != active_.end())
    return InvalidArgument(where + " calls itself");
  MUNJA_ASSIGN_OR_RETURN(Executor * executor, ExecutorOf(index));
  const Program& program = executor->program();
  // The contents of variables must not depend on the input shapes.
  if (program.variables().empty() && !ShapesFit(program.inputs(), inputs)) {
    auto open = OpenExecutorOf(index);
    if (!open.ok()) return std::move(open).TakeStatus().With(where);
    executor = *open;
  }
  const Active active(*this, index);
  auto outputs = executor->Run(inputs, nullptr);
  if (!outputs.ok()) return std::move(outputs).TakeStatus().With(where);
  return outputs;
}

MemoryUse CompiledSession::memory() const {
  MemoryUse use;
  for (const auto* executors : {&executors_, &open_executors_}) {
    for (const auto& [subgraph, executor] : *executors)
      if (executor != nullptr) use.arena += executor->bytes();
  }
  for (const auto& [subgraph, executor] : open_executors_)
    if (executor != nullptr)
      use.packed_weights += executor->program().packed_bytes();
  for (const auto& [subgraph, program] : compiled_->programs)
    use.packed_weights += program->packed_bytes();
  return use;
}

std::vector<NodeOwner> CompiledSession::Owners() const {
  std::vector<NodeOwner> owners;
  for (const auto& [subgraph, program] : compiled_->programs) {
    std::vector<NodeOwner> more = program->Owners();
    std::move(more.begin(), more.end(), std::back_inserter(owners));
  }
  return owners;
}

void CompiledSession::ResetVariables() {
  for (const auto& [subgraph, executor] : executors_) {
    if (executor != nullptr) executor->ResetVariables();
  }
  resources_.Clear();
}

Result<std::unique_ptr<Session>> CompiledSession::Fork(
    std::shared_ptr<ThreadPool> pool) const {
  SessionOptions options = options_;
  options.pool = std::move(pool);
  std::shared_ptr<const Compiled> compiled = compiled_;
  for (const auto& [subgraph, program] : compiled_->programs) {
    if (!program->is_stateful()) continue;
    MUNJA_ASSIGN_OR_RETURN(compiled, Compile(compiled_->graph, options));
    break;
  }
  auto fork = std::make_unique<CompiledSession>(std::move(compiled), options);
  MUNJA_RETURN_IF_ERROR(fork->Start());
  return std::unique_ptr<Session>(std::move(fork));
}

}  // namespace

Result<std::unique_ptr<Session>> CreateSession(
    std::shared_ptr<const graph::Graph> graph, const SessionOptions& options) {
  if (graph == nullptr) return InvalidArgument("there is no graph");
  MUNJA_ASSIGN_OR_RETURN(std::shared_ptr<const Compiled> compiled,
                         Compile(std::move(graph), options));
  if (options.precision == Precision::kReduced && !ops::HasReducedPrecision()) {
    Log(Severity::kWarning,
        "this processor has no products of 16-bit floats: reduced precision "
        "is float32 here");
  }
  auto session =
      std::make_unique<CompiledSession>(std::move(compiled), options);
  MUNJA_RETURN_IF_ERROR(session->Start());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace munja::runtime
