#include "delegates/opencl/recording.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/thread_pool.h"
#include "delegates/opencl/steps/steps.h"
#include "graph/rewrite/linear_op.h"
#include "tensor/half.h"

namespace munja::delegates::opencl {
namespace {

// Kernels count in int, and look a few elements ahead.
constexpr int64_t kMaxElements = std::numeric_limits<int32_t>::max() - 4096;

Result<Shape> CheckedShape(const runtime::ShapeInference& known,
                           graph::ValueId v, std::string_view what) {
  if (!known.knows(v))
    return Unsupported("the shape of " + std::string(what) + " is dynamic");
  const Shape& shape = known.shape(v);
  const int64_t elements = shape.elements();
  if (elements == 0) return Unsupported(std::string(what) + " has no elements");
  if (elements < 0 || elements > kMaxElements)
    return Unsupported(std::string(what) + " has too many elements");
  return shape;
}

}  // namespace

void Launch::Append(const kernels::Activation& activation) {
  arguments.emplace_back(static_cast<int32_t>(activation.kind));
  arguments.emplace_back(activation.alpha);
  arguments.emplace_back(activation.beta);
}

Result<std::vector<float>> NumbersOf(ElementType type, const void* data,
                                     int64_t elements) {
  std::vector<float> numbers(static_cast<size_t>(elements));
  if (type == ElementType::kFloat32) {
    if (!numbers.empty())
      std::memcpy(numbers.data(), data, numbers.size() * sizeof(float));
    return numbers;
  }
  if (type != ElementType::kFloat16)
    return Unsupported("a constant is " + std::string(ElementTypeName(type)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    uint16_t half = 0;
    std::memcpy(&half, static_cast<const uint8_t*>(data) + i * sizeof half,
                sizeof half);
    numbers[i] = HalfToFloat(half);
  }
  return numbers;
}

Result<Shape> Recorder::ShapeOf(int i) const {
  if (!has(i)) return Malformed("input " + std::to_string(i) + " is absent");
  return CheckedShape(known_, node_->inputs[i], "input " + std::to_string(i));
}

Result<Shape> Recorder::OutputShape(int i) const {
  if (static_cast<size_t>(i) >= node_->outputs.size() ||
      node_->outputs[i] == graph::kNoValue)
    return Malformed("output " + std::to_string(i) + " is absent");
  return CheckedShape(known_, node_->outputs[i], "output " + std::to_string(i));
}

Result<MakeNumbers> Recorder::Numbers(int i) const {
  MUNJA_RETURN_IF_ERROR(ShapeOf(i).TakeStatus());
  return NumbersOfValue(node_->inputs[i], "input " + std::to_string(i));
}

Result<MakeNumbers> Recorder::NumbersOfValue(graph::ValueId v,
                                             const std::string& what) const {
  const graph::Value& value = subgraph_.values[v];
  const void* const data = known_.data(v);
  const int64_t elements = known_.shape(v).elements();
  if (data == nullptr) return Unsupported(what + " is not constant");
  if (value.quantization.is_quantized())
    return Unsupported(what + " is quantized");
  if (value.type != ElementType::kFloat32 &&
      value.type != ElementType::kFloat16)
    return Unsupported(what + " is " +
                       std::string(ElementTypeName(value.type)));
  if (value.constant && value.constant->owner != nullptr)
    return MakeNumbers(
        [type = value.type, data, elements, owner = value.constant->owner] {
          return NumbersOf(type, data, elements);
        });
  // Values computed from shapes are small and become constants of their
  // readers.
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> numbers,
                         NumbersOf(value.type, data, elements));
  return MakeNumbers(
      [kept = std::move(numbers)]() -> Result<std::vector<float>> {
        return kept;
      });
}

Result<std::vector<int32_t>> Recorder::Integers(int i) const {
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(i));
  const graph::ValueId v = node_->inputs[i];
  const void* const data = known_.data(v);
  if (data == nullptr || subgraph_.values[v].type != ElementType::kInt32)
    return Unsupported("input " + std::to_string(i) +
                       " is not known before the run");
  std::vector<int32_t> integers(static_cast<size_t>(shape.elements()));
  std::memcpy(integers.data(), data, integers.size() * sizeof(int32_t));
  return integers;
}

const std::vector<float>* Recorder::ByteScalesOf(int i) const {
  const graph::LinearOp* const linear = graph::FindLinearOp(*node_);
  const auto found = scales_.find(node_->inputs[i]);
  return linear != nullptr && found != scales_.end() &&
                 found->second.channel_axis == linear->channel_axis
             ? &found->second.scales
             : nullptr;
}

Result<std::unique_ptr<runtime::NodeContext>> Recorder::PrepareOnCpu() const {
  const ops::OpImpl* const op =
      node_->is_custom ? nullptr : ops::FindOp(node_->op);
  if (op == nullptr) return Unsupported("the operator is not supported");
  std::vector<TensorView> views(subgraph_.values.size());
  const auto show = [&](graph::ValueId v) {
    if (v == graph::kNoValue) return;
    views[v].type = subgraph_.values[v].type;
    views[v].quantization = &subgraph_.values[v].quantization;
    if (known_.knows(v)) views[v].shape = known_.shape(v);
    // Views have one kind of pointer; an input's is never written through.
    views[v].data = const_cast<void*>(known_.data(v));
  };
  std::ranges::for_each(node_->inputs, show);
  std::ranges::for_each(node_->outputs, show);
  const ops::MakeOptions options{.reference_kernels = true};
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<ops::Kernel> kernel,
                         op->make(ops::NodeInfo(subgraph_, *node_, options)));
  ThreadPool pool(1);
  auto context = std::make_unique<runtime::NodeContext>(*node_, views, pool);
  runtime::Preparation preparation(*context);
  MUNJA_RETURN_IF_ERROR(preparation.Run(*kernel));
  return context;
}

int Recorder::AddBuffer(BufferSpec spec) {
  recording_.buffers.push_back(std::move(spec));
  return static_cast<int>(recording_.buffers.size()) - 1;
}

Status Recorder::AddInput(graph::ValueId value, int at) {
  MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                         CheckedShape(known_, value, "an input"));
  if (subgraph_.values[value].type != ElementType::kFloat32)
    return Unsupported("an input is " + std::string(ElementTypeName(
                                            subgraph_.values[value].type)));
  BufferSpec spec;
  spec.kind = BufferSpec::kInput;
  spec.elements = shape.elements();
  spec.at = at;
  buffer_of_[value] = AddBuffer(std::move(spec));
  return Status();
}

Result<int> Recorder::BufferOf(graph::ValueId v) {
  const graph::Value& value = subgraph_.values[v];
  const auto found = buffer_of_.find(v);
  if (found != buffer_of_.end()) return found->second;
  MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                         CheckedShape(known_, v, "an input"));
  BufferSpec spec;
  spec.elements = shape.elements();
  if (known_.data(v) != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(spec.numbers, NumbersOfValue(v, "a constant"));
    spec.kind = BufferSpec::kConstant;
    if (value.constant) spec.key = "value " + std::to_string(v);
  } else if (value.type != ElementType::kFloat32) {
    return Unsupported("an input is " +
                       std::string(ElementTypeName(value.type)));
  }
  const int buffer = AddBuffer(std::move(spec));
  buffer_of_[v] = buffer;
  return buffer;
}

Result<BufferArgument> Recorder::In(int i) {
  if (!has(i)) return Malformed("input " + std::to_string(i) + " is absent");
  MUNJA_ASSIGN_OR_RETURN(const int buffer, BufferOf(node_->inputs[i]));
  return BufferArgument{buffer, false};
}

Result<BufferArgument> Recorder::Out(int i) {
  MUNJA_RETURN_IF_ERROR(OutputShape(i).TakeStatus());
  const graph::ValueId v = node_->outputs[i];
  if (subgraph_.values[v].type != ElementType::kFloat32)
    return Unsupported("its output is " +
                       std::string(ElementTypeName(subgraph_.values[v].type)));
  BufferSpec spec;
  spec.elements = known_.shape(v).elements();
  const int buffer = AddBuffer(std::move(spec));
  buffer_of_[v] = buffer;
  return BufferArgument{buffer, true};
}

Result<BufferArgument> Recorder::Constant(int i, std::string_view way,
                                          int64_t elements, MakeNumbers numbers,
                                          BufferSpec::Storage storage) {
  if (elements > kMaxElements) return Unsupported("a constant is too large");
  BufferSpec spec;
  spec.kind = BufferSpec::kConstant;
  spec.storage = storage;
  spec.elements = elements;
  spec.numbers = std::move(numbers);
  if (has(i) && subgraph_.values[node_->inputs[i]].constant) {
    spec.key = std::string(way) + " " + std::to_string(node_->inputs[i]);
    const auto found = constants_.find(spec.key);
    if (found != constants_.end()) return BufferArgument{found->second, false};
  }
  const std::string key = spec.key;
  const int buffer = AddBuffer(std::move(spec));
  if (!key.empty()) constants_[key] = buffer;
  return BufferArgument{buffer, false};
}

BufferArgument Recorder::Fixed(std::vector<float> numbers) {
  BufferSpec spec;
  spec.kind = BufferSpec::kConstant;
  spec.elements = static_cast<int64_t>(numbers.size());
  spec.numbers = [kept = std::move(numbers)]() -> Result<std::vector<float>> {
    return kept;
  };
  return {AddBuffer(std::move(spec)), false};
}

BufferArgument Recorder::Table(std::vector<int32_t> numbers) {
  BufferSpec spec;
  spec.kind = BufferSpec::kTable;
  spec.elements = static_cast<int64_t>(numbers.size());
  spec.table = std::move(numbers);
  return {AddBuffer(std::move(spec)), false};
}

Status Recorder::Alias(int output, int input) {
  MUNJA_ASSIGN_OR_RETURN(const Shape out, OutputShape(output));
  MUNJA_ASSIGN_OR_RETURN(const Shape in, ShapeOf(input));
  if (in.elements() != out.elements())
    return Malformed("shapes " + in.ToString() + " and " + out.ToString() +
                     " have not the same elements");
  if (subgraph_.values[node_->outputs[output]].type != ElementType::kFloat32)
    return Unsupported("its output is not float32");
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument from, In(input));
  buffer_of_[node_->outputs[output]] = from.buffer;
  return Status();
}

void Recorder::Emit(Launch launch) {
  launch.node = number_;
  if (!launch.is_by_group)
    launch.arguments.insert(launch.arguments.begin(),
                            static_cast<int32_t>(launch.items));
  recording_.launches.push_back(std::move(launch));
}

Status Recorder::Add(int node) {
  node_ = &subgraph_.nodes[node];
  number_ = node;
  const StepRow* const row = node_->is_custom ? nullptr : FindStep(node_->op);
  if (row == nullptr) return Unsupported("the operator is not supported");
  return row->record(*this);
}

Result<Recording> Recorder::Finish(std::span<const graph::ValueId> outputs) {
  std::vector<std::pair<int, int>> inputs;
  for (size_t b = 0; b < recording_.buffers.size(); ++b) {
    const BufferSpec& spec = recording_.buffers[b];
    if (spec.kind == BufferSpec::kInput)
      inputs.emplace_back(spec.at, static_cast<int>(b));
  }
  std::ranges::sort(inputs);
  for (const auto& [at, buffer] : inputs) recording_.inputs.push_back(buffer);
  for (const graph::ValueId v : outputs) {
    const auto found = buffer_of_.find(v);
    if (found == buffer_of_.end())
      return Internal("nothing writes '" + subgraph_.values[v].name + "'");
    recording_.outputs.push_back(found->second);
  }
  recording_.buffer_of = std::move(buffer_of_);
  return std::move(recording_);
}

}  // namespace munja::delegates::opencl
