// SubgraphRunner: a session on one subgraph behind tensors that the
// application fills and reads.
#ifndef MUNJA_TFLITE_API_SUBGRAPH_RUNNER_H_
#define MUNJA_TFLITE_API_SUBGRAPH_RUNNER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/control.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "runtime/delegate.h"
#include "runtime/resolver.h"
#include "runtime/session.h"
#include "tensorflow/lite/core/c/common.h"
#include "tflite_api/reporter.h"
#include "tflite_api/shared_state.h"

namespace munja::compat {

// State that the runners of an interpreter share.
struct RunnerContext {
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const runtime::Resolver> resolver;
  std::shared_ptr<ThreadPool> pool;        // Null: the calling thread.
  std::vector<TfLiteDelegate*> delegates;  // In the order of application.
  // Unresolved custom operators; a delegate may take them.
  std::vector<std::string> unresolved;
  std::shared_ptr<Control>
      control;  // For runs; null: they are never cancelled.
  // Resources of operators and delegates, whichever subgraph and session they
  // are in.
  std::shared_ptr<SharedState> shared = std::make_shared<SharedState>();
  bool has_own_operators = false;  // That passes must not see through.
  bool falls_back = false;         // Run without delegates when a run fails.
  Reporter reporter;
};

// One caller at a time. The tensors have the numbers of the subgraph's values
// and do not move.
class SubgraphRunner {
 public:
  // `context` outlives the runner. Every failure is reported.
  static TfLiteStatus Make(RunnerContext& context, int subgraph,
                           std::unique_ptr<SubgraphRunner>* runner);
  ~SubgraphRunner();
  SubgraphRunner(const SubgraphRunner&) = delete;
  SubgraphRunner& operator=(const SubgraphRunner&) = delete;

  const graph::Subgraph& subgraph() const {
    return context_.graph->subgraphs[static_cast<size_t>(index_)];
  }
  std::span<const int> inputs() const { return inputs_; }
  std::span<const int> outputs() const { return outputs_; }
  std::span<const int> variables() const { return variables_; }
  // Null when there is no such tensor.
  TfLiteTensor* tensor(int index);
  std::span<TfLiteTensor> tensors() { return tensors_; }

  // `is_strict`: only sizes that the model leaves open may change.
  TfLiteStatus Resize(int tensor, std::span<const int> dims, bool is_strict);
  TfLiteStatus Allocate();
  TfLiteStatus Invoke();
  TfLiteStatus SetCustomAllocation(int tensor,
                                   const TfLiteCustomAllocation& allocation,
                                   int64_t flags);
  // With the delegates that the context has now. kTfLiteDelegateError: one of
  // them failed, and all runs as before.
  TfLiteStatus ApplyDelegates();
  void ResetVariables();

 private:
  SubgraphRunner(RunnerContext& context, int subgraph);
  Status MakeTensors();
  // Sessions: with the delegates of the context, unless told otherwise.
  Result<std::unique_ptr<runtime::Session>> MakeSession(
      bool with_delegates, Status* delegate_failure) const;
  TfLiteStatus Compile();
  bool FitsModel(int tensor, std::span<const int> dims) const;
  Status PlaceInputs();
  Status PlaceOutputs(std::span<const Shape> shapes);
  Status Place(int tensor, const Shape& shape);
  Status TakeInputs();
  Status HandOutputs(std::span<const TensorView> views);
  bool IsInput(int tensor) const;
  TfLiteStatus Fail(const Status& status) const;

  RunnerContext& context_;
  int index_;
  // Another graph than the context's when an input was resized against the
  // sizes that the model states.
  std::shared_ptr<const graph::Graph> relaxed_;
  std::unique_ptr<runtime::Session> session_;
  std::vector<int> inputs_, outputs_, variables_;
  std::vector<TfLiteTensor> tensors_;
  std::vector<Buffer> memory_;     // For inputs and outputs, by tensor.
  std::vector<size_t> custom_;     // Bytes of custom allocations, by tensor.
  std::vector<TensorView> views_;  // Views of the inputs, for a run.
  bool is_ready_ = false;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_SUBGRAPH_RUNNER_H_
