#include "tflite_api/subgraph_runner.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "runtime/tensor_bytes.h"
#include "tensor/strings.h"
#include "tflite_api/delegate_adapter.h"
#include "tflite_api/relaxed_graph.h"
#include "tflite_api/tensor_mirror.h"
#include "tflite_api/types.h"
#include "tflite_api/watched_delegate.h"

namespace munja::compat {
namespace {

std::string NameOf(const graph::Value& value, int index) {
  return "tensor " + std::to_string(index) +
         (value.name.empty() ? "" : " ('" + value.name + "')");
}

// Elements of types without a fixed size, and tensors that only the run
// measures, have memory that the run makes.
bool HasFixedSize(const TfLiteTensor& tensor) {
  return tensor.type != kTfLiteString && tensor.type != kTfLiteResource &&
         tensor.type != kTfLiteVariant;
}

bool SetDims(TfLiteTensor* tensor, std::span<const int32_t> dims) {
  if (tensor->dims != nullptr &&
      TfLiteIntArrayEqualsArray(tensor->dims, static_cast<int>(dims.size()),
                                dims.data()))
    return true;
  TfLiteIntArray* copy = ArrayOf(dims);
  if (copy == nullptr) return false;
  TfLiteIntArrayFree(tensor->dims);
  tensor->dims = copy;
  return true;
}

// Memory on the heap, which TfLiteTensorFree frees.
Status Reallocate(TfLiteTensor* tensor, size_t bytes) {
  if (tensor->allocation_type != kTfLiteDynamic) {
    tensor->data.raw = nullptr;  // The memory there is not the tensor's own.
    tensor->allocation_type = kTfLiteDynamic;
    tensor->bytes = 0;
  }
  return TfLiteTensorResizeMaybeCopy(bytes, tensor, false) == kTfLiteOk
             ? Status()
             : OutOfMemory("no memory for an output of " +
                           std::to_string(bytes) + " bytes");
}

}  // namespace

SubgraphRunner::SubgraphRunner(RunnerContext& context, int subgraph)
    : context_(context), index_(subgraph) {}

SubgraphRunner::~SubgraphRunner() {
  session_.reset();
  for (TfLiteTensor& tensor : tensors_) TfLiteTensorFree(&tensor);
}

TfLiteStatus SubgraphRunner::Fail(const Status& status) const {
  context_.reporter.Report(status);
  return status.code() == Code::kCancelled ? kTfLiteCancelled : kTfLiteError;
}

TfLiteStatus SubgraphRunner::Make(RunnerContext& context, int subgraph,
                                  std::unique_ptr<SubgraphRunner>* runner) {
  std::unique_ptr<SubgraphRunner> made(new SubgraphRunner(context, subgraph));
  if (Status status = made->MakeTensors(); !status.ok())
    return made->Fail(status);
  // An unresolved custom operator is reported when tensors are allocated: a
  // delegate may still come and take it.
  if (context.unresolved.empty() || !context.delegates.empty()) {
    const TfLiteStatus status = made->Compile();
    if (status != kTfLiteOk && context.unresolved.empty()) return status;
  }
  *runner = std::move(made);
  return kTfLiteOk;
}

Status SubgraphRunner::MakeTensors() {
  const graph::Subgraph& s = subgraph();
  inputs_.assign(s.inputs.begin(), s.inputs.end());
  outputs_.assign(s.outputs.begin(), s.outputs.end());
  tensors_.resize(s.values.size());
  memory_.resize(s.values.size());
  custom_.resize(s.values.size());
  for (size_t i = 0; i < s.values.size(); ++i) {
    MUNJA_RETURN_IF_ERROR(Mirror(s.values[i], &tensors_[i]));
    if (s.values[i].is_variable) variables_.push_back(static_cast<int>(i));
  }
  return Status();
}

TfLiteTensor* SubgraphRunner::tensor(int index) {
  if (index < 0 || static_cast<size_t>(index) >= tensors_.size())
    return nullptr;
  return &tensors_[static_cast<size_t>(index)];
}

bool SubgraphRunner::IsInput(int tensor) const {
  return std::find(inputs_.begin(), inputs_.end(), tensor) != inputs_.end();
}

Result<std::unique_ptr<runtime::Session>> SubgraphRunner::MakeSession(
    bool with_delegates, Status* delegate_failure) const {
  const auto failure = std::make_shared<Status>();
  runtime::SessionOptions options;
  options.resolver = context_.resolver;
  options.pool = context_.pool;
  options.subgraph = index_;
  options.run_passes = !context_.has_own_operators;
  if (with_delegates) {
    for (TfLiteDelegate* delegate : context_.delegates) {
      auto wrapped = WrapDelegate(delegate, "", context_.shared);
      if (!wrapped.ok()) {
        *failure = std::move(wrapped).TakeStatus();
        continue;
      }
      options.delegates.push_back(std::make_shared<WatchedDelegate>(
          std::move(*wrapped), failure, context_.reporter));
    }
  }
  auto session =
      runtime::CreateSession(relaxed_ ? relaxed_ : context_.graph, options);
  *delegate_failure = failure->Clone();
  return session;
}

TfLiteStatus SubgraphRunner::Compile() {
  Status failure;
  auto session = MakeSession(true, &failure);
  // The delegate's nodes run on the CPU then.
  context_.reporter.Report(failure);
  if (!session.ok()) {
    context_.reporter.Report(session.status());
    return context_.unresolved.empty() ? kTfLiteError : kTfLiteUnresolvedOps;
  }
  session_ = std::move(*session);
  is_ready_ = false;
  return kTfLiteOk;
}

TfLiteStatus SubgraphRunner::ApplyDelegates() {
  Status failure;
  auto session = MakeSession(true, &failure);
  if (!failure.ok() || !session.ok()) {
    context_.reporter.Report(failure.ok() ? session.status() : failure);
    context_.reporter.Report(
        "Restored original execution plan after delegate application failure.");
    return kTfLiteDelegateError;
  }
  session_ = std::move(*session);
  if (!is_ready_) return kTfLiteOk;
  is_ready_ = false;
  return Allocate();
}

void SubgraphRunner::ResetVariables() {
  if (session_ != nullptr) session_->ResetVariables();
}

bool SubgraphRunner::FitsModel(int tensor, std::span<const int> dims) const {
  const graph::Graph& graph = relaxed_ ? *relaxed_ : *context_.graph;
  const graph::Value& value = graph.subgraphs[static_cast<size_t>(index_)]
                                  .values[static_cast<size_t>(tensor)];
  if (!value.has_shape) return true;
  if (value.shape.rank() != static_cast<int>(dims.size())) return false;
  for (int i = 0; i < value.shape.rank(); ++i) {
    if (value.shape[i] != kDynamic &&
        value.shape[i] != dims[static_cast<size_t>(i)])
      return false;
  }
  return true;
}

TfLiteStatus SubgraphRunner::Resize(int index, std::span<const int> dims,
                                    bool is_strict) {
  TfLiteTensor* t = tensor(index);
  if (t == nullptr || !IsInput(index))
    return Fail(InvalidArgument("tensor " + std::to_string(index) +
                                " is no input and cannot be resized"));
  const graph::Value& value = subgraph().values[static_cast<size_t>(index)];
  const std::string name = NameOf(value, index);
  if (dims.size() > static_cast<size_t>(kMaxRank) ||
      std::any_of(dims.begin(), dims.end(), [](int d) { return d < 0; }))
    return Fail(InvalidArgument(
        name + ": sizes must not be negative, and at most " +
        std::to_string(kMaxRank) + " dimensions are supported"));
  if (TfLiteIntArrayEqualsArray(t->dims, static_cast<int>(dims.size()),
                                dims.data()) &&
      (t->data.raw != nullptr || !is_ready_))
    return kTfLiteOk;
  if (t->allocation_type == kTfLiteMmapRo)
    return Fail(InvalidArgument(name + ": Attempting to resize a fixed-size "
                                       "tensor."));
  if (is_strict) {
    const TfLiteIntArray* signature = TfLiteTensorGetDimsSignature(t);
    if (static_cast<size_t>(signature->size) != dims.size())
      return Fail(InvalidArgument(name + ": attempting to resize to " +
                                  std::to_string(dims.size()) +
                                  " dimensions where the model has " +
                                  std::to_string(signature->size)));
    for (size_t i = 0; i < dims.size(); ++i) {
      if (signature->data[i] != -1 && signature->data[i] != dims[i])
        return Fail(InvalidArgument(
            name + ": attempting to resize dimension " + std::to_string(i) +
            " of value " + std::to_string(signature->data[i]) + " to " +
            std::to_string(dims[i]) +
            "; only sizes that the model leaves open may change"));
    }
  }
  const bool fits = FitsModel(index, dims);
  if (!SetDims(t, dims)) return Fail(OutOfMemory("dimensions of " + name));
  is_ready_ = false;
  if (t->allocation_type != kTfLiteCustom && HasFixedSize(*t)) {
    t->data.raw = nullptr;
    memory_[static_cast<size_t>(index)] = Buffer();
  }
  if (fits) return kTfLiteOk;
  std::map<graph::ValueId, Shape> shapes;
  for (const int i : inputs_)
    shapes[i] = Shape(SpanOf(tensors_[static_cast<size_t>(i)].dims));
  relaxed_ = RelaxInputs(*context_.graph, index_, shapes);
  session_.reset();  // Allocate makes another.
  return kTfLiteOk;
}

Status SubgraphRunner::Place(int index, const Shape& shape) {
  TfLiteTensor& t = tensors_[static_cast<size_t>(index)];
  const graph::Value& value = subgraph().values[static_cast<size_t>(index)];
  if (t.allocation_type == kTfLiteMmapRo) return Status();
  if (!SetDims(&t, shape.dims())) return OutOfMemory("dimensions of a tensor");
  MUNJA_ASSIGN_OR_RETURN(
      const size_t bytes,
      runtime::TensorBytes(value.type, shape).With(NameOf(value, index)));
  if (t.allocation_type == kTfLiteCustom) {
    if (custom_[static_cast<size_t>(index)] < bytes)
      return InvalidArgument(
          NameOf(value, index) + " needs " + std::to_string(bytes) +
          " bytes, but its custom allocation has " +
          std::to_string(custom_[static_cast<size_t>(index)]));
    t.bytes = bytes;
    return Status();
  }
  Buffer& memory = memory_[static_cast<size_t>(index)];
  if (t.allocation_type == kTfLiteDynamic) TfLiteTensorDataFree(&t);
  t.allocation_type =
      value.is_variable ? kTfLiteArenaRwPersistent : kTfLiteArenaRw;
  if (t.data.raw == nullptr || memory.size() < bytes) {
    // At least a byte: a null pointer would mean that there is no memory yet.
    MUNJA_ASSIGN_OR_RETURN(memory,
                           Buffer::AllocateZeroed(std::max<size_t>(bytes, 1)));
    t.data.raw = memory.as<char>();
  }
  t.bytes = bytes;
  return Status();
}

Status SubgraphRunner::PlaceInputs() {
  for (const int i : inputs_) {
    TfLiteTensor& t = tensors_[static_cast<size_t>(i)];
    if (!HasFixedSize(t)) continue;  // The application brings the memory.
    MUNJA_RETURN_IF_ERROR(Place(i, Shape(SpanOf(t.dims))));
  }
  return Status();
}

Status SubgraphRunner::PlaceOutputs(std::span<const Shape> shapes) {
  for (size_t o = 0; o < outputs_.size(); ++o) {
    const int i = outputs_[o];
    TfLiteTensor& t = tensors_[static_cast<size_t>(i)];
    if (IsInput(i) || t.allocation_type == kTfLiteMmapRo) continue;
    const bool is_known =
        o < shapes.size() && shapes[o].is_static() && HasFixedSize(t);
    if (is_known) {
      MUNJA_RETURN_IF_ERROR(Place(i, shapes[o]));
    } else if (t.allocation_type != kTfLiteCustom) {
      if (t.allocation_type != kTfLiteDynamic) {
        t.data.raw = nullptr;
        t.allocation_type = kTfLiteDynamic;
      }
      TfLiteTensorDataFree(&t);
      t.bytes = 0;
    }
  }
  return Status();
}

TfLiteStatus SubgraphRunner::Allocate() {
  if (is_ready_) return kTfLiteOk;
  if (session_ == nullptr) {
    if (!context_.unresolved.empty() && context_.delegates.empty()) {
      for (const std::string& name : context_.unresolved)
        context_.reporter.Report("Encountered unresolved custom op: %s.",
                                 name.c_str());
      return kTfLiteUnresolvedOps;
    }
    const TfLiteStatus status = Compile();
    if (status != kTfLiteOk) return status;
  }
  std::vector<Shape> shapes;
  for (const int i : inputs_)
    shapes.push_back(Shape(SpanOf(tensors_[static_cast<size_t>(i)].dims)));
  auto planned = session_->Plan(shapes);
  std::vector<Shape> outputs;
  if (planned.ok()) {
    outputs = std::move(*planned);
  } else if (planned.status().code() != Code::kNeedsValues) {
    return Fail(planned.status());
  }
  // Otherwise only the run finds the shapes out, or says what is wrong.
  if (Status status = PlaceInputs(); !status.ok()) return Fail(status);
  if (Status status = PlaceOutputs(outputs); !status.ok()) return Fail(status);
  is_ready_ = true;
  return kTfLiteOk;
}

Status SubgraphRunner::TakeInputs() {
  const graph::Subgraph& s = subgraph();
  views_.clear();
  for (const int i : inputs_) {
    const TfLiteTensor& t = tensors_[static_cast<size_t>(i)];
    const graph::Value& value = s.values[static_cast<size_t>(i)];
    if (t.data.raw == nullptr && (t.bytes > 0 || HasFixedSize(t)))
      return InvalidArgument("Input tensor " + std::to_string(i) +
                             " lacks data");
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           ShapeOf(t.dims).With(NameOf(value, i)));
    TensorView view{value.type, shape, t.data.raw, t.bytes,
                    &value.quantization};
    if (t.type == kTfLiteString) {
      if (t.data.raw == nullptr && shape.elements() != 0)
        return InvalidArgument("Input tensor " + std::to_string(i) +
                               " lacks data");
      MUNJA_RETURN_IF_ERROR(
          CheckStrings({view.as<uint8_t>(), view.bytes}, shape.elements())
              .With(NameOf(value, i)));
    }
    views_.push_back(view);
  }
  return Status();
}

Status SubgraphRunner::HandOutputs(std::span<const TensorView> views) {
  for (size_t o = 0; o < outputs_.size() && o < views.size(); ++o) {
    const TensorView& view = views[o];
    TfLiteTensor& t = tensors_[static_cast<size_t>(outputs_[o])];
    if (IsInput(outputs_[o]) || t.allocation_type == kTfLiteMmapRo) continue;
    const bool is_placed =
        t.allocation_type != kTfLiteDynamic && t.bytes == view.bytes;
    if (!is_placed && t.allocation_type == kTfLiteCustom) {
      if (custom_[static_cast<size_t>(outputs_[o])] < view.bytes)
        return InvalidArgument("output " + std::to_string(o) + " has " +
                               std::to_string(view.bytes) +
                               " bytes, more than its custom allocation");
      t.bytes = view.bytes;
    } else if (!is_placed) {
      MUNJA_RETURN_IF_ERROR(Reallocate(&t, view.bytes));
    }
    if (!SetDims(&t, view.shape.dims()))
      return OutOfMemory("dimensions of an output");
    if (view.bytes > 0) std::memcpy(t.data.raw, view.data, view.bytes);
  }
  return Status();
}

TfLiteStatus SubgraphRunner::Invoke() {
  if (!is_ready_) {
    context_.reporter.Report("Invoke called on model that is not ready.");
    return kTfLiteError;
  }
  if (Status status = TakeInputs(); !status.ok()) return Fail(status);
  if (context_.control) context_.control->Restart();
  const ControlScope scope(context_.control ? context_.control.get()
                                            : CurrentControl());
  auto outputs = session_->Run(views_);
  if (outputs.ok()) {
    const Status status = HandOutputs(*outputs);
    return status.ok() ? kTfLiteOk : Fail(status);
  }
  const TfLiteStatus failed = Fail(outputs.status());
  if (failed == kTfLiteCancelled || !context_.falls_back ||
      context_.delegates.empty())
    return failed;
  // The application wants to know, but have the answer.
  Status failure;
  auto session = MakeSession(false, &failure);
  if (!session.ok()) return Fail(session.status());
  session_ = std::move(*session);
  auto again = session_->Run(views_);
  if (!again.ok()) return Fail(again.status());
  const Status status = HandOutputs(*again);
  return status.ok() ? kTfLiteDelegateError : Fail(status);
}

TfLiteStatus SubgraphRunner::SetCustomAllocation(
    int index, const TfLiteCustomAllocation& allocation, int64_t flags) {
  TfLiteTensor* t = tensor(index);
  const bool is_output =
      std::find(outputs_.begin(), outputs_.end(), index) != outputs_.end();
  if (t == nullptr || t->allocation_type == kTfLiteMmapRo ||
      !HasFixedSize(*t) || !(IsInput(index) || is_output))
    return Fail(InvalidArgument(
        "tensor " + std::to_string(index) +
        " takes no memory of the application: only inputs and outputs do"));
  const auto address = reinterpret_cast<uintptr_t>(allocation.data);
  const bool skips = (flags & kTfLiteCustomAllocationFlagsSkipAlignCheck) != 0;
  if (allocation.data == nullptr || (!skips && address % kBufferAlignment != 0))
    return Fail(InvalidArgument("custom allocations begin at a multiple of " +
                                std::to_string(kBufferAlignment)));
  if (is_ready_ && allocation.bytes < t->bytes)
    return Fail(InvalidArgument("tensor " + std::to_string(index) + " needs " +
                                std::to_string(t->bytes) +
                                " bytes, but its custom allocation has " +
                                std::to_string(allocation.bytes)));
  if (t->allocation_type == kTfLiteDynamic) TfLiteTensorDataFree(t);
  memory_[static_cast<size_t>(index)] = Buffer();
  custom_[static_cast<size_t>(index)] = allocation.bytes;
  t->allocation_type = kTfLiteCustom;
  t->data.data = allocation.data;
  return kTfLiteOk;
}

}  // namespace munja::compat
