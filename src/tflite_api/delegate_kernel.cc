#include "tflite_api/delegate_kernel.h"

#include "tflite_api/delegate_calls.h"
#include "tflite_api/tensor_mirror.h"

namespace munja::compat {
namespace {

bool HasHandle(const TfLiteTensor& tensor) {
  return tensor.buffer_handle != kTfLiteNullBufferHandle;
}

}  // namespace

std::string KernelName(const TfLiteRegistration& registration) {
  const char* const name = registration.custom_name;
  return "delegate kernel '" + std::string(name != nullptr ? name : "") + "'";
}

DelegateKernel::DelegateKernel(std::shared_ptr<GraphContext> graph,
                               std::unique_ptr<ExternalNode> node,
                               const runtime::Partition& partition,
                               TfLiteDelegate* delegate,
                               std::shared_ptr<const void> kept)
    : ExternalKernel(std::move(graph), std::move(node), partition.inputs,
                     partition.outputs, std::move(kept)),
      nodes_(partition.nodes),
      delegate_(delegate),
      is_static_(
          (FlagsOf(*delegate) & kTfLiteDelegateFlagsAllowDynamicTensors) == 0),
      inference_(context().subgraph()),
      started_for_(InputShapes()) {}

// As the tensors say, which have at most as many dimensions as a model's.
DelegateKernel::Shapes DelegateKernel::InputShapes() const {
  Shapes shapes;
  for (const int t : inputs()) {
    auto shape = ShapeOf(context().tensor(t)->dims);
    shapes.push_back(shape.ok() ? *shape : Shape());
  }
  return shapes;
}

bool DelegateKernel::KnowsAll() const {
  for (const int n : nodes_) {
    for (const graph::ValueId v : context().subgraph().nodes[n].outputs)
      if (v != graph::kNoValue && !inference_.knows(v)) return false;
  }
  return true;
}

// Gives every tensor that the nodes write the shape that it will have.
Status DelegateKernel::InferShapes(const Shapes& shapes) const {
  if (inferred_for_.empty() && shapes == started_for_ && KnowsAll()) {
    inferred_for_ = shapes;  // The model fixes them.
  } else if (inferred_for_.empty() || inferred_for_ != shapes) {
    inference_.Forget(nodes_);
    for (size_t i = 0; i < shapes.size(); ++i)
      inference_.Set(inputs()[i], shapes[i]);
    inference_.Run(nodes_);
    inferred_for_ = shapes;
  }
  for (const int n : nodes_) {
    for (const graph::ValueId v : context().subgraph().nodes[n].outputs) {
      if (v == graph::kNoValue || !inference_.knows(v)) continue;
      MUNJA_RETURN_IF_ERROR(context().SetShape(v, inference_.shape(v)));
    }
  }
  return Status();
}

Status DelegateKernel::StartAnew() const {
  for (const int t : outputs()) {
    if (!inference_.knows(t))
      return InvalidArgument("the shape of tensor " + std::to_string(t) +
                             " is not known: " + inference_.obstacle());
  }
  context().Open(nullptr);
  const Status status =
      node().Init(static_cast<const char*>(node().c().builtin_data), 0);
  context().Close();
  return status.Clone();
}

Status DelegateKernel::TakeShapes() const {
  MUNJA_RETURN_IF_ERROR(ExternalKernel::TakeShapes());
  const Shapes shapes = InputShapes();
  const bool wants_all =
      is_static_ ||
      (FlagsOf(*delegate_) & kTfLiteDelegateFlagsRequirePropagatedShapes) != 0;
  if (!wants_all) return Status();
  MUNJA_RETURN_IF_ERROR(InferShapes(shapes));
  if (!is_static_ || shapes == started_for_) return Status();
  started_for_.clear();  // A start that fails leaves nothing to run.
  MUNJA_RETURN_IF_ERROR(StartAnew());
  started_for_ = shapes;
  return Status();
}

bool DelegateKernel::KnowsShape(int tensor) const {
  return inference_.knows(tensor) || ExternalKernel::KnowsShape(tensor);
}

Status DelegateKernel::BeforeInvoke() const {
  for (const int t : inputs()) {
    TfLiteTensor& tensor = *context().tensor(t);
    // Outputs of its own kernels are behind the handle already.
    if (!HasHandle(tensor) || context().IsWrittenByDelegate(t)) continue;
    if (CopyToHandle(context().c(), delegate_, &tensor) != kTfLiteOk)
      return InvalidArgument("CopyToBufferHandle failed for tensor " +
                             std::to_string(t) + " " + context().TakeReports());
  }
  return Status();
}

Status DelegateKernel::AfterInvoke() const {
  for (const int t : outputs()) {
    TfLiteTensor& tensor = *context().tensor(t);
    if (!tensor.data_is_stale) continue;
    if (!HasHandle(tensor) ||
        CopyFromHandle(context().c(), delegate_, &tensor) != kTfLiteOk)
      return InvalidArgument("CopyFromBufferHandle failed for tensor " +
                             std::to_string(t) + " " + context().TakeReports());
    tensor.data_is_stale = false;
  }
  return Status();
}

}  // namespace munja::compat
