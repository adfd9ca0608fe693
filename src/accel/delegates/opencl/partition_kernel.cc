#include "delegates/opencl/partition_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "delegates/opencl/steps/steps.h"
#include "graph/passes/pass.h"
#include "kernels/lookup/farm_fingerprint.h"
#include "runtime/known_nodes.h"
#include "runtime/shape_inference.h"

namespace munja::delegates::opencl {
namespace {

// Relative to the largest value.
constexpr float kFloatTolerance = 1e-4f, kHalfTolerance = 1e-2f;
// In 16 bits, of many nodes together, each of which is right.
constexpr float kRoundingTolerance = 1e-1f;

// The rewrites that help here, too; what they make is in steps.cc.
constexpr std::array<std::string_view, 9> kPasses = {
    "dead_code",     "fold_batch_norm",   "fold_bias",
    "fuse_padding",  "fuse_hard_sigmoid", "fuse_activation",
    "fuse_residual", "fold_gate",         "commute_mean"};

Status Fuse(graph::Subgraph& subgraph) {
  graph::PassOptions options;
  options.has_op = [](std::string_view op) { return FindStep(op) != nullptr; };
  constexpr int kMaxRounds = 20;
  bool is_changed = true;
  for (int round = 0; is_changed && round < kMaxRounds; ++round) {
    is_changed = false;
    for (const graph::Pass& pass : graph::AllPasses()) {
      if (std::ranges::find(kPasses, pass.name) == kPasses.end()) continue;
      MUNJA_ASSIGN_OR_RETURN(const bool did, pass.run(subgraph, options));
      is_changed |= did;
    }
  }
  return Status();
}

// "1x8x8x3, 16x3x3x3 -> 1x8x8x16"
std::string ShapesOf(const graph::Node& node,
                     const runtime::ShapeInference& known) {
  const auto list = [&](const std::vector<graph::ValueId>& values) {
    std::string text;
    for (const graph::ValueId v : values) {
      if (!text.empty()) text += ", ";
      text += v == graph::kNoValue ? "-"
              : known.knows(v)     ? known.shape(v).ToString()
                                   : "?";
    }
    return text;
  };
  return list(node.inputs) + " -> " + list(node.outputs);
}

// Numbers in [-1, 1], the same each time.
std::vector<float> Draw(size_t count, uint32_t seed) {
  std::vector<float> numbers(count);
  uint32_t state = seed * 2654435761u + 12345u;
  for (float& x : numbers) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return numbers;
}

// The inputs of a run on the CPU.
std::vector<TensorView> InputViews(
    const graph::Subgraph& subgraph, const runtime::ShapeInference& known,
    const std::vector<std::vector<float>>& inputs) {
  std::vector<TensorView> views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorView& view = views.emplace_back();
    view.shape = known.shape(subgraph.inputs[i]);
    view.data = const_cast<float*>(inputs[i].data());
    view.bytes = inputs[i].size() * sizeof(float);
  }
  return views;
}

// Empty: the numbers are those that are wanted, as near as they must be.
std::string Difference(std::span<const float> got, std::span<const float> want,
                       float tolerance) {
  float largest = 0;
  for (const float x : want)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  float worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(want[i])) continue;
    if (!std::isfinite(got[i]))
      return "gives " + std::to_string(got[i]) + " where the CPU gives " +
             std::to_string(want[i]);
    worst = std::max(worst, std::abs(got[i] - want[i]));
  }
  // Values close to zero have no digits to compare.
  if (worst <= tolerance * std::max(largest, 1e-30f)) return "";
  return "is off by " + std::to_string(worst) + ", the largest value is " +
         std::to_string(largest);
}

}  // namespace

struct PartitionKernel::PlanState final : ops::State {
  std::shared_ptr<DevicePlan> plan;
  std::vector<std::string> shapes;  // By node, for profiles.
  // Drivers may go on compiling in the first run.
  bool has_run = true;
  // Instead, where nodes are wrong.
  std::unique_ptr<runtime::Session> split, profiled_split;
};

Result<std::unique_ptr<PartitionKernel>> PartitionKernel::Make(
    std::shared_ptr<const Options> options,
    std::shared_ptr<CheckedDevice> device, const graph::Subgraph& subgraph,
    const runtime::Partition& partition, int splits) {
  std::unique_ptr<PartitionKernel> kernel(new PartitionKernel);
  kernel->splits_ = splits;
  kernel->options_ = std::move(options);
  kernel->device_ = std::move(device);
  kernel->memory_ = std::make_shared<DeviceMemory>(kernel->device_->device());
  auto graph = std::make_shared<graph::Graph>();
  graph::Subgraph& own = graph->subgraphs.emplace_back();
  own.values = subgraph.values;
  own.inputs = partition.inputs;
  own.outputs = partition.outputs;
  for (const int n : partition.nodes) own.nodes.push_back(subgraph.nodes[n]);
  MUNJA_RETURN_IF_ERROR(WidenWeights(own));
  MUNJA_RETURN_IF_ERROR(Fuse(own));
  const ByteWeights bytes = kernel->options_->byte_weights;
  // Here and not in the steps, so that the self-check compares with the same
  // weights.
  if (bytes == ByteWeights::kAll) MUNJA_RETURN_IF_ERROR(RoundWeights(own));
  if (bytes != ByteWeights::kNone) {
    MUNJA_ASSIGN_OR_RETURN(kernel->scales_, FindByteScales(own));
  }
  kernel->nodes_.resize(own.nodes.size());
  std::iota(kernel->nodes_.begin(), kernel->nodes_.end(), 0);
  for (size_t i = 0; i < own.inputs.size(); ++i)
    if (own.values[own.inputs[i]].type == ElementType::kFloat32)
      kernel->float_inputs_.push_back(static_cast<int>(i));
  for (const graph::Node& node : own.nodes)
    for (const graph::ValueId v : node.inputs)
      if (v != graph::kNoValue && own.values[v].constant) {
        const auto data = own.values[v].constant->bytes;
        kernel->constants_ =
            kernel->constants_ * 31 +
            kernels::FarmFingerprint64(data.data(), data.size());
      }
  kernel->graph_ = std::move(graph);
  return kernel;
}

Result<std::shared_ptr<DevicePlan>> PartitionKernel::MakePlan(
    const runtime::ShapeInference& known, bool shares_memory,
    const std::shared_ptr<DeviceMemory>& memory) const {
  Recorder recorder(subgraph(), known, scales_);
  for (size_t i = 0; i < float_inputs_.size(); ++i)
    MUNJA_RETURN_IF_ERROR(recorder.AddInput(
        subgraph().inputs[static_cast<size_t>(float_inputs_[i])],
        static_cast<int>(i)));
  for (const int n : nodes_) {
    if (runtime::IsKnown(subgraph().nodes[n], known)) continue;
    if (Status status = recorder.Add(n); !status.ok())
      return std::move(status).With(
          graph::Describe(subgraph(), static_cast<size_t>(n)));
  }
  MUNJA_ASSIGN_OR_RETURN(Recording recording,
                         recorder.Finish(subgraph().outputs));
  std::vector<std::string> ops;
  for (const Launch& launch : recording.launches)
    ops.push_back(subgraph().nodes[launch.node].op);
  auto plan = std::make_shared<DevicePlan>(
      memory, std::move(recording),
      PlanOptions{options_->is_half, MathOf(), shares_memory,
                  options_->fails_in});
  MUNJA_RETURN_IF_ERROR(memory->device().worker().Run(
      [plan, ops = std::move(ops), device = device_] {
        return plan->Prepare(ops, device->cache(), device->group_sizes());
      },
      options_->compile_timeout));
  return plan;
}

Math PartitionKernel::MathOf() const {
  const bool is_there =
      options_->math != Math::kHalf || device_->device()->info().has_fp16;
  return is_there && !needs_float_math_ ? options_->math : Math::kFloat;
}

Status PartitionKernel::RunPlan(
    const std::shared_ptr<DevicePlan>& plan, std::chrono::milliseconds longest,
    std::shared_ptr<DevicePlan::Times> times) const {
  Status status = memory_->device().worker().Run(
      [plan, times = std::move(times)] { return plan->Run(times.get()); },
      longest);
  // There may be memory for another page.
  if (!status.ok() && status.code() != Code::kOutOfMemory)
    device_->GiveUp(status);
  return status;
}

bool PartitionKernel::HasWrongNodes() const {
  return std::ranges::any_of(subgraph().nodes, [&](const graph::Node& node) {
    return !device_->WrongReason(SignatureOf(subgraph(), node)).empty();
  });
}

Status PartitionKernel::Prepare(ops::PrepareContext& context) const {
  MUNJA_RETURN_IF_ERROR(device_->CheckUsable());
  if (HasWrongNodes()) return PrepareSplit(context);
  {
    const std::lock_guard lock(mutex_);
    if (!mistrust_.empty()) return Unavailable(mistrust_);
  }
  runtime::TraceSpan span(options_->trace.get(), "compilation", "opencl");
  runtime::ShapeInference known(subgraph());
  known.Forget(nodes_);
  for (int i = 0; i < context.inputs(); ++i) {
    const TensorView& input = context.input(i);
    known.Set(subgraph().inputs[i], input.shape, input.data);
  }
  known.Run(nodes_);
  const auto& outputs = subgraph().outputs;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!known.knows(outputs[o]))
      return Unsupported("shapes are not known before the run: " +
                         known.obstacle());
    MUNJA_RETURN_IF_ERROR(
        context.SetOutputShape(static_cast<int>(o), known.shape(outputs[o])));
  }
  auto state = std::make_unique<PlanState>();
  MUNJA_ASSIGN_OR_RETURN(state->plan,
                         MakePlan(known, options_->shares_memory, memory_));
  MUNJA_ASSIGN_OR_RETURN(Comparison comparison, Check(known, state->plan));
  if (comparison == Comparison::kNeedsFloatMath) {
    MUNJA_ASSIGN_OR_RETURN(state->plan,
                           MakePlan(known, options_->shares_memory, memory_));
    MUNJA_ASSIGN_OR_RETURN(comparison, Check(known, state->plan));
  }
  if (comparison == Comparison::kHasWrongNodes) {
    state.reset();
    return PrepareSplit(context);
  }
  span.Tell("bytes_of_values", std::to_string(memory_->bytes()));
  span.Tell("bytes_of_constants", std::to_string(memory_->constant_bytes()));
  state->has_run = comparison != Comparison::kNotRun;
  for (const graph::Node& node : subgraph().nodes)
    state->shapes.push_back(ShapesOf(node, known));
  context.SetState(std::move(state));
  return Status();
}

Result<std::unique_ptr<runtime::Session>> PartitionKernel::MakeSplit(
    bool profile) const {
  // Wrong nodes are all found at once. More splits than a few mean that
  // something else is wrong.
  constexpr int kMaxSplits = 3;
  if (splits_ >= kMaxSplits)
    return Unavailable("what is left of the partition is wrong, too");
  const std::lock_guard lock(mutex_);
  std::unique_ptr<runtime::Session>& first = profile ? profiled_split_ : split_;
  if (first == nullptr) {
    runtime::SessionOptions options;
    options.delegates = {
        std::make_shared<OpenClDelegate>(options_, device_, splits_ + 1)};
    options.profile = profile;
    MUNJA_ASSIGN_OR_RETURN(first, runtime::CreateSession(graph_, options));
  }
  return first->Fork(nullptr);
}

Status PartitionKernel::PrepareSplit(ops::PrepareContext& context) const {
  auto state = std::make_unique<PlanState>();
  MUNJA_ASSIGN_OR_RETURN(state->split, MakeSplit(false));
  std::vector<Shape> inputs;
  for (int i = 0; i < context.inputs(); ++i)
    inputs.push_back(context.input(i).shape);
  MUNJA_ASSIGN_OR_RETURN(const auto shapes, state->split->Plan(inputs));
  for (size_t o = 0; o < shapes.size(); ++o)
    MUNJA_RETURN_IF_ERROR(
        context.SetOutputShape(static_cast<int>(o), shapes[o]));
  context.SetState(std::move(state));
  return Status();
}

Status PartitionKernel::EvalSplit(ops::EvalContext& context,
                                  PlanState& state) const {
  std::vector<ops::PartTime>* const parts = context.part_times();
  if (parts != nullptr && state.profiled_split == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(state.profiled_split, MakeSplit(true));
  }
  runtime::Session& session =
      parts == nullptr ? *state.split : *state.profiled_split;
  std::vector<TensorView> inputs;
  for (int i = 0; i < context.inputs(); ++i) inputs.push_back(context.input(i));
  MUNJA_ASSIGN_OR_RETURN(const auto outputs, session.Run(inputs));
  for (size_t o = 0; o < outputs.size(); ++o) {
    const TensorView& target = context.output(static_cast<int>(o));
    if (target.bytes != outputs[o].bytes)
      return Internal("an output of a split partition has shape " +
                      outputs[o].shape.ToString() + ", not " +
                      target.shape.ToString());
    std::memcpy(target.data, outputs[o].data, target.bytes);
  }
  if (parts == nullptr) return Status();
  for (const runtime::NodeProfile& row : session.Profile())
    parts->push_back({row.op, row.name, row.shapes, row.milliseconds,
                      row.multiply_accumulates, row.bytes});
  session.ResetProfile();
  return Status();
}

uint64_t PartitionKernel::FingerprintOf(const Recording& recording) const {
  std::vector<uint8_t> bytes;
  const auto add = [&](const auto& number) {
    const auto* const at = reinterpret_cast<const uint8_t*>(&number);
    bytes.insert(bytes.end(), at, at + sizeof number);
  };
  const auto add_text = [&](std::string_view text) {
    add(text.size());
    bytes.insert(bytes.end(), text.begin(), text.end());
  };
  add(constants_);
  add(uint64_t{options_->is_half} | uint64_t{options_->shares_memory} << 1 |
      static_cast<uint64_t>(MathOf()) << 2);
  for (const BufferSpec& buffer : recording.buffers) {
    add(int64_t{buffer.kind});
    add(int64_t{buffer.storage});
    add(buffer.elements);
    add(int64_t{buffer.at});
    add_text(buffer.key);
    for (const int32_t n : buffer.table) add(n);
    if (buffer.kind != BufferSpec::kConstant || !buffer.key.empty()) continue;
    const auto numbers = buffer.numbers();
    if (!numbers.ok()) return 0;
    for (const float n : *numbers) add(n);
  }
  for (const Launch& launch : recording.launches) {
    add_text(launch.kernel);
    add(launch.items);
    add(launch.arguments.size());
    for (const Argument& argument : launch.arguments) {
      if (const auto* const b = std::get_if<BufferArgument>(&argument))
        add(int64_t{b->buffer});
      else
        std::visit([&](const auto& n) { add(n); }, argument);
    }
  }
  for (const auto* list : {&recording.inputs, &recording.outputs})
    for (const int b : *list) add(b);
  return kernels::FarmFingerprint64(bytes.data(), bytes.size());
}

Status PartitionKernel::SavePrograms() const {
  return memory_->device().worker().Run(
      [device = device_] {
        device->device()->SavePrograms(device->cache());
        return Status();
      },
      options_->compile_timeout);
}

Result<bool> PartitionKernel::Tune(
    const std::shared_ptr<DevicePlan>& plan) const {
  if (!device_->is_tuned() || !options_->fails_in.empty()) return false;
  const auto left = device_->tune_time();
  const auto known = device_->group_sizes();
  const auto groups = std::make_shared<GroupSizes>(known);
  const auto begin = std::chrono::steady_clock::now();
  const Status status = memory_->device().worker().Run(
      [plan, groups, deadline = begin + left, device = device_] {
        return plan->Tune(device->cache(), deadline, *groups);
      },
      options_->compile_timeout);
  if (!status.ok()) {
    device_->GiveUp(status);
    return status.Clone();
  }
  if (*groups == known) return false;
  const auto end = std::chrono::steady_clock::now();
  device_->SpendTuneTime(end - begin);
  if (options_->trace != nullptr)
    options_->trace->Add("tuning", "opencl", begin, end);
  device_->RememberGroups(*groups);
  return true;
}

Result<PartitionKernel::Comparison> PartitionKernel::Check(
    const runtime::ShapeInference& known,
    const std::shared_ptr<DevicePlan>& plan) const {
  const std::lock_guard lock(mutex_);
  // Inputs that are not float only give sizes, which the plan holds for.
  const bool is_compared =
      options_->checks != Checks::kNever &&
      (options_->checks != Checks::kFirst || !was_checked_) &&
      float_inputs_.size() == subgraph().inputs.size();
  // Injected failures must be found.
  const uint64_t fingerprint =
      device_->cache().is_used() && options_->fails_in.empty()
          ? FingerprintOf(plan->recording())
          : 0;
  if (fingerprint != 0 && device_->WasRight(fingerprint)) {
    was_checked_ = true;
    return Comparison::kNotRun;
  }
  std::vector<std::vector<float>> inputs;
  for (size_t i = 0; i < float_inputs_.size(); ++i) {
    const graph::ValueId v =
        subgraph().inputs[static_cast<size_t>(float_inputs_[i])];
    inputs.push_back(Draw(static_cast<size_t>(known.shape(v).elements()),
                          static_cast<uint32_t>(i)));
    plan->SetInput(i, inputs.back().data());
  }
  // Drivers that postpone work to the first run do it now, while there is time.
  MUNJA_RETURN_IF_ERROR(RunPlan(plan, options_->compile_timeout));
  MUNJA_ASSIGN_OR_RETURN(const bool is_other, Tune(plan));
  if (is_other) MUNJA_RETURN_IF_ERROR(RunPlan(plan, options_->compile_timeout));
  MUNJA_RETURN_IF_ERROR(SavePrograms());
  if (!is_compared) return Comparison::kRight;
  if (cpu_ == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(cpu_, runtime::CreateSession(graph_, {}));
  }
  MUNJA_ASSIGN_OR_RETURN(const auto want,
                         cpu_->Run(InputViews(subgraph(), known, inputs)));
  for (size_t o = 0; o < want.size(); ++o) {
    const auto count = static_cast<size_t>(want[o].shape.elements());
    std::vector<float> got(count);
    plan->GetOutput(o, got.data());
    const std::string difference =
        Difference(got, {want[o].as<float>(), count},
                   !options_->is_half ? kFloatTolerance
                   : is_rounding_     ? kRoundingTolerance
                                      : kHalfTolerance);
    if (difference.empty()) continue;
    // Before any node is blamed.
    if (MathOf() != Math::kFloat) {
      needs_float_math_ = true;
      Log(Severity::kWarning,
          "delegate opencl: with products of 16 bits output " +
              std::to_string(o) + " " + difference +
              ": they are float32 in this partition");
      return Comparison::kNeedsFloatMath;
    }
    MUNJA_ASSIGN_OR_RETURN(const int wrong, FindWrong(known, inputs));
    if (wrong > 0) return Comparison::kHasWrongNodes;
    // Deep networks round more than each of their nodes does. What differs
    // though each value has memory of its own is that, and nothing worse.
    if (options_->is_half && !is_rounding_ &&
        Difference(got, {want[o].as<float>(), count}, kRoundingTolerance)
            .empty()) {
      MUNJA_ASSIGN_OR_RETURN(is_rounding_, IsSameApart(known, inputs, *plan));
      if (is_rounding_) continue;
    }
    // Other sizes would be no better, and each would take as long to find out.
    mistrust_ = "the self-check failed: output " + std::to_string(o) + " " +
                difference + ", though no node alone is wrong";
    return Unavailable(mistrust_);
  }
  was_checked_ = true;
  if (fingerprint != 0) device_->RememberRight(fingerprint);
  return Comparison::kRight;
}

Result<bool> PartitionKernel::IsSameApart(
    const runtime::ShapeInference& known,
    const std::vector<std::vector<float>>& inputs,
    const DevicePlan& together) const {
  const auto memory = std::make_shared<DeviceMemory>(device_->device());
  MUNJA_ASSIGN_OR_RETURN(const auto plan, MakePlan(known, false, memory));
  for (size_t i = 0; i < inputs.size(); ++i)
    plan->SetInput(i, inputs[i].data());
  MUNJA_RETURN_IF_ERROR(RunPlan(plan, options_->compile_timeout));
  for (size_t o = 0; o < subgraph().outputs.size(); ++o)
    if (plan->output(o) != together.output(o)) return false;
  return true;
}

Result<int> PartitionKernel::FindWrong(
    const runtime::ShapeInference& known,
    const std::vector<std::vector<float>>& inputs) const {
  const auto memory = std::make_shared<DeviceMemory>(device_->device());
  MUNJA_ASSIGN_OR_RETURN(const auto plan, MakePlan(known, false, memory));
  for (size_t i = 0; i < inputs.size(); ++i)
    plan->SetInput(i, inputs[i].data());
  MUNJA_RETURN_IF_ERROR(memory->device().worker().Run(
      [plan] { return plan->Upload(); }, options_->compile_timeout));
  // All values of the CPU.
  auto open = std::make_shared<graph::Graph>(*graph_);
  graph::Subgraph& sub = open->main();
  sub.outputs.clear();
  for (const graph::Node& node : sub.nodes)
    for (const graph::ValueId v : node.outputs)
      if (v != graph::kNoValue && sub.values[v].type == ElementType::kFloat32 &&
          known.knows(v))
        sub.outputs.push_back(v);
  runtime::SessionOptions as_it_is;
  as_it_is.run_passes = false;
  MUNJA_ASSIGN_OR_RETURN(const auto session,
                         runtime::CreateSession(open, as_it_is));
  MUNJA_ASSIGN_OR_RETURN(const auto want,
                         session->Run(InputViews(sub, known, inputs)));
  std::map<graph::ValueId, const TensorView*> right;
  for (size_t o = 0; o < want.size(); ++o) right[sub.outputs[o]] = &want[o];
  int count = 0;
  for (const int n : nodes_) {
    const graph::Node& node = sub.nodes[n];
    MUNJA_RETURN_IF_ERROR(memory->device().worker().Run(
        [plan, n] { return plan->RunNode(n); }, options_->compile_timeout));
    std::string wrong;
    for (const graph::ValueId v : node.outputs) {
      const auto value = right.find(v);
      const auto buffer = plan->recording().buffer_of.find(v);
      if (value == right.end() || buffer == plan->recording().buffer_of.end())
        continue;
      const TensorView& cpu = *value->second;
      const auto elements = static_cast<size_t>(cpu.shape.elements());
      // The CPU's results take the place of the device's, so that each node
      // answers for itself only.
      auto got = std::make_shared<std::vector<float>>();
      auto put = std::make_shared<std::vector<float>>(
          cpu.as<float>(), cpu.as<float>() + elements);
      MUNJA_RETURN_IF_ERROR(memory->device().worker().Run(
          [plan, to = buffer->second, got, put]() -> Status {
            MUNJA_ASSIGN_OR_RETURN(*got, plan->Read(to));
            return plan->Write(to, put->data());
          },
          options_->run_timeout));
      const std::string difference = Difference(
          *got, *put, options_->is_half ? kHalfTolerance : kFloatTolerance);
      if (wrong.empty() && !difference.empty())
        wrong =
            node.op + " with output " + cpu.shape.ToString() + " " + difference;
    }
    if (wrong.empty()) continue;
    ++count;
    device_->Remember(SignatureOf(sub, node), wrong);
    Log(Severity::kWarning,
        "delegate opencl: the self-check found a wrong kernel on " +
            device_->device()->info().name + ": " +
            graph::Describe(sub, static_cast<size_t>(n)) + ": " + wrong +
            ". It runs on the CPU from now on");
  }
  return count;
}

std::vector<ops::PartTime> PartitionKernel::Parts(
    const PlanState& state, const DevicePlan::Times& times) const {
  const Recording& recording = state.plan->recording();
  std::vector<ops::PartTime> parts;
  int last = -1;
  for (size_t k = 0; k < times.launches.size(); ++k) {
    const Launch& launch = recording.launches[k];
    // Planted failures leave launches out.
    if (times.launches[k].end == 0) continue;
    if (launch.node != last) {
      last = launch.node;
      const graph::Node& node = subgraph().nodes[launch.node];
      ops::PartTime& part = parts.emplace_back();
      part.op = "opencl:" + node.op;
      part.name = subgraph().values[node.outputs[0]].name;
      part.shapes = state.shapes[static_cast<size_t>(launch.node)];
    }
    ops::PartTime& part = parts.back();
    part.milliseconds +=
        static_cast<double>(times.launches[k].duration()) * 1e-6;
    part.multiply_accumulates += launch.multiply_accumulates;
    for (const Argument& argument : launch.arguments)
      if (const auto* const b = std::get_if<BufferArgument>(&argument))
        part.bytes += static_cast<int64_t>(state.plan->BytesOf(b->buffer));
  }
  return parts;
}

void PartitionKernel::Trace(const PlanState& state,
                            const DevicePlan::Times& times) const {
  const Recording& recording = state.plan->recording();
  const std::string track = "OpenCL: " + device_->device()->info().name;
  const auto add = [&](const char* category, std::string name,
                       const DevicePlan::Span& span,
                       runtime::TraceFile::Details details) {
    if (span.end == 0 || times.queued == 0) return;
    // Nothing runs before it is queued, whatever a device's clock says.
    const auto here = [&](uint64_t at) {
      return times.queued_here +
             std::chrono::nanoseconds(
                 at > times.queued ? static_cast<int64_t>(at - times.queued)
                                   : 0);
    };
    options_->trace->AddOn(track, category, std::move(name), here(span.begin),
                           here(span.end), std::move(details));
  };
  for (size_t i = 0; i < times.uploads.size(); ++i)
    add("transfer", "upload", times.uploads[i],
        {{"bytes", std::to_string(state.plan->input(i).size())}});
  for (size_t k = 0; k < times.launches.size(); ++k) {
    const Launch& launch = recording.launches[k];
    const graph::Node& node = subgraph().nodes[launch.node];
    add("kernel", node.op, times.launches[k],
        {{"kernel", launch.kernel},
         {"writes", subgraph().values[node.outputs[0]].name},
         {"shapes", state.shapes[static_cast<size_t>(launch.node)]},
         {"multiply_accumulates",
          std::to_string(launch.multiply_accumulates)}});
  }
  for (size_t i = 0; i < times.downloads.size(); ++i)
    add("transfer", "download", times.downloads[i],
        {{"bytes", std::to_string(state.plan->output(i).size())}});
}

Status PartitionKernel::Eval(ops::EvalContext& context) const {
  MUNJA_RETURN_IF_ERROR(device_->CheckUsable());
  // The state is this plan's alone: contexts hand it out as const because most
  // kernels' never changes.
  auto& own =
      const_cast<PlanState&>(static_cast<const PlanState&>(*context.state()));
  if (own.split != nullptr) return EvalSplit(context, own);
  const auto& plan = own.plan;
  for (size_t i = 0; i < float_inputs_.size(); ++i)
    plan->SetInput(i, context.input(float_inputs_[i]).as<float>());
  const auto times =
      context.part_times() != nullptr || options_->trace != nullptr
          ? std::make_shared<DevicePlan::Times>()
          : nullptr;
  const runtime::TraceSpan span(options_->trace.get(), "execution", "opencl");
  MUNJA_RETURN_IF_ERROR(RunPlan(
      plan, own.has_run ? options_->run_timeout : options_->compile_timeout,
      times));
  if (!own.has_run) {
    own.has_run = true;
    MUNJA_RETURN_IF_ERROR(SavePrograms());
  }
  if (options_->trace != nullptr) Trace(own, *times);
  if (context.part_times() != nullptr)
    *context.part_times() = Parts(own, *times);
  for (int o = 0; o < static_cast<int>(subgraph().outputs.size()); ++o)
    plan->GetOutput(static_cast<size_t>(o),
                    context.output(o).mutable_as<float>());
  return Status();
}

}  // namespace munja::delegates::opencl
