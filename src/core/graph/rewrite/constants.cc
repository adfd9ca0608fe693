#include "graph/rewrite/constants.h"

#include <cstring>
#include <utility>

#include "tensor/half.h"

namespace munja::graph {
namespace {

const Value* FindConstant(const Subgraph& subgraph, ValueId v) {
  if (v == kNoValue) return nullptr;
  const Value& value = subgraph.values[v];
  if (!value.constant || value.is_variable || !value.unsupported.empty() ||
      value.quantization.is_quantized())
    return nullptr;
  return &value;
}

// The bytes may lie anywhere in a file: no pointer to T.
template <class T>
std::vector<T> Copy(const Value& value) {
  const auto bytes = value.constant->bytes;
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty())
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

}  // namespace

std::optional<std::vector<float>> ReadFloats(const Subgraph& subgraph,
                                             ValueId v) {
  const Value* value = FindConstant(subgraph, v);
  if (value == nullptr) return std::nullopt;
  if (value->type == ElementType::kFloat32) return Copy<float>(*value);
  if (value->type != ElementType::kFloat16) return std::nullopt;
  std::vector<float> out;
  for (const uint16_t half : Copy<uint16_t>(*value))
    out.push_back(HalfToFloat(half));
  return out;
}

std::optional<std::vector<int64_t>> ReadInts(const Subgraph& subgraph,
                                             ValueId v) {
  const Value* value = FindConstant(subgraph, v);
  if (value == nullptr) return std::nullopt;
  if (value->type == ElementType::kInt64) return Copy<int64_t>(*value);
  if (value->type != ElementType::kInt32) return std::nullopt;
  const std::vector<int32_t> narrow = Copy<int32_t>(*value);
  return std::vector<int64_t>(narrow.begin(), narrow.end());
}

std::optional<float> ReadScalar(const Subgraph& subgraph, ValueId v,
                                ValueId beside) {
  const Value* value = FindConstant(subgraph, v);
  if (value == nullptr || value->shape.elements() != 1) return std::nullopt;
  const Value& other = subgraph.values[beside];
  const int rank = other.has_shape ? other.shape.rank() : 0;
  if (value->shape.rank() > rank) return std::nullopt;
  const auto data = ReadFloats(subgraph, v);
  if (!data) return std::nullopt;
  return data->front();
}

std::optional<std::vector<float>> ReadPerChannel(const Subgraph& subgraph,
                                                 ValueId v, int32_t channels,
                                                 int rank) {
  const Value* value = FindConstant(subgraph, v);
  if (value == nullptr || value->shape.rank() > rank) return std::nullopt;
  const int64_t elements = value->shape.elements();
  const bool is_per_channel = value->shape.rank() > 0 &&
                              value->shape.back() == channels &&
                              elements == channels;
  if (elements != 1 && !is_per_channel) return std::nullopt;
  auto data = ReadFloats(subgraph, v);
  if (data && elements == 1) data->assign(channels, data->front());
  return data;
}

ValueId AddFloats(Subgraph& subgraph, std::string name, const Shape& shape,
                  const std::vector<float>& data) {
  Value value;
  value.name = std::move(name);
  value.shape = shape;
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  value.constant = MakeConstant({bytes, bytes + data.size() * sizeof(float)});
  return subgraph.AddValue(std::move(value));
}

}  // namespace munja::graph
