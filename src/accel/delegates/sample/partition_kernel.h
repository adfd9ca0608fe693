// PartitionKernel: the steps of one partition, run one after the other.
#ifndef MUNJA_DELEGATES_SAMPLE_PARTITION_KERNEL_H_
#define MUNJA_DELEGATES_SAMPLE_PARTITION_KERNEL_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "delegates/sample/step.h"
#include "graph/graph.h"
#include "ops/op.h"
#include "runtime/delegate.h"

namespace munja::delegates::sample {

// Values within the partition lie in scratch memory, one after the other.
class PartitionKernel final : public ops::Kernel {
 public:
  static Result<std::unique_ptr<PartitionKernel>> Make(
      const graph::Subgraph& subgraph, const runtime::Partition& partition);

  void FailInPrepare(Status failure) { fail_in_prepare_ = std::move(failure); }
  void FailInEval(Status failure) { fail_in_eval_ = std::move(failure); }

  Status Prepare(ops::PrepareContext& context) const override;
  Status Eval(ops::EvalContext& context) const override;

 private:
  // A value that a step reads or writes.
  struct Slot {
    enum Place { kInput, kOutput, kConstant, kScratch } place = kScratch;
    int number = 0;           // Of the input or output.
    std::vector<float> data;  // Of a constant,
    Shape shape;              // and its shape.
  };
  struct Call {
    std::unique_ptr<Step> step;
    std::vector<int> inputs;  // Slots; -1: absent.
    int output = 0;
  };
  struct PlanState;

  std::vector<Slot> slots_;
  std::vector<Call> calls_;
  Status fail_in_prepare_, fail_in_eval_;
};

}  // namespace munja::delegates::sample

#endif  // MUNJA_DELEGATES_SAMPLE_PARTITION_KERNEL_H_
