// PlanBuilder: the steps from input shapes to a Plan.
#ifndef MUNJA_RUNTIME_PLAN_BUILDER_H_
#define MUNJA_RUNTIME_PLAN_BUILDER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "runtime/memory_plan.h"
#include "runtime/plan.h"

namespace munja::runtime {

// Use once: Build.
class PlanBuilder {
 public:
  PlanBuilder(const Program& program, ThreadPool& pool)
      : program_(program), graph_(program.subgraph()), pool_(pool) {}

  Result<std::unique_ptr<Plan>> Build(std::span<const Shape> inputs);

 private:
  using Storage = Plan::Storage;

  void PlaceFixedValues(std::span<const Shape> inputs);
  // Shapes in the order of the nodes. A node whose outputs follow from what
  // is known (constants, shapes) is evaluated here and makes no step.
  Status PrepareNodes();
  Status PrepareNode(size_t node);
  bool CanEvaluateNow(const NodeContext& context) const;
  // Drops steps that only evaluated nodes needed (what SHAPE looked at).
  void DropUnneededSteps();
  // Brings steps together that run by bands of rows.
  void FindChains();
  bool SplitsRows(const Plan::Step& step) const;
  // Bands of these steps; null if their rows do not fit a cache.
  std::unique_ptr<Bands> MakeBands(const std::vector<size_t>& steps) const;
  // Lifetimes, sharing in place, offsets.
  Status PlaceArena();
  bool PlaceInMemoryOfInput(const Plan::Step& step, int step_number,
                            int output);
  void CollectSlots();

  const Program& program_;
  const graph::Subgraph& graph_;
  ThreadPool& pool_;
  std::unique_ptr<Plan> plan_;
  std::vector<TensorView> views_;  // By value.

  // Memory: requests, which of them holds a value (-1: none), the step that
  // reads a value last.
  std::vector<BufferRequest> requests_;
  std::vector<int> request_of_;
  std::vector<int> last_use_;
  // Values within chains, which are never stored; empty: none.
  std::vector<bool> is_inner_;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PLAN_BUILDER_H_
