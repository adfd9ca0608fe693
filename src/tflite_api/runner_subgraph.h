// RunnerSubgraph: a subgraph of an interpreter as tflite::Subgraph shows it.
#ifndef MUNJA_TFLITE_API_RUNNER_SUBGRAPH_H_
#define MUNJA_TFLITE_API_RUNNER_SUBGRAPH_H_

#include <memory>
#include <span>

#include "tflite_api/context.h"
#include "tflite_api/shown_subgraph.h"
#include "tflite_api/subgraph_runner.h"

namespace munja::compat {

class RunnerSubgraph final : public TfLiteMunjaSubgraph {
 public:
  // Both outlive the object.
  RunnerSubgraph(RunnerContext& context, int index, SubgraphRunner& runner)
      : context_(context), index_(index), runner_(runner) {}

  const graph::Subgraph& Model() const override { return runner_.subgraph(); }
  int Index() const override { return index_; }
  TfLiteContext* Context() override;
  Result<GraphNodes*> Nodes() override;
  std::span<const graph::ValueId> Variables() const override {
    return runner_.variables();
  }
  SharedState& Shared() override { return *context_.shared; }
  TfLiteStatus Resize(int tensor, std::span<const int> dims,
                      bool is_strict) override {
    return runner_.Resize(tensor, dims, is_strict);
  }
  TfLiteStatus Allocate() override { return runner_.Allocate(); }
  TfLiteStatus Invoke() override { return runner_.Invoke(); }
  TfLiteStatus ResetVariables() override {
    runner_.ResetVariables();
    return kTfLiteOk;
  }

 private:
  Result<GraphContext*> Shown();

  RunnerContext& context_;
  const int index_;
  SubgraphRunner& runner_;
  std::unique_ptr<GraphContext> shown_;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_RUNNER_SUBGRAPH_H_
