// DelegatedKernel: the one node that stands for a partition. Runs the
// delegate's kernel, or the partition's nodes on the CPU where that fails.
#ifndef MUNJA_RUNTIME_DELEGATED_KERNEL_H_
#define MUNJA_RUNTIME_DELEGATED_KERNEL_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "ops/op.h"
#include "runtime/partition.h"
#include "runtime/session.h"

namespace munja::runtime {

// A plan whose Prepare failed, or whose Eval failed once (unless the delegate
// may recover), stays on the CPU; other plans ask the delegate again.
class DelegatedKernel final : public ops::Kernel {
 public:
  // `label` names delegate and partition in messages. `options` are those of
  // the session; its delegates are not asked again.
  DelegatedKernel(std::string delegate, std::string label,
                  std::unique_ptr<ops::Kernel> kernel,
                  const graph::Subgraph& subgraph, const Partition& partition,
                  const SessionOptions& options, bool may_recover = false);

  Status Prepare(ops::PrepareContext& context) const override;
  Status Eval(ops::EvalContext& context) const override;
  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return kernel_->MultiplyAccumulates(inputs, outputs);
  }
  size_t packed_bytes() const override { return kernel_->packed_bytes(); }
  bool needs_host() const override { return kernel_->needs_host(); }

  const std::string& delegate() const { return delegate_; }
  // Why the last plan that fell back did; empty when none did. Any thread.
  std::string failure() const;

 private:
  class PlanState;
  class Preparing;
  class Evaluating;

  Status PrepareOnCpu(ops::PrepareContext& context, PlanState& state) const;
  Status EvalOnCpu(ops::EvalContext& context, PlanState& state) const;
  void Recovered() const;
  // Logs a reason that was not the last one.
  void Report(std::string_view phase, const Status& failure) const;
  Result<std::unique_ptr<Session>> TakeSession(int threads) const;
  void GiveBack(std::unique_ptr<Session> session) const;

  const std::string delegate_, label_;
  const std::unique_ptr<ops::Kernel> kernel_;
  const bool may_recover_;
  std::shared_ptr<const graph::Graph> graph_;  // The partition alone.
  SessionOptions options_;
  std::vector<int> variables_;  // Inputs.

  mutable std::mutex mutex_;  // Guards the members below.
  mutable std::string failure_;
  mutable std::unique_ptr<Session> first_session_;  // Forks share its weights.
  mutable std::vector<std::unique_ptr<Session>> idle_sessions_;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_DELEGATED_KERNEL_H_
