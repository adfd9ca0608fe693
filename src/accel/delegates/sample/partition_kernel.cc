#include "delegates/sample/partition_kernel.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "runtime/tensor_bytes.h"

namespace munja::delegates::sample {

// By slot.
struct PartitionKernel::PlanState final : ops::State {
  std::vector<Shape> shapes;
  std::vector<size_t> offsets;  // In scratch, bytes.
};

Result<std::unique_ptr<PartitionKernel>> PartitionKernel::Make(
    const graph::Subgraph& subgraph, const runtime::Partition& partition) {
  auto kernel = std::make_unique<PartitionKernel>();
  std::map<graph::ValueId, int> slot_of;
  const auto add = [&](graph::ValueId v, Slot slot) {
    slot_of[v] = static_cast<int>(kernel->slots_.size());
    kernel->slots_.push_back(std::move(slot));
  };
  for (size_t i = 0; i < partition.inputs.size(); ++i)
    add(partition.inputs[i], {Slot::kInput, static_cast<int>(i), {}, Shape()});
  for (size_t o = 0; o < partition.outputs.size(); ++o)
    add(partition.outputs[o],
        {Slot::kOutput, static_cast<int>(o), {}, Shape()});
  for (const int n : partition.nodes) {
    const graph::Node& node = subgraph.nodes[n];
    Call call;
    MUNJA_ASSIGN_OR_RETURN(call.step, MakeStep(subgraph, node));
    for (const graph::ValueId v : node.inputs) {
      if (v == graph::kNoValue) {
        call.inputs.push_back(-1);
        continue;
      }
      // Steps keep what they read of other constants (axes).
      if (!slot_of.contains(v) && subgraph.values[v].constant) {
        const graph::Value& value = subgraph.values[v];
        Slot slot{Slot::kConstant, 0, {}, value.shape};
        const auto& bytes = value.constant->bytes;
        if (value.type == ElementType::kFloat32 && !bytes.empty()) {
          slot.data.resize(bytes.size() / sizeof(float));
          std::memcpy(slot.data.data(), bytes.data(), bytes.size());
        }
        add(v, std::move(slot));
      }
      call.inputs.push_back(slot_of.at(v));
    }
    const graph::ValueId out = node.outputs[0];
    if (!slot_of.contains(out)) add(out, Slot());
    call.output = slot_of.at(out);
    kernel->calls_.push_back(std::move(call));
  }
  return kernel;
}

Status PartitionKernel::Prepare(ops::PrepareContext& context) const {
  if (!fail_in_prepare_.ok()) return fail_in_prepare_.Clone();
  auto state = std::make_unique<PlanState>();
  for (const Slot& slot : slots_) {
    state->shapes.push_back(slot.place == Slot::kInput
                                ? context.input(slot.number).shape
                                : slot.shape);
  }
  state->offsets.resize(slots_.size());
  size_t scratch = 0;
  for (const Call& call : calls_) {
    std::vector<Shape> inputs;
    for (const int i : call.inputs)
      inputs.push_back(i < 0 ? Shape() : state->shapes[i]);
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, call.step->OutputShape(inputs));
    state->shapes[call.output] = shape;
    const Slot& slot = slots_[call.output];
    if (slot.place == Slot::kOutput) {
      MUNJA_RETURN_IF_ERROR(context.SetOutputShape(slot.number, shape));
      continue;
    }
    MUNJA_ASSIGN_OR_RETURN(const size_t bytes,
                           runtime::TensorBytes(ElementType::kFloat32, shape));
    state->offsets[call.output] = scratch;
    if (!CheckedAdd(scratch, RoundUp(bytes, kBufferAlignment), &scratch))
      return OutOfMemory("the partition's values do not fit into memory");
  }
  context.RequestScratch(scratch);
  context.SetState(std::move(state));
  return Status();
}

Status PartitionKernel::Eval(ops::EvalContext& context) const {
  if (!fail_in_eval_.ok()) return fail_in_eval_.Clone();
  const auto& state = static_cast<const PlanState&>(*context.state());
  const auto memory = [&](int i) -> float* {
    const Slot& slot = slots_[i];
    switch (slot.place) {
      case Slot::kInput:
        return static_cast<float*>(context.input(slot.number).data);
      case Slot::kOutput:
        return context.output(slot.number).mutable_as<float>();
      case Slot::kConstant:
        return const_cast<float*>(slot.data.data());
      case Slot::kScratch:
        break;
    }
    return reinterpret_cast<float*>(static_cast<uint8_t*>(context.scratch()) +
                                    state.offsets[i]);
  };
  std::vector<Operand> operands;
  for (const Call& call : calls_) {
    operands.clear();
    for (const int i : call.inputs) {
      if (i < 0) {
        operands.push_back({Shape(), nullptr});
      } else {
        operands.push_back({state.shapes[i], memory(i)});
      }
    }
    call.step->Run(operands, state.shapes[call.output], memory(call.output));
  }
  return Status();
}

}  // namespace munja::delegates::sample
