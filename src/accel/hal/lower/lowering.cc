#include "hal/lower/lowering.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hal/operations.h"
#include "hal/types.h"
#include "tensor/half.h"

namespace munja::hal {
namespace {

struct TwinRow {
  int32_t type;
  ElementType schema;
};
constexpr TwinRow kTwins[] = {
    {MUNJA_NN_BOOL, ElementType::kBool},
    {MUNJA_NN_FLOAT16, ElementType::kFloat32},
    {MUNJA_NN_FLOAT32, ElementType::kFloat32},
    {MUNJA_NN_INT32, ElementType::kInt32},
    {MUNJA_NN_TENSOR_BOOL8, ElementType::kBool},
    {MUNJA_NN_TENSOR_FLOAT16, ElementType::kFloat32},
    {MUNJA_NN_TENSOR_FLOAT32, ElementType::kFloat32},
    {MUNJA_NN_TENSOR_INT32, ElementType::kInt32},
    {MUNJA_NN_TENSOR_QUANT16_ASYMM, ElementType::kUInt16},
    {MUNJA_NN_TENSOR_QUANT16_SYMM, ElementType::kInt16},
    {MUNJA_NN_TENSOR_QUANT8_ASYMM, ElementType::kUInt8},
    {MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED, ElementType::kInt8},
    {MUNJA_NN_TENSOR_QUANT8_SYMM, ElementType::kInt8},
    {MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL, ElementType::kInt8},
};

}  // namespace

Result<ElementType> SchemaType(int32_t type) {
  for (const TwinRow& row : kTwins)
    if (type == row.type) return row.schema;
  return Unsupported(TypeName(type) + " cannot be lowered");
}

std::vector<uint8_t> SchemaBytes(int32_t type, std::span<const uint8_t> bytes) {
  if (type != MUNJA_NN_FLOAT16 && type != MUNJA_NN_TENSOR_FLOAT16)
    return {bytes.begin(), bytes.end()};
  std::vector<uint8_t> widened(2 * bytes.size());
  for (size_t i = 0; i + 2 <= bytes.size(); i += 2) {
    uint16_t half;
    std::memcpy(&half, bytes.data() + i, sizeof half);
    const float real = HalfToFloat(half);
    std::memcpy(widened.data() + 2 * i, &real, sizeof real);
  }
  return widened;
}

graph::Attributes With(
    std::initializer_list<std::pair<std::string_view, graph::AttributeValue>>
        entries) {
  graph::Attributes attributes;
  for (const auto& [name, value] : entries) attributes.Set(name, value);
  return attributes;
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
      return std::string("LOGISTIC");
    default:
      return Unsupported("activation " + std::to_string(code) +
                         " cannot be lowered");
  }
}

Result<std::string> FusedActivation(int64_t code) {
  if (code < 0 || code > 3)
    return InvalidArgument("there is no fused activation " +
                           std::to_string(code));
  return ActivationOf(code);
}

std::string Lowering::name() const { return OperationName(op_->type); }
bool Lowering::has(int i) const {
  return i < inputs() && !known_[op_->inputs[i]].is_absent;
}
const Operand& Lowering::operand(int i) const {
  return from_.operands[op_->inputs[i]];
}
std::vector<int32_t> Lowering::Dims(int i) const {
  const Dimensions& dimensions = known_[op_->inputs[i]].dimensions;
  return {dimensions.begin(), dimensions.end()};
}
std::vector<int32_t> Lowering::DimsOf(graph::ValueId operand) const {
  const Dimensions& dimensions = known_[operand].dimensions;
  return {dimensions.begin(), dimensions.end()};
}
std::span<const uint8_t> Lowering::BytesOf(int i) const {
  if (!has(i)) return {};
  const Known& known = known_[op_->inputs[i]];
  if (!known.has_value) is_asked_too_much_ = true;
  return known.bytes;
}
int64_t Lowering::Int(int i, int64_t fallback) const {
  const auto bytes = BytesOf(i);
  if (bytes.empty()) return fallback;
  if (bytes.size() < sizeof(int32_t)) return bytes[0];
  int32_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}
float Lowering::Float(int i, float fallback) const {
  const auto bytes = BytesOf(i);
  if (bytes.empty()) return fallback;
  const std::vector<uint8_t> value_bytes = SchemaBytes(operand(i).type, bytes);
  float value = fallback;
  if (value_bytes.size() >= sizeof value)
    std::memcpy(&value, value_bytes.data(), sizeof value);
  return value;
}
std::vector<int64_t> Lowering::Ints(int i) const {
  std::vector<int64_t> values;
  const auto bytes = BytesOf(i);
  for (size_t k = 0; k + sizeof(int32_t) <= bytes.size(); k += 4) {
    int32_t value;
    std::memcpy(&value, bytes.data() + k, sizeof value);
    values.push_back(value);
  }
  return values;
}
int32_t Lowering::Extent(bool is_nchw, bool is_width) const {
  const auto dims = Dims(0);
  if (dims.size() != 4) return 0;
  return dims[(is_nchw ? 2 : 1) + (is_width ? 1 : 0)];
}
int64_t Lowering::Called(int i) const {
  return static_cast<int64_t>(Model::SubgraphOf(operand(i)));
}
graph::ValueId Lowering::in(int i) const {
  return has(i) ? static_cast<graph::ValueId>(op_->inputs[i]) : graph::kNoValue;
}
graph::ValueId Lowering::out(int i) const {
  return static_cast<graph::ValueId>(op_->outputs[i]);
}

graph::ValueId Lowering::Ints32(const std::vector<int32_t>& values,
                                bool is_scalar) {
  graph::Value value;
  value.type = ElementType::kInt32;
  if (!is_scalar) value.shape = Shape({static_cast<int32_t>(values.size())});
  std::vector<uint8_t> bytes(values.size() * 4);
  // Neither may be null for memcpy, not even for nothing: no axes, no padding.
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  value.constant = graph::MakeConstant(std::move(bytes));
  return to_.AddValue(std::move(value));
}

graph::ValueId Lowering::Scalar(float number) {
  graph::Value value;
  value.type = ElementType::kFloat32;
  std::vector<uint8_t> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  value.constant = graph::MakeConstant(std::move(bytes));
  return to_.AddValue(std::move(value));
}

graph::ValueId Lowering::Like(graph::ValueId v, std::string name) {
  graph::Value value;
  value.name = std::move(name);
  value.type = to_.values[v].type;
  value.quantization = to_.values[v].quantization;
  value.has_shape = false;
  return to_.AddValue(std::move(value));
}

void Lowering::Emit(std::string op, graph::Attributes attributes,
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

graph::ValueId Lowering::Intermediate(ElementType type, float scale,
                                      int32_t zero) {
  graph::Value value;
  value.name = "intermediate";
  value.type = type;
  value.shape = Shape({0});
  value.quantization = {{scale}, {zero}, 0};
  return to_.AddValue(std::move(value));
}

graph::ValueId Lowering::BeforeHelper(graph::ValueId v) const {
  if (!IsReadOnce(v)) return v;
  for (const graph::Node& node : to_.nodes) {
    if (node.op != "ADD" || node.outputs[0] != v) continue;
    const graph::Value& added = to_.values[node.inputs[1]];
    if (!added.constant || added.shape.elements() != 1 ||
        added.quantization != to_.values[v].quantization)
      continue;
    const auto activation =
        node.attributes.Text("fused_activation_function", "NONE");
    if (!activation.ok() || *activation != "NONE") continue;
    const auto& zeros = added.quantization.zero_points;
    const uint8_t zero = zeros.empty() ? 0 : static_cast<uint8_t>(zeros[0]);
    if (std::ranges::all_of(added.constant->bytes,
                            [&](uint8_t byte) { return byte == zero; }))
      return node.inputs[0];
  }
  return v;
}

bool Lowering::IsReadOnce(graph::ValueId v) const {
  std::ptrdiff_t count = 0;
  for (const Operation& operation : from_.operations)
    count += std::ranges::count(operation.inputs, static_cast<uint32_t>(v));
  return count == 1;
}

bool Lowering::IsFedToOne(graph::ValueId v) const {
  return std::ranges::count(to_.inputs, v) != 0 && IsReadOnce(v);
}

graph::ValueId Lowering::Transposed(graph::ValueId v,
                                    const std::vector<int32_t>& order) {
  const graph::ValueId moved = Like(v, to_.values[v].name + " moved");
  const graph::ValueId axes = Ints32(order, false);
  Emit("TRANSPOSE", {}, {v, axes}, {moved});
  return moved;
}

graph::ValueId Lowering::Nhwc(graph::ValueId v, bool is_nchw) {
  return is_nchw ? Transposed(v, {0, 2, 3, 1}) : v;
}

// Called before the node that writes the value is emitted: the transposition
// is appended by Run, which moves it behind.
graph::ValueId Lowering::FromNhwc(graph::ValueId v, bool is_nchw) {
  if (!is_nchw) return v;
  const graph::ValueId inner = Like(v, to_.values[v].name + " in NHWC");
  const graph::ValueId axes = Ints32({0, 3, 1, 2}, false);
  Emit("TRANSPOSE", {}, {inner, axes}, {v});
  return inner;
}

Status Lowering::AddValue(size_t index) {
  const Operand& operand = from_.operands[index];
  const Known& known = known_[index];
  graph::Value value;
  value.name = "operand " + std::to_string(index);
  if (operand.type != MUNJA_NN_SUBGRAPH) {
    MUNJA_ASSIGN_OR_RETURN(value.type, SchemaType(operand.type));
  }
  if (operand.channels) {
    const ChannelScales& channels = *operand.channels;
    value.quantization.scales = channels.scales;
    value.quantization.zero_points.assign(channels.scales.size(), 0);
    value.quantization.axis = static_cast<int32_t>(channels.dimension);
  } else if (operand.scale != 0.0f && IsTensor(operand.type)) {
    value.quantization.scales = {operand.scale};
    value.quantization.zero_points = {operand.zero_point};
  }
  if (known.dimensions.size() > kMaxRank ||
      std::ranges::any_of(known.dimensions,
                          [](uint32_t d) { return d > INT32_MAX; }))
    return Unsupported("dimensions " + ToText(known.dimensions));
  const bool is_input =
      std::ranges::count(from_.inputs, static_cast<uint32_t>(index)) != 0;
  value.has_shape = operand.is_constant() || (is_input && known.has_value);
  if (value.has_shape)
    for (const uint32_t d : known.dimensions)
      value.shape.Append(static_cast<int32_t>(d));
  if (operand.is_constant() && !known.is_absent)
    value.constant =
        graph::MakeConstant(SchemaBytes(operand.type, known.bytes));
  to_.AddValue(std::move(value));
  return Status();
}

Status Lowering::Run() {
  for (size_t i = 0; i < from_.operands.size(); ++i)
    MUNJA_RETURN_IF_ERROR(AddValue(i));
  for (const uint32_t v : from_.inputs)
    if (!known_[v].is_absent)
      to_.inputs.push_back(static_cast<graph::ValueId>(v));
  to_.outputs.assign(from_.outputs.begin(), from_.outputs.end());
  for (const Operation& operation : from_.operations) {
    op_ = &operation;
    LowerFunction lower = FindLowering(operation.type);
    if (lower == nullptr) lower = FindSequenceLowering(operation.type);
    if (lower == nullptr)
      return Unsupported(OperationName(operation.type) + " cannot be lowered");
    const size_t first = to_.nodes.size();
    is_asked_too_much_ = false;
    MUNJA_RETURN_IF_ERROR(lower(*this));
    if (is_asked_too_much_)
      return Unsupported(
          OperationName(operation.type) +
          " cannot be lowered while values of its inputs are not "
          "known");
    // Transpositions of outputs were appended before their writers.
    std::stable_partition(
        to_.nodes.begin() + static_cast<std::ptrdiff_t>(first), to_.nodes.end(),
        [&](const graph::Node& node) {
          return std::ranges::count(operation.outputs,
                                    static_cast<uint32_t>(node.outputs[0])) ==
                     0 ||
                 node.op != "TRANSPOSE" || operation.type == MUNJA_NN_TRANSPOSE;
        });
  }
  return Status();
}

namespace {

// Passes look at shapes: those of operands whose dimensions are all known.
void StateShapes(std::span<const Known> known, graph::Subgraph& subgraph) {
  for (size_t i = 0; i < known.size(); ++i) {
    const Dimensions& dimensions = known[i].dimensions;
    graph::Value& value = subgraph.values[static_cast<graph::ValueId>(i)];
    if (value.has_shape || dimensions.empty() ||
        std::ranges::count(dimensions, 0u) != 0)
      continue;
    value.has_shape = true;
    value.shape = Shape();
    for (const uint32_t d : dimensions)
      value.shape.Append(static_cast<int32_t>(d));
  }
}

}  // namespace

Result<graph::Graph> Lower(const Model& model, std::span<const Known> inputs) {
  graph::Graph graph;
  graph.subgraphs.resize(model.subgraphs.size());
  std::vector<int> forwarded;
  for (size_t i = 0; i < graph.subgraphs.size(); ++i) {
    const Subgraph& from = model.subgraphs[i];
    // States are variables of the main subgraph.
    if (i > 0)
      for (const Operation& operation : from.operations)
        if (FindSequenceLowering(operation.type) != nullptr)
          return Unsupported(OperationName(operation.type) +
                             " in a branch or loop cannot be lowered");
    std::vector<Known> known(from.operands.size());
    for (size_t k = 0; k < known.size(); ++k) {
      const Operand& operand = from.operands[k];
      known[k].dimensions = operand.dimensions;
      known[k].is_absent = operand.lifetime == MUNJA_NN_NO_VALUE;
      if (!operand.is_constant()) continue;
      known[k].has_value = true;
      known[k].bytes = {model.ConstantData(operand), operand.location.length};
    }
    if (i == 0)
      for (size_t k = 0; k < inputs.size(); ++k)
        known[from.inputs[k]] = inputs[k];
    Lowering lowering(from, known, graph.subgraphs[i]);
    MUNJA_RETURN_IF_ERROR(lowering.Run());
    if (i == 0) StateShapes(known, graph.subgraphs[0]);
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

}  // namespace munja::hal
