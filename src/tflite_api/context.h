// GraphContext: a subgraph as TensorFlow Lite's C API shows it to operators
// and delegates: one TfLiteContext, its tensors and its nodes.
#ifndef MUNJA_TFLITE_API_CONTEXT_H_
#define MUNJA_TFLITE_API_CONTEXT_H_

#include <cstdarg>
#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "graph/graph.h"
#include "tensor/shape.h"
#include "tensorflow/lite/c/common.h"
#include "tflite_api/external_node.h"
#include "tflite_api/graph_nodes.h"
#include "tflite_api/operator.h"
#include "tflite_api/shown_subgraph.h"

namespace munja::compat {

// Tensors have the numbers of the subgraph's values; those that AddTensors
// makes come after. One caller at a time. External code gets the address of the
// TfLiteContext, so the object does not move.
class GraphContext final : public TfLiteMunjaSubgraph {
 public:
  // Copies the subgraph; the data of constants is shared. `shared`: with the
  // other contexts of the session; null: with none.
  static Result<std::unique_ptr<GraphContext>> Make(
      graph::Subgraph subgraph, std::shared_ptr<SharedState> shared = nullptr);
  ~GraphContext() override;
  GraphContext(const GraphContext&) = delete;
  GraphContext& operator=(const GraphContext&) = delete;

  static GraphContext& Of(const TfLiteContext* context) {
    return static_cast<GraphContext&>(
        *static_cast<TfLiteMunjaSubgraph*>(context->impl_));
  }
  TfLiteContext* c() { return &context_; }
  const graph::Subgraph& subgraph() const { return subgraph_; }
  size_t tensors() const { return tensors_.size(); }
  // Null when there is no such tensor. Holds until tensors are added.
  TfLiteTensor* tensor(int index);
  // Null unless the tensor is one of these.
  int IndexOf(const TfLiteTensor* tensor) const;

  // The kind of external callback that is about to run; Scope restores the one
  // before.
  enum class Phase { kIdle, kInit, kPrepare, kInvoke };
  class Scope;

  // Gives the tensor this shape, as the runtime does, whatever its allocation.
  // Memory of dynamic tensors is kept.
  Status SetShape(int index, const Shape& shape);
  // Gives an output back the type of allocation that it has before Prepare.
  void ResetAllocation(int index);

  // Lets the run place the tensor in memory of its own.
  void TakeFromHeap(int index);

  // Messages reported since the last call, in one line; may be empty.
  std::string TakeReports();
  void Report(const char* format, va_list arguments);
  void Report(const char* format, ...) __attribute__((format(printf, 2, 3)));

  // While open, the functions that only a delegate may call work: inspection
  // of nodes, replacement, and, of the graph when it is given, other subgraphs
  // and metadata.
  void Open(const graph::Graph* graph) {
    is_open_ = true;
    graph_ = graph;
  }
  void Close();
  bool is_open() const { return is_open_; }
  Result<GraphNodes*> nodes();
  // Kernels that ReplaceNodeSubsetsWithDelegateKernels made, until taken.
  std::vector<std::unique_ptr<ExternalNode>>& replacements() {
    return replacements_;
  }
  // Keeps an operator that a delegate gave up as long as its kernels.
  void Own(std::unique_ptr<TfLiteOperator> op);
  // Tensors that keep their content from run to run.
  const std::vector<graph::ValueId>& variables() const { return variables_; }

  const graph::Subgraph& Model() const override { return subgraph_; }
  int Index() const override { return -1; }
  TfLiteContext* Context() override { return &context_; }
  Result<GraphNodes*> Nodes() override { return nodes(); }
  std::span<const graph::ValueId> Variables() const override {
    return variables_;
  }
  SharedState& Shared() override { return *shared_; }
  // A subgraph that is part of a run cannot run itself.
  TfLiteStatus Resize(int, std::span<const int>, bool) override {
    return RefuseToRun();
  }
  TfLiteStatus Allocate() override { return RefuseToRun(); }
  TfLiteStatus Invoke() override { return RefuseToRun(); }
  TfLiteStatus ResetVariables() override { return RefuseToRun(); }

  // The delegate's kernels write the tensor. kInvalidArgument: those of
  // another one do.
  Status SetDelegate(int tensor, TfLiteDelegate* delegate);
  bool IsWrittenByDelegate(int tensor) const {
    return is_written_by_delegate_.contains(tensor);
  }

 private:
  friend struct ContextFunctions;

  GraphContext(graph::Subgraph subgraph, std::shared_ptr<SharedState> shared);
  TfLiteStatus RefuseToRun();
  Status MirrorTensors();
  void ReserveTensors();
  TfLiteStatus ResizeTensor(TfLiteTensor* tensor, TfLiteIntArray* size);
  TfLiteStatus AddTensors(int count, int* first);
  TfLiteStatus Replace(TfLiteRegistration registration,
                       const TfLiteIntArray* wanted, TfLiteDelegate* delegate);
  TfLiteStatus Acquire(int subgraph, TfLiteContext** context);
  void FreeHandles();

  graph::Subgraph subgraph_;
  std::shared_ptr<SharedState> shared_;
  TfLiteContext context_{};
  std::vector<TfLiteTensor> tensors_;
  std::deque<TfLiteEvalTensor> eval_tensors_;
  Phase phase_ = Phase::kIdle;
  ExternalNode* running_ = nullptr;  // The node whose callback runs.
  std::string reports_;
  bool is_open_ = false;
  const graph::Graph* graph_ = nullptr;  // While open.
  std::unique_ptr<GraphNodes> nodes_;
  std::vector<std::unique_ptr<GraphContext>> acquired_;  // By subgraph.
  std::vector<std::unique_ptr<TfLiteOperator>> operators_;
  std::vector<std::unique_ptr<ExternalNode>> replacements_;
  std::vector<graph::ValueId> variables_;
  std::set<int> is_written_by_delegate_;
};

class GraphContext::Scope {
 public:
  Scope(GraphContext& context, Phase phase, ExternalNode* node);
  ~Scope() {
    context_.phase_ = phase_;
    context_.running_ = running_;
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  GraphContext& context_;
  Phase phase_;
  ExternalNode* running_;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_CONTEXT_H_
