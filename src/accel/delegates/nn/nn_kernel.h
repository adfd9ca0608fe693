// NnKernel: one partition as a HAL model, compiled for each set of input
// shapes.
#ifndef MUNJA_DELEGATES_NN_NN_KERNEL_H_
#define MUNJA_DELEGATES_NN_NN_KERNEL_H_

#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "delegates/nn/nn_delegate.h"
#include "graph/graph.h"
#include "ops/op.h"
#include "runtime/delegate.h"

namespace munja::delegates::nn {

class NnKernel final : public ops::Kernel {
 public:
  NnKernel(std::shared_ptr<const Options> options,
           const graph::Subgraph& subgraph,
           const runtime::Partition& partition);

  Status Prepare(ops::PrepareContext& context) const override;
  Status Eval(ops::EvalContext& context) const override;

 private:
  // Compiled for one set of shapes and of static values.
  struct Compiled;
  struct PlanState;
  using Key = std::vector<uint8_t>;

  static Key KeyOf(const ops::PrepareContext& context);
  Result<std::shared_ptr<const Compiled>> Compile(
      const ops::PrepareContext& context) const;

  const std::shared_ptr<const Options> options_;
  graph::Subgraph subgraph_;  // The partition alone.
  std::vector<int> nodes_;    // All of them.

  // Forks share what they compiled as long as one of them has it.
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Key, std::weak_ptr<const Compiled>>> compiled_;
};

}  // namespace munja::delegates::nn

#endif  // MUNJA_DELEGATES_NN_NN_KERNEL_H_
