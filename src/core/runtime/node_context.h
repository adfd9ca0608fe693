// NodeContext: what a kernel sees of a plan, while it prepares and evaluates.
#ifndef MUNJA_RUNTIME_NODE_CONTEXT_H_
#define MUNJA_RUNTIME_NODE_CONTEXT_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "graph/graph.h"
#include "ops/op.h"

namespace munja::runtime {

class NodeContext;

// Gives memory to outputs with dynamic shapes.
class OutputMemory {
 public:
  virtual ~OutputMemory() = default;
  virtual Result<void*> Allocate(const NodeContext& context, int output,
                                 size_t bytes) = 0;
};

// The views of one node, for Eval. Filled by Preparation, bound to memory by
// its owner.
class NodeContext final : public ops::EvalContext {
 public:
  // `views` has one entry for each value of the subgraph: types and, for
  // inputs, final shapes and what data is known. Only inputs and outputs of
  // the node are copied.
  NodeContext(const graph::Node& node, const std::vector<TensorView>& views,
              ThreadPool& pool);

  const TensorView& input(int i) const override;
  int inputs() const override { return static_cast<int>(input_views.size()); }
  bool has_input(int i) const override;
  const TensorView& output(int i) const override { return output_views[i]; }
  void* scratch() const override { return scratch_data; }
  const ops::State* state() const override { return kernel_state.get(); }
  ThreadPool& pool() const override { return *pool_; }
  Status ResizeOutput(int i, const Shape& shape, size_t bytes) override;
  ops::Host* host() const override { return session_host; }
  std::vector<ops::PartTime>* part_times() const override {
    return wanted_part_times;
  }

  const graph::Node& node() const { return *node_; }

  std::vector<TensorView> input_views, output_views;
  void* scratch_data = nullptr;
  std::unique_ptr<ops::State> kernel_state;
  // Only where nodes run one by one; in a plan both are null.
  OutputMemory* output_memory = nullptr;
  ops::Host* session_host = nullptr;
  std::vector<ops::PartTime>* wanted_part_times = nullptr;  // By a profiler.

 private:
  const graph::Node* node_;
  ThreadPool* pool_;
};

// Runs Kernel::Prepare on a NodeContext and keeps what it asked for.
class Preparation final : public ops::PrepareContext {
 public:
  explicit Preparation(NodeContext& context) : context_(context) {}

  // Prepares, and checks that every output got a shape or was deferred.
  Status Run(const ops::Kernel& kernel);

  bool has_deferred() const;
  bool is_deferred(int output) const { return is_deferred_[output]; }

  size_t scratch_bytes() const { return scratch_bytes_; }
  // Pairs of output and input.
  const std::vector<std::pair<int, int>>& in_place() const { return in_place_; }

  const TensorView& input(int i) const override { return context_.input(i); }
  int inputs() const override { return context_.inputs(); }
  bool has_input(int i) const override { return context_.has_input(i); }
  const TensorView& output(int i) const override { return context_.output(i); }
  Status SetOutputShape(int i, const Shape& shape) override;
  void DeferOutputShape(int i) override;
  void RequestScratch(size_t bytes) override;
  void AllowInPlace(int output, int input) override;
  void SetState(std::unique_ptr<ops::State> state) override;
  int threads() const override { return context_.pool().threads(); }

 private:
  NodeContext& context_;
  size_t scratch_bytes_ = 0;
  std::vector<bool> has_shape_, is_deferred_;
  std::vector<std::pair<int, int>> in_place_;
};

// Evaluates a prepared node now, whose inputs' data is known, into memory of
// its own. The output views point there.
Result<std::vector<Buffer>> EvaluateNow(const ops::Kernel& kernel,
                                        NodeContext& context,
                                        size_t scratch_bytes);

// The sum over the outputs, which have shapes.
size_t OutputBytes(const NodeContext& context);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_NODE_CONTEXT_H_
