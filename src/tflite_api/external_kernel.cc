#include "tflite_api/external_kernel.h"

#include <cstring>
#include <string>
#include <utility>

#include "tflite_api/tensor_mirror.h"
#include "tflite_api/types.h"

namespace munja::compat {
namespace {

Status OfOutput(size_t i, Status status) {
  return std::move(status).With("output " + std::to_string(i));
}

}  // namespace

// The node's answer for one set of input shapes.
struct ExternalKernel::Plan final : ops::State {
  int64_t number = 0;
  int threads = 1;
  std::vector<Shape> inputs, outputs;
  std::vector<bool> is_deferred;  // By output.
  // Prepare gave the output memory, which stays the node's from run to run.
  std::vector<bool> has_own_memory;
  size_t arena_bytes = 0;
};

ExternalKernel::ExternalKernel(std::shared_ptr<GraphContext> context,
                               std::unique_ptr<ExternalNode> node,
                               std::vector<int> inputs,
                               std::vector<int> outputs,
                               std::shared_ptr<const void> data)
    : data_(std::move(data)),
      context_(std::move(context)),
      node_(std::move(node)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {}

// The run gives the tensor its memory: it is there and not a constant.
bool ExternalKernel::IsGiven(int tensor) const {
  return tensor != kTfLiteOptionalTensor &&
         context_->tensor(tensor)->allocation_type != kTfLiteMmapRo;
}

Status ExternalKernel::TakeShapes() const {
  for (const int t : outputs_) {
    const graph::Value& value = ValueOf(t);
    Shape shape = value.has_shape ? value.shape : Shape();
    for (int d = 0; d < shape.rank(); ++d)
      if (shape[d] == kDynamic) shape[d] = 1;
    MUNJA_RETURN_IF_ERROR(context_->SetShape(t, shape));
  }
  return Status();
}

bool ExternalKernel::KnowsShape(int tensor) const {
  const graph::Value& value = ValueOf(tensor);
  return value.has_shape && value.shape.is_static();
}

const graph::Value& ExternalKernel::ValueOf(int tensor) const {
  return context_->subgraph().values[static_cast<size_t>(tensor)];
}

Status ExternalKernel::PrepareNode(Plan* plan) const {
  prepared_for_ = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!IsGiven(inputs_[i])) continue;
    MUNJA_RETURN_IF_ERROR(context_->SetShape(inputs_[i], plan->inputs[i]));
  }
  for (const int t : outputs_) context_->ResetAllocation(t);
  context_->c()->recommended_num_threads = plan->threads;
  MUNJA_RETURN_IF_ERROR(TakeShapes());
  std::vector<const TfLiteIntArray*> before;
  for (const int t : outputs_) before.push_back(context_->tensor(t)->dims);
  MUNJA_RETURN_IF_ERROR(node_->Prepare());
  MUNJA_RETURN_IF_ERROR(TakeOutputs(plan, before));
  plan->arena_bytes = node_->arena_bytes();
  return Status();
}

// Takes over the outputs as Prepare left them; their dimensions were `before`.
Status ExternalKernel::TakeOutputs(
    Plan* plan, std::span<const TfLiteIntArray* const> before) const {
  plan->outputs.assign(outputs_.size(), Shape());
  plan->is_deferred.assign(outputs_.size(), false);
  plan->has_own_memory.assign(outputs_.size(), false);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    TfLiteTensor& tensor = *context_->tensor(outputs_[i]);
    const ElementType type = ValueOf(outputs_[i]).type;
    if (tensor.type != ToTfLiteType(type))
      return InvalidArgument(node_->name() + " made output " +
                             std::to_string(i) + " " +
                             TfLiteTypeGetName(tensor.type) +
                             ", but the model says " + ElementTypeName(type));
    if (node_->has_unknown_shapes()) tensor.allocation_type = kTfLiteDynamic;
    plan->is_deferred[i] = tensor.allocation_type == kTfLiteDynamic;
    plan->has_own_memory[i] =
        tensor.allocation_type == kTfLiteDynamic && tensor.data.raw != nullptr;
    if (plan->is_deferred[i]) continue;
    if (tensor.dims == before[i] && !KnowsShape(outputs_[i]))
      return InvalidArgument(node_->name() + " gave output " +
                             std::to_string(i) + " no shape");
    auto shape = ShapeOf(tensor.dims);
    if (!shape.ok()) return OfOutput(i, std::move(shape).TakeStatus());
    plan->outputs[i] = *shape;
  }
  return Status();
}

Status ExternalKernel::Prepare(ops::PrepareContext& context) const {
  auto plan = std::make_unique<Plan>();
  plan->number = ++plans_;
  plan->threads = context.threads();
  for (int i = 0; i < context.inputs(); ++i)
    plan->inputs.push_back(context.input(i).shape);
  plan->inputs.resize(inputs_.size());
  MUNJA_RETURN_IF_ERROR(PrepareNode(plan.get()));
  prepared_for_ = plan->number;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (plan->is_deferred[i]) {
      context.DeferOutputShape(static_cast<int>(i));
    } else {
      MUNJA_RETURN_IF_ERROR(
          context.SetOutputShape(static_cast<int>(i), plan->outputs[i]));
    }
  }
  if (plan->arena_bytes > 0) context.RequestScratch(plan->arena_bytes);
  context.SetState(std::move(plan));
  return Status();
}

// Prepares the node again for a plan that is not the last one.
Status ExternalKernel::Adopt(const Plan& plan) const {
  if (prepared_for_ == plan.number) return Status();
  Plan again;
  again.threads = plan.threads;
  again.inputs = plan.inputs;
  MUNJA_RETURN_IF_ERROR(PrepareNode(&again));
  if (again.outputs != plan.outputs || again.is_deferred != plan.is_deferred ||
      again.arena_bytes > plan.arena_bytes)
    return InvalidArgument(node_->name() +
                           " prepares the same shapes in two ways");
  prepared_for_ = plan.number;
  return Status();
}

Status ExternalKernel::PlaceTensors(ops::EvalContext& context,
                                    const Plan& plan) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!IsGiven(inputs_[i])) continue;
    // A kernel of the same graph may have used the tensor since.
    MUNJA_RETURN_IF_ERROR(context_->SetShape(inputs_[i], plan.inputs[i]));
    context_->TakeFromHeap(inputs_[i]);
    TfLiteTensor& tensor = *context_->tensor(inputs_[i]);
    const TensorView& view = context.input(static_cast<int>(i));
    tensor.data.raw = static_cast<char*>(view.data);
    tensor.bytes = view.bytes;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    TfLiteTensor& tensor = *context_->tensor(outputs_[i]);
    // Another kernel of the same graph may have taken it as its input.
    if (plan.has_own_memory[i] && tensor.allocation_type == kTfLiteDynamic &&
        tensor.data.raw != nullptr)
      continue;
    if (plan.is_deferred[i]) {
      TfLiteTensorDataFree(&tensor);
      tensor.allocation_type = kTfLiteDynamic;
      tensor.bytes = 0;
      continue;
    }
    const TensorView& view = context.output(static_cast<int>(i));
    MUNJA_RETURN_IF_ERROR(context_->SetShape(outputs_[i], plan.outputs[i]));
    tensor.data.raw = static_cast<char*>(view.data);
    tensor.bytes = view.bytes;
  }
  return node_->PlaceTemporaries(context.scratch());
}

// Copies what the node wrote into memory of its own.
Status ExternalKernel::HandOut(ops::EvalContext& context,
                               const Plan& plan) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const TfLiteTensor& tensor = *context_->tensor(outputs_[i]);
    if (!plan.is_deferred[i]) {
      if (tensor.allocation_type == kTfLiteDynamic)
        return InvalidArgument(node_->name() + " made output " +
                               std::to_string(i) +
                               " dynamic while it ran, not while it prepared");
      continue;
    }
    auto shape = ShapeOf(tensor.dims);
    if (!shape.ok()) return OfOutput(i, std::move(shape).TakeStatus());
    const int number = static_cast<int>(i);
    MUNJA_RETURN_IF_ERROR(context.ResizeOutput(number, *shape, tensor.bytes));
    const TensorView& view = context.output(number);
    if (view.bytes != tensor.bytes ||
        (view.bytes > 0 && tensor.data.raw == nullptr))
      return InvalidArgument(node_->name() + " gave output " +
                             std::to_string(i) + " no data");
    if (view.bytes > 0) std::memcpy(view.data, tensor.data.raw, view.bytes);
  }
  return Status();
}

// Nothing may point at memory of the run after it.
void ExternalKernel::ForgetMemory(const Plan& plan) const {
  for (const int t : inputs_)
    if (IsGiven(t)) context_->tensor(t)->data.raw = nullptr;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (plan.has_own_memory[i]) continue;
    TfLiteTensor& tensor = *context_->tensor(outputs_[i]);
    if (plan.is_deferred[i]) TfLiteTensorDataFree(&tensor);
    tensor.data.raw = nullptr;
  }
}

Status ExternalKernel::Eval(ops::EvalContext& context) const {
  const auto& plan = static_cast<const Plan&>(*context.state());
  MUNJA_RETURN_IF_ERROR(Adopt(plan));
  MUNJA_RETURN_IF_ERROR(PlaceTensors(context, plan));
  Status status = BeforeInvoke();
  if (status.ok()) status = node_->Invoke();
  if (status.ok()) status = AfterInvoke();
  if (status.ok()) status = HandOut(context, plan);
  ForgetMemory(plan);
  return status;
}

}  // namespace munja::compat
