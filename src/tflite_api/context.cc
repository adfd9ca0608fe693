#include "tflite_api/context.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tensorflow/lite/builtin_ops.h"
#include "tflite_api/context_functions.h"
#include "tflite_api/delegate_calls.h"
#include "tflite_api/delegate_kernel.h"
#include "tflite_api/tensor_mirror.h"

namespace munja::compat {
namespace {

// Callbacks may add this many tensors without moving those they hold.
constexpr size_t kSpareTensors = 16;
// A model cannot make external code report without end.
constexpr size_t kMaxReports = 4096;

bool IsOnHeap(const TfLiteTensor& tensor) {
  return tensor.allocation_type == kTfLiteDynamic ||
         tensor.allocation_type == kTfLitePersistentRo;
}

}  // namespace

GraphContext::GraphContext(graph::Subgraph subgraph,
                           std::shared_ptr<SharedState> shared)
    : subgraph_(std::move(subgraph)),
      shared_(shared != nullptr ? std::move(shared)
                                : std::make_shared<SharedState>()) {
  context_.impl_ = static_cast<TfLiteMunjaSubgraph*>(this);
  context_.recommended_num_threads = -1;
  SetContextFunctions(&context_);
}

Result<std::unique_ptr<GraphContext>> GraphContext::Make(
    graph::Subgraph subgraph, std::shared_ptr<SharedState> shared) {
  std::unique_ptr<GraphContext> context(
      new GraphContext(std::move(subgraph), std::move(shared)));
  MUNJA_RETURN_IF_ERROR(context->MirrorTensors());
  return context;
}

Status GraphContext::MirrorTensors() {
  ReserveTensors();
  for (const graph::Value& value : subgraph_.values) {
    tensors_.push_back({});
    MUNJA_RETURN_IF_ERROR(Mirror(value, &tensors_.back()));
    if (value.is_variable)
      variables_.push_back(static_cast<graph::ValueId>(tensors_.size() - 1));
  }
  ReserveTensors();
  return Status();
}

GraphContext::~GraphContext() {
  replacements_.clear();
  FreeHandles();
  for (TfLiteTensor& tensor : tensors_) TfLiteTensorFree(&tensor);
}

TfLiteStatus GraphContext::RefuseToRun() {
  Report("An operator cannot run the subgraph that it is part of.");
  return kTfLiteError;
}

void GraphContext::FreeHandles() {
  for (TfLiteTensor& tensor : tensors_) {
    TfLiteDelegate* const delegate = tensor.delegate;
    if (delegate == nullptr || tensor.buffer_handle == kTfLiteNullBufferHandle)
      continue;
    FreeHandle(&context_, delegate, &tensor);
  }
}

void GraphContext::ReserveTensors() {
  const size_t wanted =
      std::max(tensors_.size(), subgraph_.values.size()) + kSpareTensors;
  if (tensors_.capacity() < wanted) tensors_.reserve(wanted + wanted / 2);
  context_.tensors = tensors_.data();
  context_.tensors_size = tensors_.size();
}

TfLiteTensor* GraphContext::tensor(int index) {
  if (index < 0 || static_cast<size_t>(index) >= tensors_.size())
    return nullptr;
  return &tensors_[static_cast<size_t>(index)];
}

int GraphContext::IndexOf(const TfLiteTensor* tensor) const {
  for (size_t i = 0; i < tensors_.size(); ++i)
    if (&tensors_[i] == tensor) return static_cast<int>(i);
  return -1;
}

GraphContext::Scope::Scope(GraphContext& context, Phase phase,
                           ExternalNode* node)
    : context_(context), phase_(context.phase_), running_(context.running_) {
  context_.phase_ = phase;
  context_.running_ = node;
  context_.ReserveTensors();
}

Status GraphContext::SetShape(int index, const Shape& shape) {
  TfLiteTensor& tensor = *this->tensor(index);
  const auto dims = shape.dims();
  if (tensor.dims != nullptr && std::ranges::equal(SpanOf(tensor.dims), dims))
    return Status();
  TfLiteIntArray* const array = ArrayOf(dims);
  if (array == nullptr) return OutOfMemory("dimensions of a tensor");
  TfLiteIntArrayFree(std::exchange(tensor.dims, array));
  if (!IsOnHeap(tensor)) {
    tensor.data.raw = nullptr;
    if (!BytesOf(tensor.type, dims, &tensor.bytes)) tensor.bytes = 0;
  }
  return Status();
}

void GraphContext::ResetAllocation(int index) {
  TfLiteTensor& tensor = *this->tensor(index);
  TfLiteTensorDataFree(&tensor);
  tensor.bytes = 0;
  if (static_cast<size_t>(index) >= subgraph_.values.size()) return;
  const graph::Value& value = subgraph_.values[static_cast<size_t>(index)];
  tensor.allocation_type = AllocationOf(value);
  size_t bytes = 0;
  if (!IsOnHeap(tensor) && BytesOf(tensor.type, SpanOf(tensor.dims), &bytes))
    tensor.bytes = bytes;
}

void GraphContext::TakeFromHeap(int index) {
  TfLiteTensor& tensor = *this->tensor(index);
  if (!IsOnHeap(tensor)) return;
  TfLiteTensorDataFree(&tensor);
  tensor.allocation_type = kTfLiteArenaRw;
}

TfLiteStatus GraphContext::ResizeTensor(TfLiteTensor* tensor,
                                        TfLiteIntArray* size) {
  const auto refuse = [&](const char* why) {
    Report("%s", why);
    TfLiteIntArrayFree(size);
    return kTfLiteError;
  };
  if (size == nullptr) return refuse("Attempting to resize to no dimensions.");
  const int index = IndexOf(tensor);
  if (index < 0) return refuse("Attempting to resize an unknown tensor.");
  if (tensor->allocation_type == kTfLiteMmapRo)
    return refuse("Attempting to resize a fixed-size tensor.");
  if (tensor->dims == size) return kTfLiteOk;
  const auto dims = SpanOf(size);
  const bool is_same =
      tensor->dims != nullptr && TfLiteIntArrayEqual(tensor->dims, size) != 0;
  const bool has_size = tensor->type != kTfLiteString &&
                        tensor->type != kTfLiteResource &&
                        tensor->type != kTfLiteVariant;
  if (has_size) {
    size_t bytes = 0;
    if (!BytesOf(tensor->type, dims, &bytes))
      return refuse("Attempting to resize a tensor to a size that is not one.");
    if (IsOnHeap(*tensor)) {
      if (TfLiteTensorResizeMaybeCopy(bytes, tensor, false) != kTfLiteOk)
        return refuse("There is no memory to resize a tensor.");
    } else if (!is_same || bytes != tensor->bytes) {
      // While it runs, memory in the arena has its size.
      if (phase_ == Phase::kInvoke)
        return refuse("Attempting to resize a fixed-size tensor.");
      tensor->data.raw = nullptr;
    }
    tensor->bytes = bytes;
  }
  TfLiteIntArrayFree(std::exchange(tensor->dims, size));
  return kTfLiteOk;
}

TfLiteStatus GraphContext::AddTensors(int count, int* first) {
  if (count < 0 || (phase_ == Phase::kIdle && !is_open())) {
    Report("Attempting to add %d tensors.", count);
    return kTfLiteError;
  }
  if (first != nullptr) *first = static_cast<int>(tensors_.size());
  for (int i = 0; i < count; ++i) {
    TfLiteTensor tensor{};
    tensor.buffer_handle = kTfLiteNullBufferHandle;
    tensor.dims = TfLiteIntArrayCreate(0);
    tensors_.push_back(tensor);
  }
  context_.tensors = tensors_.data();
  context_.tensors_size = tensors_.size();
  return kTfLiteOk;
}

std::string GraphContext::TakeReports() {
  return std::exchange(reports_, std::string());
}

void GraphContext::Report(const char* format, va_list arguments) {
  char text[1024];
  if (std::vsnprintf(text, sizeof(text), format, arguments) < 0) return;
  size_t length = std::strlen(text);
  while (length > 0 && text[length - 1] == '\n') --length;
  if (length == 0 || reports_.size() + length > kMaxReports) return;
  if (!reports_.empty()) reports_ += "; ";
  reports_.append(text, length);
}

void GraphContext::Report(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Report(format, arguments);
  va_end(arguments);
}

void GraphContext::Close() {
  is_open_ = false;
  graph_ = nullptr;
  acquired_.clear();
}

Result<GraphNodes*> GraphContext::nodes() {
  if (nodes_ == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(nodes_, GraphNodes::Make(subgraph_));
  }
  return nodes_.get();
}

void GraphContext::Own(std::unique_ptr<TfLiteOperator> op) {
  operators_.push_back(std::move(op));
}

Status GraphContext::SetDelegate(int tensor, TfLiteDelegate* delegate) {
  TfLiteDelegate*& owner = tensors_[static_cast<size_t>(tensor)].delegate;
  if (owner != nullptr && owner != delegate)
    return InvalidArgument("another delegate owns tensor " +
                           std::to_string(tensor));
  owner = delegate;
  is_written_by_delegate_.insert(tensor);
  return Status();
}

TfLiteStatus GraphContext::Replace(TfLiteRegistration registration,
                                   const TfLiteIntArray* wanted,
                                   TfLiteDelegate* delegate) {
  registration.builtin_code = kTfLiteBuiltinDelegate;
  if (wanted == nullptr || wanted->size <= 0) return kTfLiteOk;
  const auto fail = [&](const Status& status) {
    Report("%s", std::string(status.message()).c_str());
    return kTfLiteError;
  };
  auto nodes = this->nodes();
  if (!nodes.ok()) return fail(nodes.status());
  auto groups = (*nodes)->Partition(SpanOf(wanted));
  if (!groups.ok()) return fail(groups.status());
  const size_t first = (*nodes)->size();
  // The plan changes first: kernels see it so while they start.
  const Status replaced = (*nodes)->Replace(*groups, registration, delegate);
  if (!replaced.ok()) return fail(replaced);
  const std::string name = KernelName(registration);
  for (size_t g = 0; g < groups->size(); ++g) {
    const NodeGroup& group = (*groups)[g];
    TfLiteNode* const shown = (*nodes)->node(static_cast<int>(first + g));
    auto kernel = std::make_unique<ExternalNode>(*this, registration, name,
                                                 group.inputs, group.outputs);
    kernel->c().builtin_data = shown->builtin_data;
    kernel->c().delegate = delegate;
    for (const int t : group.outputs) {
      const Status owned = SetDelegate(t, delegate);
      if (!owned.ok()) return fail(owned);
    }
    // By the contract the parameters travel as the options of an operator.
    const Status status =
        kernel->Init(static_cast<const char*>(shown->builtin_data), 0);
    if (!status.ok()) return fail(status);
    shown->user_data = kernel->c().user_data;
    replacements_.push_back(std::move(kernel));
  }
  return kTfLiteOk;
}

TfLiteStatus GraphContext::Acquire(int subgraph, TfLiteContext** context) {
  const int count =
      graph_ != nullptr ? static_cast<int>(graph_->subgraphs.size()) : 0;
  if (subgraph < 0 || subgraph >= count || context == nullptr) {
    Report("There is no subgraph %d.", subgraph);
    return kTfLiteError;
  }
  acquired_.resize(static_cast<size_t>(count));
  std::unique_ptr<GraphContext>& other =
      acquired_[static_cast<size_t>(subgraph)];
  if (other == nullptr) {
    auto made = Make(graph_->subgraphs[static_cast<size_t>(subgraph)], shared_);
    if (!made.ok()) {
      Report("%s", std::string(made.status().message()).c_str());
      return kTfLiteError;
    }
    other = std::move(*made);
  }
  other->Open(graph_);
  *context = other->c();
  return kTfLiteOk;
}

}  // namespace munja::compat
