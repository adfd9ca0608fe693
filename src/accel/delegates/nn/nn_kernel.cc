#include "delegates/nn/nn_kernel.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "hal/raise/raising.h"
#include "runtime/shape_inference.h"

namespace munja::delegates::nn {

struct NnKernel::Compiled {
  std::vector<Shape> outputs;  // The partition's.
  // Index of the model's input i (output i) in the partition.
  std::vector<int> input_of, output_of;
  std::unique_ptr<munja::hal::CompiledModel> model;
};

struct NnKernel::PlanState final : ops::State {
  std::shared_ptr<const Compiled> compiled;
};

NnKernel::NnKernel(std::shared_ptr<const Options> options,
                   const graph::Subgraph& subgraph,
                   const runtime::Partition& partition)
    : options_(std::move(options)) {
  subgraph_.values = subgraph.values;
  subgraph_.inputs = partition.inputs;
  subgraph_.outputs = partition.outputs;
  for (const int n : partition.nodes)
    subgraph_.nodes.push_back(subgraph.nodes[n]);
  munja::hal::WidenHalves(subgraph_);
  nodes_.resize(partition.nodes.size());
  std::iota(nodes_.begin(), nodes_.end(), 0);
}

NnKernel::Key NnKernel::KeyOf(const ops::PrepareContext& context) {
  Key key;
  const auto append = [&](const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    key.insert(key.end(), bytes, bytes + size);
  };
  for (int i = 0; i < context.inputs(); ++i) {
    const TensorView& input = context.input(i);
    const int rank = input.shape.rank();
    append(&rank, sizeof rank);
    append(input.shape.dims().data(), input.shape.dims().size_bytes());
    const size_t bytes = input.data == nullptr ? 0 : input.bytes;
    append(&bytes, sizeof bytes);
    if (bytes > 0) append(input.data, bytes);
  }
  return key;
}

Result<std::shared_ptr<const NnKernel::Compiled>> NnKernel::Compile(
    const ops::PrepareContext& context) const {
  runtime::ShapeInference known(subgraph_);
  known.Forget(nodes_);
  for (int i = 0; i < context.inputs(); ++i) {
    const TensorView& input = context.input(i);
    known.Set(subgraph_.inputs[i], input.shape, input.data);
  }
  known.Run(nodes_);
  auto made = std::make_shared<Compiled>();
  for (const graph::ValueId v : subgraph_.outputs) {
    if (!known.knows(v))
      return Unsupported(
          "the shapes of the partition are not known before "
          "the run: " +
          known.obstacle());
    made->outputs.push_back(known.shape(v));
  }
  MUNJA_ASSIGN_OR_RETURN(
      munja::hal::Raised raised,
      munja::hal::Raise(subgraph_, known, nodes_, subgraph_.outputs));
  const auto place = [](const std::vector<graph::ValueId>& list,
                        graph::ValueId v) {
    return static_cast<int>(std::ranges::find(list, v) - list.begin());
  };
  for (const graph::ValueId v : raised.inputs) {
    const int i = place(subgraph_.inputs, v);
    if (static_cast<size_t>(i) == subgraph_.inputs.size())
      return Internal("a value of the partition comes from nowhere");
    made->input_of.push_back(i);
  }
  for (const graph::ValueId v : raised.outputs)
    made->output_of.push_back(place(subgraph_.outputs, v));
  raised.model.is_relaxed = options_->is_relaxed;
  MUNJA_ASSIGN_OR_RETURN(
      made->model, munja::hal::CompiledModel::Compile(
                       raised.model, options_->devices, options_->service));
  return std::shared_ptr<const Compiled>(std::move(made));
}

Status NnKernel::Prepare(ops::PrepareContext& context) const {
  auto state = std::make_unique<PlanState>();
  const Key key = KeyOf(context);
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(compiled_, [](const auto& c) { return c.second.expired(); });
    for (const auto& [of, compiled] : compiled_)
      if (of == key) state->compiled = compiled.lock();
  }
  if (state->compiled == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(state->compiled, Compile(context));
    const std::lock_guard lock(mutex_);
    compiled_.emplace_back(key, state->compiled);
  }
  for (size_t o = 0; o < state->compiled->outputs.size(); ++o)
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(static_cast<int>(o),
                                                 state->compiled->outputs[o]));
  context.SetState(std::move(state));
  return Status();
}

Status NnKernel::Eval(ops::EvalContext& context) const {
  const Compiled& compiled =
      *static_cast<const PlanState&>(*context.state()).compiled;
  std::vector<munja::hal::Bytes> inputs, outputs;
  for (const int i : compiled.input_of)
    inputs.push_back({context.input(i).data, context.input(i).bytes});
  for (const int o : compiled.output_of)
    outputs.push_back({context.output(o).data, context.output(o).bytes});
  return compiled.model->Execute(inputs, outputs);
}

}  // namespace munja::delegates::nn
