#include "runtime/node_context.h"

#include <algorithm>
#include <string>

#include "base/control.h"
#include "runtime/tensor_bytes.h"

namespace munja::runtime {
namespace {

// Returned to a kernel that asks for an input beyond the list.
const TensorView kAbsent;

}  // namespace

NodeContext::NodeContext(const graph::Node& node,
                         const std::vector<TensorView>& views, ThreadPool& pool)
    : node_(&node), pool_(&pool) {
  for (const graph::ValueId v : node.inputs)
    input_views.push_back(v == graph::kNoValue ? TensorView{} : views[v]);
  for (const graph::ValueId v : node.outputs)
    output_views.push_back(v == graph::kNoValue ? TensorView{} : views[v]);
}

const TensorView& NodeContext::input(int i) const {
  return i >= 0 && i < inputs() ? input_views[i] : kAbsent;
}

bool NodeContext::has_input(int i) const {
  return i >= 0 && i < inputs() && node_->inputs[i] != graph::kNoValue;
}

Status NodeContext::ResizeOutput(int i, const Shape& shape, size_t bytes) {
  if (i < 0 || i >= static_cast<int>(output_views.size()) ||
      output_memory == nullptr)
    return Internal("output " + std::to_string(i) + " cannot be resized");
  TensorView& view = output_views[i];
  if (view.type != ElementType::kString) {
    MUNJA_ASSIGN_OR_RETURN(bytes, TensorBytes(view.type, shape));
  }
  MUNJA_ASSIGN_OR_RETURN(view.data, output_memory->Allocate(*this, i, bytes));
  view.shape = shape;
  view.bytes = bytes;
  return Status();
}

Status Preparation::Run(const ops::Kernel& kernel) {
  has_shape_.assign(context_.output_views.size(), false);
  is_deferred_.assign(context_.output_views.size(), false);
  MUNJA_RETURN_IF_ERROR(kernel.Prepare(*this));
  for (size_t i = 0; i < has_shape_.size(); ++i) {
    if (!has_shape_[i] && !is_deferred_[i]) {
      return Internal("output " + std::to_string(i) + " was given no shape");
    }
  }
  return Status();
}

Status Preparation::SetOutputShape(int i, const Shape& shape) {
  if (i < 0 || i >= static_cast<int>(has_shape_.size())) {
    return Internal("has no output " + std::to_string(i));
  }
  is_deferred_[i] = false;
  TensorView& view = context_.output_views[i];
  MUNJA_ASSIGN_OR_RETURN(view.bytes, TensorBytes(view.type, shape));
  view.shape = shape;
  has_shape_[i] = true;
  return Status();
}

void Preparation::DeferOutputShape(int i) {
  if (i >= 0 && i < static_cast<int>(is_deferred_.size()))
    is_deferred_[i] = true;
}

bool Preparation::has_deferred() const {
  return std::find(is_deferred_.begin(), is_deferred_.end(), true) !=
         is_deferred_.end();
}

void Preparation::RequestScratch(size_t bytes) {
  scratch_bytes_ = std::max(scratch_bytes_, bytes);
}

void Preparation::AllowInPlace(int output, int input) {
  in_place_.emplace_back(output, input);
}

void Preparation::SetState(std::unique_ptr<ops::State> state) {
  context_.kernel_state = std::move(state);
}

Result<std::vector<Buffer>> EvaluateNow(const ops::Kernel& kernel,
                                        NodeContext& context,
                                        size_t scratch_bytes) {
  std::vector<Buffer> outputs;
  for (TensorView& view : context.output_views) {
    MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(view.bytes));
    view.data = buffer.data();
    outputs.push_back(std::move(buffer));
  }
  MUNJA_ASSIGN_OR_RETURN(Buffer scratch, Buffer::Allocate(scratch_bytes));
  context.scratch_data = scratch.data();
  Status status = kernel.Eval(context);
  context.scratch_data = nullptr;
  if (!status.ok()) return status;
  MUNJA_RETURN_IF_ERROR(CheckControl());  // Loops may have been cut short.
  return outputs;
}

size_t OutputBytes(const NodeContext& context) {
  size_t bytes = 0;
  for (const TensorView& view : context.output_views) {
    if (!CheckedAdd(bytes, view.bytes, &bytes)) return SIZE_MAX;
  }
  return bytes;
}

}  // namespace munja::runtime
