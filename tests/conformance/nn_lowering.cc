#include "conformance/nn_lowering.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tensor/half.h"

namespace munja::conformance {
namespace {

struct TypeRow {
  const char* nn;
  ElementType type;
};
constexpr TypeRow kTypes[] = {
    {"BOOL", ElementType::kBool},
    {"FLOAT16", ElementType::kFloat32},
    {"FLOAT32", ElementType::kFloat32},
    {"INT32", ElementType::kInt32},
    {"TENSOR_BOOL8", ElementType::kBool},
    {"TENSOR_FLOAT16", ElementType::kFloat32},
    {"TENSOR_FLOAT32", ElementType::kFloat32},
    {"TENSOR_INT32", ElementType::kInt32},
    {"TENSOR_QUANT16_ASYMM", ElementType::kUInt16},
    {"TENSOR_QUANT16_SYMM", ElementType::kInt16},
    {"TENSOR_QUANT8_ASYMM", ElementType::kUInt8},
    {"TENSOR_QUANT8_ASYMM_SIGNED", ElementType::kInt8},
    {"TENSOR_QUANT8_SYMM", ElementType::kInt8},
    {"TENSOR_QUANT8_SYMM_PER_CHANNEL", ElementType::kInt8},
};

bool IsTensor(const NnOperand& operand) {
  return operand.type.starts_with("TENSOR_");
}

template <class T>
void Append(std::vector<uint8_t>& bytes, T value) {
  const auto* from = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

}  // namespace

Result<ElementType> TwinType(const std::string& nn_type) {
  for (const TypeRow& row : kTypes)
    if (nn_type == row.nn) return row.type;
  return Unsupported("type " + nn_type + " has no twin");
}

std::vector<uint8_t> Encode(const NnOperand& operand, const NnBuffer& values) {
  std::vector<uint8_t> bytes;
  const auto type = TwinType(operand.type);
  if (!type.ok()) return bytes;
  const bool is_half = operand.type.ends_with("FLOAT16");
  for (const double v : values) {
    switch (*type) {
      case ElementType::kFloat32: {
        const auto real = static_cast<float>(v);
        Append(bytes, is_half ? HalfToFloat(FloatToHalf(real)) : real);
        break;
      }
      case ElementType::kInt32:
        Append(bytes, static_cast<int32_t>(v));
        break;
      case ElementType::kInt16:
        Append(bytes, static_cast<int16_t>(v));
        break;
      case ElementType::kUInt16:
        Append(bytes, static_cast<uint16_t>(v));
        break;
      case ElementType::kInt8:
        Append(bytes, static_cast<int8_t>(v));
        break;
      default:
        Append(bytes, static_cast<uint8_t>(v));
    }
  }
  return bytes;
}

Result<std::string> ActivationOf(int64_t code) {
  switch (code) {
    case 0:
      return std::string("NONE");
    case 1:
      return std::string("RELU");
    case 2:
      return std::string("RELU_N1_TO_1");
    case 3:
      return std::string("RELU6");
    case 4:
      return std::string("TANH");
    case 6:
      return std::string("SIGMOID");
    default:
      return Unsupported("activation " + std::to_string(code) + " has no twin");
  }
}

bool NnLowering::has(int i) const {
  return i < inputs() && !is_absent_[op_->inputs[i]];
}
const NnOperand& NnLowering::operand(int i) const {
  return from_.operands[op_->inputs[i]];
}
int64_t NnLowering::Int(int i, int64_t fallback) const {
  return has(i) && operand(i).buffer >= 0
             ? static_cast<int64_t>(spec_.buffers[operand(i).buffer].at(0))
             : fallback;
}
float NnLowering::Float(int i, float fallback) const {
  return has(i) && operand(i).buffer >= 0
             ? static_cast<float>(spec_.buffers[operand(i).buffer].at(0))
             : fallback;
}
std::vector<int64_t> NnLowering::Ints(int i) const {
  std::vector<int64_t> values;
  if (!has(i) || operand(i).buffer < 0) return values;
  for (const double v : spec_.buffers[operand(i).buffer])
    values.push_back(static_cast<int64_t>(v));
  return values;
}
graph::ValueId NnLowering::in(int i) const {
  return has(i) ? op_->inputs[i] : graph::kNoValue;
}
graph::ValueId NnLowering::out(int i) const { return op_->outputs[i]; }

graph::ValueId NnLowering::Ints32(const std::vector<int32_t>& values,
                                  bool is_scalar) {
  graph::Value value;
  value.type = ElementType::kInt32;
  if (!is_scalar) value.shape = Shape({static_cast<int32_t>(values.size())});
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  value.constant = graph::MakeConstant(std::move(bytes));
  return to_.AddValue(std::move(value));
}

graph::ValueId NnLowering::Like(graph::ValueId v, std::string name) {
  graph::Value value;
  value.name = std::move(name);
  value.type = to_.values[v].type;
  value.quantization = to_.values[v].quantization;
  value.has_shape = false;
  return to_.AddValue(std::move(value));
}

void NnLowering::Emit(std::string op, graph::Attributes attributes,
                      std::vector<graph::ValueId> node_inputs,
                      std::vector<graph::ValueId> node_outputs) {
  graph::Node node;
  node.is_custom = op == "TFLite_Detection_PostProcess";
  node.op = std::move(op);
  node.attributes = std::move(attributes);
  node.inputs = std::move(node_inputs);
  node.outputs = std::move(node_outputs);
  to_.nodes.push_back(std::move(node));
}

graph::ValueId NnLowering::Intermediate(ElementType type, float scale,
                                        int32_t zero) {
  graph::Value value;
  value.name = "intermediate";
  value.type = type;
  value.shape = Shape({0});
  value.quantization = {{scale}, {zero}, 0};
  return to_.AddValue(std::move(value));
}

graph::ValueId NnLowering::BeforeHelper(graph::ValueId v) const {
  for (const graph::Node& node : to_.nodes) {
    if (node.op != "ADD" || node.outputs[0] != v) continue;
    const graph::Value& added = to_.values[node.inputs[1]];
    if (added.constant && added.shape.elements() == 1) return node.inputs[0];
  }
  return v;
}

graph::ValueId NnLowering::Transposed(graph::ValueId v,
                                      std::vector<int32_t> order) {
  const graph::ValueId moved = Like(v, to_.values[v].name + " moved");
  const graph::ValueId axes = Ints32(order, false);
  Emit("TRANSPOSE", {}, {v, axes}, {moved});
  return moved;
}

graph::ValueId NnLowering::Nhwc(graph::ValueId v, bool is_nchw) {
  return is_nchw ? Transposed(v, {0, 2, 3, 1}) : v;
}

// Called before the node that writes the value is emitted: the transposition
// is appended by Run, which moves it behind.
graph::ValueId NnLowering::FromNhwc(graph::ValueId v, bool is_nchw) {
  if (!is_nchw) return v;
  const graph::ValueId inner = Like(v, to_.values[v].name + " in NHWC");
  const graph::ValueId axes = Ints32({0, 3, 1, 2}, false);
  Emit("TRANSPOSE", {}, {inner, axes}, {v});
  return inner;
}

Status NnLowering::AddValue(const NnOperand& operand, bool is_main_input) {
  graph::Value value;
  value.name = "operand " + std::to_string(to_.values.size());
  // An input of the main graph without data is an optional one left out.
  const bool is_absent =
      operand.lifetime == "NO_VALUE" || (is_main_input && operand.buffer >= 0 &&
                                         spec_.buffers[operand.buffer].empty());
  is_absent_.push_back(is_absent);
  if (operand.type != "SUBGRAPH") {
    MUNJA_ASSIGN_OR_RETURN(value.type, TwinType(operand.type));
  }
  if (!operand.channel_scales.empty()) {
    value.quantization.scales = operand.channel_scales;
    value.quantization.zero_points.assign(operand.channel_scales.size(), 0);
    value.quantization.axis = operand.channel_dim;
  } else if (operand.scale != 0.0f && IsTensor(operand)) {
    value.quantization.scales = {operand.scale};
    value.quantization.zero_points = {operand.zero_point};
  }
  value.has_shape = operand.is_constant() || is_main_input;
  if (value.has_shape)
    for (const int32_t d : operand.dims) value.shape.Append(d);
  if (operand.is_constant() && !is_absent) {
    value.constant =
        graph::MakeConstant(Encode(operand, spec_.buffers[operand.buffer]));
  }
  to_.AddValue(std::move(value));
  return Status();
}

Status NnLowering::Run() {
  const bool is_main = &from_ == &example_.main;
  for (size_t i = 0; i < from_.operands.size(); ++i) {
    const bool is_input = std::find(from_.inputs.begin(), from_.inputs.end(),
                                    static_cast<int>(i)) != from_.inputs.end();
    MUNJA_RETURN_IF_ERROR(AddValue(from_.operands[i], is_main && is_input));
  }
  for (const int v : from_.inputs)
    if (!is_absent_[v]) to_.inputs.push_back(v);
  to_.outputs.assign(from_.outputs.begin(), from_.outputs.end());
  for (const NnOperation& operation : from_.operations) {
    op_ = &operation;
    NnLower lower = FindNnOperation(operation.type);
    if (lower == nullptr) lower = FindNnSequence(operation.type);
    if (lower == nullptr) return Unsupported(operation.type + " has no twin");
    const size_t first = to_.nodes.size();
    MUNJA_RETURN_IF_ERROR(lower(*this));
    // Transpositions of outputs were appended before their writers.
    std::stable_partition(
        to_.nodes.begin() + static_cast<std::ptrdiff_t>(first), to_.nodes.end(),
        [&](const graph::Node& node) {
          return std::find(operation.outputs.begin(), operation.outputs.end(),
                           node.outputs[0]) == operation.outputs.end() ||
                 node.op != "TRANSPOSE" || operation.type == "TRANSPOSE";
        });
  }
  return Status();
}

Result<graph::Graph> Lower(const NnSpec& spec, const NnExample& example) {
  graph::Graph graph;
  graph.subgraphs.resize(1 + example.referenced.size());
  std::vector<int> forwarded;
  for (size_t i = 0; i < graph.subgraphs.size(); ++i) {
    const NnGraph& from = i == 0 ? example.main : example.referenced[i - 1];
    NnLowering lowering(spec, example, from, graph.subgraphs[i]);
    MUNJA_RETURN_IF_ERROR(lowering.Run());
    forwarded.insert(forwarded.end(), lowering.forwarded().begin(),
                     lowering.forwarded().end());
  }
  for (const int body : forwarded) {
    graph::Subgraph& subgraph = graph.subgraphs[body];
    while (subgraph.outputs.size() < subgraph.inputs.size())
      subgraph.outputs.push_back(subgraph.inputs[subgraph.outputs.size()]);
  }
  MUNJA_RETURN_IF_ERROR(graph::Verify(graph));
  return graph;
}

}  // namespace munja::conformance
