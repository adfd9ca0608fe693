// EagerRunner: runs a program node by node, for models whose shapes only the
// run finds out, or whose operators call other subgraphs.
#ifndef MUNJA_RUNTIME_EAGER_RUNNER_H_
#define MUNJA_RUNTIME_EAGER_RUNNER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "runtime/node_context.h"
#include "runtime/profiler.h"
#include "runtime/program.h"

namespace munja::runtime {

// Each node is prepared when its inputs are there, again when their shapes
// change, and before every run when its shapes depend on values. Memory of
// values that nothing reads any more serves the nodes after.
class EagerRunner final : private OutputMemory {
 public:
  // All outlive the runner. `host` may be null when no kernel needs one.
  EagerRunner(const Program& program, ThreadPool& pool, ops::Host* host);

  // The outputs hold until the run after; `inputs` may be outputs of the run
  // before. `variables`: one buffer for each of the program.
  Result<std::span<const TensorView>> Run(std::span<const TensorView> inputs,
                                          std::span<Buffer> variables,
                                          Profiler* profiler);

  // Bytes held now.
  size_t bytes() const { return bytes_; }

 private:
  struct Step {
    std::unique_ptr<NodeContext> context;
    size_t scratch_bytes = 0;
    bool is_prepared = false;
    bool wants_values = false;      // Prepare looks at the values of inputs.
    std::vector<bool> is_deferred;  // By output.
  };

  void PlaceGivenValues(std::span<const TensorView> inputs,
                        std::span<Buffer> variables);
  Status RunNode(size_t node, Profiler* profiler);
  // Refreshes the views of a step; true when a shape is not what it was.
  bool TakeInputs(size_t node);
  Status Prepare(size_t node);
  Status PlaceOutputs(size_t node);
  Status CollectOutputs(std::span<const TensorView> inputs);
  Result<void*> Allocate(const NodeContext& context, int output,
                         size_t bytes) override;
  Result<Buffer> Acquire(size_t bytes);
  Result<Buffer> AllocateNew(size_t bytes);
  void Release(graph::ValueId value);

  const Program& program_;
  const graph::Subgraph& graph_;
  ThreadPool& pool_;
  ops::Host* host_;
  std::vector<TensorView> views_;  // By value; data null: not there yet.
  std::vector<Buffer> owned_;      // By value.
  std::vector<bool> is_fixed_;     // Constants, variables, inputs: not owned.
  std::vector<size_t> last_use_;   // By value: the node that reads it last.
  std::vector<Step> steps_;        // By node.
  std::vector<Buffer> free_;       // Memory to use again.
  std::vector<Buffer> held_;       // The memory of outputs_.
  std::vector<TensorView> outputs_;
  Buffer scratch_;
  size_t bytes_ = 0;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_EAGER_RUNNER_H_
