#include "runtime/shape_inference.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/thread_pool.h"
#include "graph/op_traits.h"
#include "graph/side_effects.h"
#include "ops/op.h"
#include "runtime/node_context.h"
#include "runtime/plan.h"
#include "runtime/tensor_bytes.h"

namespace munja::runtime {

ShapeInference::ShapeInference(const graph::Subgraph& subgraph)
    : subgraph_(subgraph),
      views_(subgraph.values.size()),
      is_known_(subgraph.values.size()) {
  for (size_t v = 0; v < views_.size(); ++v) {
    const graph::Value& value = subgraph.values[v];
    views_[v].type = value.type;
    views_[v].quantization = &value.quantization;
    const auto id = static_cast<graph::ValueId>(v);
    if (value.has_shape && value.shape.is_static()) Set(id, value.shape);
    if (!value.constant) continue;
    // Views have one kind of pointer; inputs are never written through it.
    views_[v].data = const_cast<uint8_t*>(value.constant->bytes.data());
    views_[v].bytes = value.constant->bytes.size();
  }
}

void ShapeInference::Forget(std::span<const int> nodes) {
  for (const int n : nodes) {
    for (const graph::ValueId v : subgraph_.nodes[n].outputs) {
      if (v == graph::kNoValue) continue;
      is_known_[v] = false;
      views_[v].data = nullptr;
    }
  }
}

void ShapeInference::Set(graph::ValueId value, const Shape& shape) {
  TensorView& view = views_[value];
  view.shape = shape;
  is_known_[value] = true;
  auto bytes = TensorBytes(view.type, shape);
  view.bytes = bytes.ok() ? *bytes : 0;
}

void ShapeInference::Set(graph::ValueId value, const Shape& shape, void* data) {
  Set(value, shape);
  views_[value].data = data;
}

void ShapeInference::Run(std::span<const int> nodes) {
  for (const int n : nodes) {
    const Status status = RunNode(subgraph_.nodes[n]);
    if (!status.ok() && obstacle_.empty())
      obstacle_ = graph::Describe(subgraph_, static_cast<size_t>(n)) + ": " +
                  std::string(status.message());
  }
}

Status ShapeInference::RunNode(const graph::Node& node) {
  const ops::OpImpl* const op = node.is_custom ? nullptr : ops::FindOp(node.op);
  for (const graph::ValueId v : node.outputs)
    if (v == graph::kNoValue) return Malformed("lacks an output");
  if (op == nullptr) {
    // Its outputs may have shapes that the model fixes.
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](graph::ValueId v) { return is_known_[v]; })
               ? Status()
               : Unsupported("is not a builtin operator here");
  }
  for (const graph::ValueId v : node.inputs) {
    if (v != graph::kNoValue && !is_known_[v])
      return Unsupported("the shape of an input is not known");
  }
  // Nothing is packed: this is asked for each set of sizes.
  const ops::MakeOptions options{.reference_kernels = true};
  const ops::NodeInfo info(subgraph_, node, options);
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<ops::Kernel> kernel,
                         op->make(info));
  ThreadPool pool(1);
  NodeContext context(node, views_, pool);
  Preparation preparation(context);
  Status status = preparation.Run(*kernel);
  if ((status.ok() && preparation.has_deferred()) ||
      status.code() == Code::kNeedsValues) {
    if (dynamic_ == graph::kNoValue && !node.outputs.empty())
      dynamic_ = node.outputs[0];
    for (const graph::ValueId v : node.outputs) is_known_[v] = false;
    return status.ok() ? Unsupported("the shape of an output is dynamic")
                       : std::move(status);
  }
  MUNJA_RETURN_IF_ERROR(std::move(status));
  const bool has_data =
      std::all_of(node.inputs.begin(), node.inputs.end(),
                  [&](graph::ValueId v) {
                    return v == graph::kNoValue || views_[v].data != nullptr;
                  }) &&
      !node.inputs.empty();
  std::vector<Buffer> data;
  if ((has_data || graph::TraitsOf(node).reads == graph::Reads::kShapes) &&
      !kernel->needs_host() && graph::IsPure(subgraph_, node) &&
      OutputBytes(context) <= kMaxKnownBytes) {
    MUNJA_ASSIGN_OR_RETURN(
        data, EvaluateNow(*kernel, context, preparation.scratch_bytes()));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Set(node.outputs[i], context.output_views[i].shape);
    views_[node.outputs[i]].data =
        data.empty() ? nullptr : context.output_views[i].data;
  }
  for (Buffer& buffer : data) data_.push_back(std::move(buffer));
  return Status();
}

}  // namespace munja::runtime
