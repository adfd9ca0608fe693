#include "tflite_api/context_functions.h"

#include <cstdarg>
#include <span>
#include <string>

#include "tflite_api/context.h"
#include "tflite_api/tensor_mirror.h"

namespace munja::compat {

// Called by external code: nothing that it passes is trusted to be there.
struct ContextFunctions {
  using Phase = GraphContext::Phase;

  static TfLiteStatus ResizeTensor(TfLiteContext* context, TfLiteTensor* tensor,
                                   TfLiteIntArray* size) {
    return GraphContext::Of(context).ResizeTensor(tensor, size);
  }

  static TfLiteStatus ResizeTensorExplicit(TfLiteContext* context,
                                           TfLiteTensor* tensor, int rank,
                                           const int* shape) {
    if (rank < 0 || (rank > 0 && shape == nullptr)) return kTfLiteError;
    return GraphContext::Of(context).ResizeTensor(
        tensor, ArrayOf({shape, static_cast<size_t>(rank)}));
  }

  static void ReportError(TfLiteContext* context, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    GraphContext::Of(context).Report(format, arguments);
    va_end(arguments);
  }

  static TfLiteStatus AddTensors(TfLiteContext* context, int count,
                                 int* first) {
    return GraphContext::Of(context).AddTensors(count, first);
  }

  // Whether a delegate may call this now; says so when not.
  static bool IsOpen(GraphContext& self) {
    if (self.is_open()) return true;
    self.Report("The function is forbidden if not calling in delegate.");
    return false;
  }

  static GraphNodes* NodesOf(GraphContext& self) {
    if (!IsOpen(self)) return nullptr;
    auto nodes = self.nodes();
    if (nodes.ok()) return *nodes;
    self.Report("%s", std::string(nodes.status().message()).c_str());
    return nullptr;
  }

  static TfLiteStatus GetExecutionPlan(TfLiteContext* context,
                                       TfLiteIntArray** plan) {
    GraphNodes* const nodes = NodesOf(GraphContext::Of(context));
    if (nodes == nullptr || plan == nullptr) return kTfLiteError;
    *plan = nodes->ExecutionPlan();
    return *plan != nullptr ? kTfLiteOk : kTfLiteError;
  }

  static TfLiteStatus GetNodeAndRegistration(TfLiteContext* context, int number,
                                             TfLiteNode** node,
                                             TfLiteRegistration** op) {
    GraphContext& self = GraphContext::Of(context);
    GraphNodes* const nodes = NodesOf(self);
    if (nodes == nullptr) return kTfLiteError;
    if (nodes->node(number) == nullptr) {
      self.Report("There is no node %d.", number);
      return kTfLiteError;
    }
    if (node != nullptr) *node = nodes->node(number);
    if (op != nullptr) *op = nodes->registration(number);
    return kTfLiteOk;
  }

  static TfLiteStatus Replace(TfLiteContext* context, TfLiteRegistration op,
                              const TfLiteIntArray* nodes,
                              TfLiteDelegate* delegate) {
    GraphContext& self = GraphContext::Of(context);
    if (!IsOpen(self)) return kTfLiteError;
    return self.Replace(op, nodes, delegate);
  }

  static TfLiteStatus Preview(TfLiteContext* context,
                              const TfLiteIntArray* wanted,
                              TfLiteDelegateParams** array, int* count) {
    GraphContext& self = GraphContext::Of(context);
    GraphNodes* const nodes = NodesOf(self);
    if (nodes == nullptr || array == nullptr || count == nullptr)
      return kTfLiteError;
    auto groups = nodes->Preview(SpanOf(wanted));
    if (!groups.ok()) {
      self.Report("%s", std::string(groups.status().message()).c_str());
      return kTfLiteError;
    }
    *array = groups->data();
    *count = static_cast<int>(groups->size());
    return kTfLiteOk;
  }

  static TfLiteExternalContext* GetExternalContext(
      TfLiteContext* context, TfLiteExternalContextType type) {
    return GraphContext::Of(context).Shared().External(type);
  }

  static void SetExternalContext(TfLiteContext* context,
                                 TfLiteExternalContextType type,
                                 TfLiteExternalContext* external) {
    GraphContext::Of(context).Shared().SetExternal(type, external);
  }

  static void* AllocatePersistentBuffer(TfLiteContext* context, size_t bytes) {
    GraphContext& self = GraphContext::Of(context);
    if (self.running_ == nullptr) return nullptr;
    return self.running_->AllocatePersistent(bytes);
  }

  static TfLiteStatus AllocateBufferForEval(TfLiteContext* context,
                                            size_t bytes, void** data) {
    GraphContext& self = GraphContext::Of(context);
    // Memory for eval, taken before: each run would take more.
    if (self.running_ == nullptr || self.phase_ == Phase::kInvoke ||
        data == nullptr)
      return kTfLiteError;
    *data = self.running_->AllocatePersistent(bytes);
    return *data != nullptr || bytes == 0 ? kTfLiteOk : kTfLiteError;
  }

  static TfLiteStatus RequestScratch(TfLiteContext* context, size_t bytes,
                                     int* index) {
    GraphContext& self = GraphContext::Of(context);
    if (self.running_ == nullptr || self.phase_ != Phase::kPrepare) {
      self.Report("Scratch buffers are requested while preparing.");
      return kTfLiteError;
    }
    return self.running_->RequestScratch(bytes, index);
  }

  static void* GetScratchBuffer(TfLiteContext* context, int index) {
    const GraphContext& self = GraphContext::Of(context);
    return self.running_ != nullptr ? self.running_->Scratch(index) : nullptr;
  }

  static TfLiteTensor* GetTensor(const TfLiteContext* context, int index) {
    return GraphContext::Of(context).tensor(index);
  }

  static TfLiteEvalTensor* GetEvalTensor(const TfLiteContext* context,
                                         int index) {
    GraphContext& self = GraphContext::Of(context);
    const TfLiteTensor* const tensor = self.tensor(index);
    if (tensor == nullptr) return nullptr;
    if (self.eval_tensors_.size() < self.tensors())
      self.eval_tensors_.resize(self.tensors());
    TfLiteEvalTensor& eval = self.eval_tensors_[static_cast<size_t>(index)];
    eval.data = tensor->data;
    eval.dims = tensor->dims;
    eval.type = tensor->type;
    return &eval;
  }

  static TfLiteStatus GetModelMetadata(const TfLiteContext* context,
                                       const char* name, const char** data,
                                       size_t* bytes) {
    GraphContext& self = GraphContext::Of(context);
    if (!IsOpen(self) || self.graph_ == nullptr || name == nullptr ||
        data == nullptr || bytes == nullptr)
      return kTfLiteError;
    const auto it = self.graph_->metadata.find(name);
    if (it == self.graph_->metadata.end()) return kTfLiteError;
    *data = reinterpret_cast<const char*>(it->second.data());
    *bytes = it->second.size();
    return kTfLiteOk;
  }

  static TfLiteStatus Acquire(TfLiteContext* context, int subgraph,
                              TfLiteContext** acquired) {
    GraphContext& self = GraphContext::Of(context);
    if (!IsOpen(self)) return kTfLiteError;
    return self.Acquire(subgraph, acquired);
  }

  // Acquired subgraphs stay valid until the delegate is done anyway.
  static TfLiteStatus Release(TfLiteContext* context, int subgraph) {
    GraphContext& self = GraphContext::Of(context);
    if (!IsOpen(self)) return kTfLiteError;
    const bool is_acquired =
        subgraph >= 0 &&
        static_cast<size_t>(subgraph) < self.acquired_.size() &&
        self.acquired_[static_cast<size_t>(subgraph)] != nullptr;
    return is_acquired ? kTfLiteOk : kTfLiteError;
  }
};

void SetContextFunctions(TfLiteContext* context) {
  using F = ContextFunctions;
  context->GetExecutionPlan = F::GetExecutionPlan;
  context->ResizeTensor = F::ResizeTensor;
  context->ReportError = F::ReportError;
  context->AddTensors = F::AddTensors;
  context->GetNodeAndRegistration = F::GetNodeAndRegistration;
  context->ReplaceNodeSubsetsWithDelegateKernels = F::Replace;
  context->GetExternalContext = F::GetExternalContext;
  context->SetExternalContext = F::SetExternalContext;
  context->AllocatePersistentBuffer = F::AllocatePersistentBuffer;
  context->AllocateBufferForEval = F::AllocateBufferForEval;
  context->RequestScratchBufferInArena = F::RequestScratch;
  context->GetScratchBuffer = F::GetScratchBuffer;
  context->ResizeTensorExplicit = F::ResizeTensorExplicit;
  context->PreviewDelegatePartitioning = F::Preview;
  context->GetTensor = F::GetTensor;
  context->GetEvalTensor = F::GetEvalTensor;
  context->GetModelMetadata = F::GetModelMetadata;
  context->AcquireSubgraphContext = F::Acquire;
  context->ReleaseSubgraphContext = F::Release;
}

}  // namespace munja::compat
