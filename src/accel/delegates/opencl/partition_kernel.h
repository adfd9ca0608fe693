// PartitionKernel: one partition on a device, ready for each set of input
// shapes.
#ifndef MUNJA_DELEGATES_OPENCL_PARTITION_KERNEL_H_
#define MUNJA_DELEGATES_OPENCL_PARTITION_KERNEL_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "delegates/opencl/byte_weights.h"
#include "delegates/opencl/opencl_delegate.h"
#include "delegates/opencl/plan.h"
#include "graph/graph.h"
#include "ops/op.h"
#include "runtime/delegate.h"
#include "runtime/session.h"

namespace munja::delegates::opencl {

class PartitionKernel final : public ops::Kernel {
 public:
  static Result<std::unique_ptr<PartitionKernel>> Make(
      std::shared_ptr<const Options> options,
      std::shared_ptr<CheckedDevice> device, const graph::Subgraph& subgraph,
      const runtime::Partition& partition, int splits);

  Status Prepare(ops::PrepareContext& context) const override;
  Status Eval(ops::EvalContext& context) const override;

 private:
  struct PlanState;

  PartitionKernel() = default;
  Result<std::shared_ptr<DevicePlan>> MakePlan(
      const runtime::ShapeInference& known, bool shares_memory,
      const std::shared_ptr<DeviceMemory>& memory) const;
  // `times` may be null.
  Status RunPlan(const std::shared_ptr<DevicePlan>& plan,
                 std::chrono::milliseconds longest,
                 std::shared_ptr<DevicePlan::Times> times = nullptr) const;
  // One entry for each node with launches, in their order.
  std::vector<ops::PartTime> Parts(const PlanState& state,
                                   const DevicePlan::Times& times) const;
  enum class Comparison { kRight, kNotRun, kHasWrongNodes, kNeedsFloatMath };
  Math MathOf() const;
  // One run, on a track of the device.
  void Trace(const PlanState& state, const DevicePlan::Times& times) const;
  // Compares the plan with the CPU, unless it was right in an earlier session.
  // Wrong nodes are remembered.
  Result<Comparison> Check(const runtime::ShapeInference& known,
                           const std::shared_ptr<DevicePlan>& plan) const;
  // Hash of everything that decides what the plan computes. 0: there is none.
  uint64_t FingerprintOf(const Recording& recording) const;
  Status SavePrograms() const;
  // Whether the plan, which has run, has new group sizes.
  Result<bool> Tune(const std::shared_ptr<DevicePlan>& plan) const;
  // How many nodes give wrong results for right inputs. All are remembered.
  Result<int> FindWrong(const runtime::ShapeInference& known,
                        const std::vector<std::vector<float>>& inputs) const;
  // Whether the plan matches one whose values share no memory.
  Result<bool> IsSameApart(const runtime::ShapeInference& known,
                           const std::vector<std::vector<float>>& inputs,
                           const DevicePlan& together) const;
  bool HasWrongNodes() const;
  // The partition as a network of its own, in which the CPU has the wrong
  // nodes and the device the others.
  Status PrepareSplit(ops::PrepareContext& context) const;
  Result<std::unique_ptr<runtime::Session>> MakeSplit(bool profile) const;
  Status EvalSplit(ops::EvalContext& context, PlanState& state) const;
  const graph::Subgraph& subgraph() const { return graph_->main(); }

  std::shared_ptr<const Options> options_;
  std::shared_ptr<CheckedDevice> device_;
  std::shared_ptr<DeviceMemory> memory_;
  // The partition alone, fused as far as there are kernels for it.
  std::shared_ptr<const graph::Graph> graph_;
  std::vector<int> nodes_;         // All of them.
  std::vector<int> float_inputs_;  // Which of the inputs go to the device.
  ScalesOfWeights scales_;         // For weights that are bytes on the device.
  uint64_t constants_ = 0;         // Their fingerprint.
  int splits_ = 0;  // How often the partition was part of a split one.

  mutable std::mutex mutex_;
  mutable std::unique_ptr<runtime::Session> cpu_;  // To compare with.
  mutable bool was_checked_ = false;
  // fp16 products were too imprecise: they are float from then on.
  mutable std::atomic<bool> needs_float_math_{false};
  // All nodes were right, and the partition off by their rounding.
  mutable bool is_rounding_ = false;
  // Why the partition is not tried again; empty: it is.
  mutable std::string mistrust_;
  // Split: with and without a profile. Plans have forks of them.
  mutable std::unique_ptr<runtime::Session> split_, profiled_split_;
};

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_PARTITION_KERNEL_H_
