#include "tflite_api/runner_subgraph.h"

namespace munja::compat {

Result<GraphContext*> RunnerSubgraph::Shown() {
  if (shown_ != nullptr) return shown_.get();
  MUNJA_ASSIGN_OR_RETURN(shown_, GraphContext::Make(Model(), context_.shared));
  // Read-only: only delegates change the graph.
  shown_->Open(context_.graph.get());
  TfLiteContext& c = *shown_->c();
  c.tensors = runner_.tensors().data();
  c.tensors_size = runner_.tensors().size();
  c.GetTensor = nullptr;
  c.GetEvalTensor = nullptr;
  c.ResizeTensor = [](TfLiteContext* context, TfLiteTensor*,
                      TfLiteIntArray* size) {
    TfLiteIntArrayFree(size);
    context->ReportError(context, "Inputs are resized by the interpreter.");
    return kTfLiteError;
  };
  c.AddTensors = [](TfLiteContext* context, int, int*) {
    context->ReportError(context, "An interpreter takes no more tensors.");
    return kTfLiteError;
  };
  c.ReplaceNodeSubsetsWithDelegateKernels =
      [](TfLiteContext* context, TfLiteRegistration, const TfLiteIntArray*,
         TfLiteDelegate*) {
        context->ReportError(context, "Only a delegate replaces nodes.");
        return kTfLiteError;
      };
  return shown_.get();
}

TfLiteContext* RunnerSubgraph::Context() {
  const auto shown = Shown();
  if (shown.ok()) return (*shown)->c();
  context_.reporter.Report(shown.status());
  return nullptr;
}

Result<GraphNodes*> RunnerSubgraph::Nodes() {
  MUNJA_ASSIGN_OR_RETURN(GraphContext * shown, Shown());
  return shown->nodes();
}

}  // namespace munja::compat
