// Executor: runs one subgraph; by a plan where all shapes follow from those of
// the inputs, node by node where they do not.
#ifndef MUNJA_RUNTIME_EXECUTOR_H_
#define MUNJA_RUNTIME_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "runtime/eager_runner.h"
#include "runtime/plan_cache.h"
#include "runtime/profiler.h"
#include "runtime/program.h"

namespace munja::runtime {

// One caller at a time.
class Executor {
 public:
  // Pool and host outlive the executor.
  static Result<std::unique_ptr<Executor>> Make(
      std::shared_ptr<const Program> program, ThreadPool& pool, int max_plans,
      ops::Host* host);

  const Program& program() const { return *program_; }
  // See Session::Run and Session::Plan.
  Result<std::span<const TensorView>> Run(std::span<const TensorView> inputs,
                                          Profiler* profiler);
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs);
  void ResetVariables();
  size_t bytes() const {
    return plans_.arena_bytes() + (eager_ ? eager_->bytes() : 0);
  }

 private:
  Executor(std::shared_ptr<const Program> program, ThreadPool& pool,
           int max_plans, ops::Host* host);
  Status AllocateVariables();
  Status StageInputs(std::span<const TensorView> inputs);
  bool OverlapsVariables(const TensorView& view) const;
  Result<std::span<const TensorView>> RunPlan(runtime::Plan& plan,
                                              Profiler* profiler);
  Result<std::span<const TensorView>> RunEagerly(
      std::span<const TensorView> inputs, Profiler* profiler);
  // The same for shapes that no plan can be made for, and that need not run at
  // all: variables are then as they were before.
  Result<std::span<const TensorView>> TryEagerly(
      std::span<const TensorView> inputs, Profiler* profiler);
  bool RunsEagerly(std::span<const Shape> shapes) const;
  std::vector<Shape> StatedShapes() const;

  std::shared_ptr<const Program> program_;
  ThreadPool& pool_;
  ops::Host* host_;
  PlanCache plans_;
  std::optional<EagerRunner> eager_;
  bool is_eager_;  // Whatever the shapes.
  // Input shapes that have run node by node, since no plan can be made.
  std::vector<std::vector<Shape>> eager_shapes_;
  std::vector<Buffer> variables_;
  const runtime::Plan* profiled_plan_ = nullptr;  // The profiler shows it.
  int64_t profiled_made_ = 0;
  // State of the run in progress; kept so that a run allocates nothing.
  std::vector<Shape> shapes_;
  std::vector<void*> data_;
  std::vector<TensorView> staged_;
  Buffer staging_;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_EXECUTOR_H_
