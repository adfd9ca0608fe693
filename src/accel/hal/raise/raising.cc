#include "hal/raise/raising.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "hal/types.h"
#include "hal/validate.h"
#include "runtime/known_nodes.h"
#include "tensor/half.h"

namespace munja::hal {
namespace {

// As ANeuralNetworksModel_setOperandValue: what is not longer is copied.
constexpr size_t kMaxCopied = 128;

std::span<const uint8_t> BytesOf(const auto& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

}  // namespace

void Raising::Refuse(const std::string& reason) {
  if (status_.ok()) status_ = Unsupported(reason);
}

template <class T>
T Raising::Read(Result<T> attribute) {
  if (attribute.ok()) return std::move(attribute).value();
  if (status_.ok()) status_ = std::move(attribute).TakeStatus();
  return T();
}

const graph::Value& Raising::value(int i) const {
  return from_.values[node_->inputs[i]];
}

const graph::Value& Raising::output(int i) const {
  return from_.values[node_->outputs[i]];
}

int64_t Raising::Int(std::string_view name, int64_t fallback) {
  return Read(node_->attributes.Int(name, fallback));
}

double Raising::Float(std::string_view name, double fallback) {
  return Read(node_->attributes.Float(name, fallback));
}

bool Raising::Bool(std::string_view name, bool fallback) {
  return Read(node_->attributes.Bool(name, fallback));
}

std::string Raising::Text(std::string_view name, std::string_view fallback) {
  return Read(node_->attributes.Text(name, fallback));
}

Dimensions Raising::DimsOf(graph::ValueId v) const {
  const graph::Value& value = from_.values[v];
  if (!known_.knows(v) && !value.has_shape) return {};
  const Shape& shape = known_.knows(v) ? known_.shape(v) : value.shape;
  Dimensions dimensions;
  for (const int32_t d : shape.dims())
    dimensions.push_back(d < 0 ? 0 : static_cast<uint32_t>(d));
  if (dimensions.empty()) dimensions = {1};
  return dimensions;
}

Dimensions Raising::Dims(int i) const { return DimsOf(node_->inputs[i]); }
Dimensions Raising::OutDims(int i) const { return DimsOf(node_->outputs[i]); }

std::vector<int32_t> Raising::Ints(int i) {
  if (!has(i)) {
    Refuse("an input is absent");
    return {};
  }
  const graph::ValueId v = node_->inputs[i];
  const ElementType type = from_.values[v].type;
  const void* data = known_.data(v);
  if (data == nullptr || !known_.knows(v)) {
    Refuse("input " + std::to_string(i) + " is known by the run only");
    return {};
  }
  if (!from_.values[v].constant) raised_.assumed.push_back(v);
  const auto count = static_cast<size_t>(known_.shape(v).elements());
  std::vector<int32_t> values(count);
  if (type == ElementType::kInt32) {
    if (count > 0) std::memcpy(values.data(), data, count * sizeof(int32_t));
  } else if (type == ElementType::kInt64) {
    for (size_t k = 0; k < count; ++k) {
      int64_t wide = 0;
      std::memcpy(&wide, static_cast<const uint8_t*>(data) + k * sizeof wide,
                  sizeof wide);
      values[k] = static_cast<int32_t>(
          std::clamp<int64_t>(wide, std::numeric_limits<int32_t>::min(),
                              std::numeric_limits<int32_t>::max()));
    }
  } else {
    Refuse("input " + std::to_string(i) + " is not of integers");
  }
  return values;
}

float Raising::Real(int i) {
  const graph::ValueId v = has(i) ? node_->inputs[i] : graph::kNoValue;
  if (v == graph::kNoValue || !from_.values[v].constant ||
      from_.values[v].type != ElementType::kFloat32 ||
      from_.values[v].constant->bytes.size() != sizeof(float)) {
    Refuse("input " + std::to_string(i) + " is not one constant number");
    return 0.0f;
  }
  float real = 0.0f;
  std::memcpy(&real, from_.values[v].constant->bytes.data(), sizeof real);
  return real;
}

void Raising::SetType(const graph::Value& value, Operand& operand) {
  const Quantization& q = value.quantization;
  const auto quantized = [&](int32_t type) {
    if (!q.is_quantized() || q.is_per_axis()) {
      Refuse(std::string(ElementTypeName(value.type)) +
             " without one scale has no type in the HAL");
      return;
    }
    operand.type = type;
    operand.scale = q.scales[0];
    if (!q.zero_points.empty())
      operand.zero_point = static_cast<int32_t>(q.zero_points[0]);
  };
  switch (value.type) {
    case ElementType::kFloat32:
      operand.type = MUNJA_NN_TENSOR_FLOAT32;
      return;
    case ElementType::kFloat16:
      operand.type = MUNJA_NN_TENSOR_FLOAT16;
      return;
    case ElementType::kBool:
      operand.type = MUNJA_NN_TENSOR_BOOL8;
      return;
    case ElementType::kInt32:
      operand.type = MUNJA_NN_TENSOR_INT32;
      // A bias with scales by channel has none in the HAL.
      if (q.scales.size() == 1) operand.scale = q.scales[0];
      return;
    case ElementType::kUInt8:
      return quantized(MUNJA_NN_TENSOR_QUANT8_ASYMM);
    case ElementType::kInt16:
      return quantized(MUNJA_NN_TENSOR_QUANT16_SYMM);
    case ElementType::kUInt16:
      return quantized(MUNJA_NN_TENSOR_QUANT16_ASYMM);
    case ElementType::kInt8:
      if (!q.is_per_axis())
        return quantized(MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED);
      operand.type = MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL;
      operand.channels = ChannelScales{static_cast<uint32_t>(q.axis), q.scales};
      return;
    default:
      Refuse(std::string(ElementTypeName(value.type)) +
             " has no type in the HAL");
  }
}

uint32_t Raising::Constant(Operand operand, std::span<const uint8_t> bytes) {
  std::vector<uint8_t>& values = raised_.model.operand_values;
  values.resize((values.size() + 3) / 4 * 4);
  operand.lifetime = MUNJA_NN_CONSTANT_COPY;
  operand.location = {0, static_cast<uint32_t>(values.size()),
                      static_cast<uint32_t>(bytes.size())};
  values.insert(values.end(), bytes.begin(), bytes.end());
  main().operands.push_back(std::move(operand));
  return static_cast<uint32_t>(main().operands.size() - 1);
}

uint32_t Raising::OperandOf(graph::ValueId v) {
  if (const auto it = operand_of_.find(v); it != operand_of_.end())
    return it->second;
  const graph::Value& value = from_.values[v];
  Operand operand;
  SetType(value, operand);
  operand.dimensions = DimsOf(v);
  if (known_.knows(v) && known_.shape(v).elements() == 0)
    Refuse("a tensor is empty");
  if (!value.unsupported.empty()) Refuse(value.unsupported);
  uint32_t index = 0;
  const void* data = value.constant ? nullptr : known_.data(v);
  if (data != nullptr && known_.knows(v)) {
    raised_.assumed.push_back(v);
    const auto count = static_cast<size_t>(known_.shape(v).elements());
    index = Constant(std::move(operand), {static_cast<const uint8_t*>(data),
                                          count * ElementSize(value.type)});
  } else if (!value.constant) {
    index = static_cast<uint32_t>(main().operands.size());
    main().operands.push_back(std::move(operand));
  } else if (value.constant->bytes.size() <= kMaxCopied) {
    index = Constant(std::move(operand), value.constant->bytes);
  } else {
    const std::span<const uint8_t> bytes = value.constant->bytes;
    if (bytes.size() > std::numeric_limits<uint32_t>::max()) {
      Refuse("a constant is too large");
      return 0;
    }
    // Each its own pool: what lies between two of one owner need not be mapped.
    operand.lifetime = MUNJA_NN_CONSTANT_REFERENCE;
    operand.location = {static_cast<uint32_t>(raised_.model.pools.size()), 0,
                        static_cast<uint32_t>(bytes.size())};
    Memory pool;
    pool.data = const_cast<uint8_t*>(bytes.data());
    pool.bytes = bytes.size();
    pool.owner = value.constant->owner;
    raised_.model.pools.push_back(std::move(pool));
    index = static_cast<uint32_t>(main().operands.size());
    main().operands.push_back(std::move(operand));
  }
  operand_of_[v] = index;
  return index;
}

uint32_t Raising::in(int i) {
  if (!has(i)) {
    Refuse("input " + std::to_string(i) + " is absent");
    return 0;
  }
  return OperandOf(node_->inputs[i]);
}

uint32_t Raising::out(int i) {
  if (static_cast<size_t>(i) >= node_->outputs.size() ||
      node_->outputs[i] == graph::kNoValue) {
    Refuse("output " + std::to_string(i) + " is absent");
    return 0;
  }
  return OperandOf(node_->outputs[i]);
}

uint32_t Raising::Scalar(int32_t value) {
  Operand operand;
  operand.type = MUNJA_NN_INT32;
  return Constant(std::move(operand), BytesOf(value));
}

uint32_t Raising::Scalar(bool value) {
  Operand operand;
  operand.type = MUNJA_NN_BOOL;
  return Constant(std::move(operand),
                  BytesOf(static_cast<uint8_t>(value ? 1 : 0)));
}

uint32_t Raising::Scalar(float value) {
  Operand operand;
  operand.type = MUNJA_NN_FLOAT32;
  return Constant(std::move(operand), BytesOf(value));
}

uint32_t Raising::Vector(const std::vector<int32_t>& values,
                         Dimensions dimensions) {
  Operand operand;
  operand.type = MUNJA_NN_TENSOR_INT32;
  operand.dimensions = std::move(dimensions);
  return Constant(std::move(operand),
                  {reinterpret_cast<const uint8_t*>(values.data()),
                   values.size() * sizeof(int32_t)});
}

uint32_t Raising::Between(Dimensions dimensions) {
  Operand operand;
  SetType(output(), operand);
  operand.dimensions = std::move(dimensions);
  main().operands.push_back(std::move(operand));
  return static_cast<uint32_t>(main().operands.size() - 1);
}

void Raising::Emit(int32_t type, std::vector<uint32_t> inputs,
                   std::vector<uint32_t> outputs) {
  main().operations.push_back({type, std::move(inputs), std::move(outputs)});
  raised_.node_of.push_back(number_);
}

Status Raising::Add(int node) {
  node_ = &from_.nodes[node];
  number_ = node;
  const RaiseFunction raise =
      node_->is_custom ? nullptr : FindRaising(node_->op);
  if (raise == nullptr) return Unsupported("the HAL has no operation for it");
  for (const graph::ValueId v : node_->outputs)
    if (v == graph::kNoValue) return Unsupported("an output is absent");
  raise(*this);
  return std::move(status_);
}

Result<Raised> Raising::Finish(std::span<const graph::ValueId> outputs) {
  Subgraph& sub = main();
  std::vector<bool> is_written(sub.operands.size());
  for (const Operation& operation : sub.operations) {
    for (const uint32_t i : operation.outputs) is_written[i] = true;
    for (const uint32_t i : operation.inputs) ++sub.operands[i].consumers;
  }
  std::map<uint32_t, graph::ValueId> value_of;
  for (const auto& [v, i] : operand_of_) value_of[i] = v;
  for (const auto& [i, v] : value_of) {
    Operand& operand = sub.operands[i];
    if (operand.is_constant() || is_written[i]) continue;
    operand.lifetime = MUNJA_NN_SUBGRAPH_INPUT;
    sub.inputs.push_back(i);
    raised_.inputs.push_back(v);
  }
  for (const graph::ValueId v : outputs) {
    const auto it = operand_of_.find(v);
    if (it == operand_of_.end() || !is_written[it->second])
      return Unsupported("an output is written by none of the nodes");
    sub.operands[it->second].lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
    sub.outputs.push_back(it->second);
    raised_.outputs.push_back(v);
  }
  if (const Status valid = ValidateModel(raised_.model); !valid.ok())
    return Unsupported("not valid in the HAL: " + std::string(valid.message()));
  std::ranges::sort(raised_.assumed);
  // Not with std::ranges, whose views of libstdc++ 12 clang 14 cannot read.
  raised_.assumed.erase(
      std::unique(raised_.assumed.begin(), raised_.assumed.end()),
      raised_.assumed.end());
  return std::move(raised_);
}

void WidenHalves(graph::Subgraph& subgraph) {
  std::vector<bool> stays(subgraph.values.size());
  for (const graph::Node& node : subgraph.nodes)
    if (node.op == "DEQUANTIZE" || node.op == "CAST")
      for (const graph::ValueId v : node.inputs)
        if (v != graph::kNoValue) stays[v] = true;
  for (const graph::Node& node : subgraph.nodes)
    for (const graph::ValueId v : node.inputs) {
      if (v == graph::kNoValue || stays[v]) continue;
      graph::Value& value = subgraph.values[v];
      if (!value.constant || value.type != ElementType::kFloat16) continue;
      const std::span<const uint8_t> halves = value.constant->bytes;
      std::vector<uint8_t> wide(halves.size() / sizeof(uint16_t) *
                                sizeof(float));
      for (size_t i = 0; i < halves.size() / sizeof(uint16_t); ++i) {
        uint16_t half = 0;
        std::memcpy(&half, halves.data() + i * sizeof half, sizeof half);
        const float real = HalfToFloat(half);
        std::memcpy(wide.data() + i * sizeof real, &real, sizeof real);
      }
      value.constant = graph::MakeConstant(std::move(wide));
      value.type = ElementType::kFloat32;
    }
}

Result<Raised> Raise(const graph::Subgraph& from,
                     const runtime::ShapeInference& known,
                     std::span<const int> nodes,
                     std::span<const graph::ValueId> outputs) {
  // Nodes that only static nodes read are omitted: drivers do not get
  // operations without an effect.
  std::vector<bool> is_wanted(from.values.size()), is_live(from.nodes.size());
  for (const graph::ValueId v : outputs) is_wanted[v] = true;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    const graph::Node& node = from.nodes[*it];
    is_live[*it] = !runtime::IsKnown(node, known) &&
                   std::ranges::any_of(node.outputs, [&](graph::ValueId v) {
                     return v != graph::kNoValue && is_wanted[v];
                   });
    if (!is_live[*it]) continue;
    for (const graph::ValueId v : node.inputs)
      if (v != graph::kNoValue) is_wanted[v] = true;
  }
  Raising raising(from, known);
  for (const int n : nodes) {
    if (!is_live[n]) continue;
    Status status = raising.Add(n);
    if (!status.ok())
      return std::move(status).With(
          graph::Describe(from, static_cast<size_t>(n)));
  }
  return raising.Finish(outputs);
}

}  // namespace munja::hal
