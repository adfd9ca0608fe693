// Network: graphs for tests that run them with the real operators.
#ifndef MUNJA_RUNTIME_TEST_NETWORK_H_
#define MUNJA_RUNTIME_TEST_NETWORK_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace munja::runtime::testing {

using graph::AttributeValue;
using graph::ValueId;

template <class T>
graph::Constant BytesOf(const std::vector<T>& data) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  return graph::MakeConstant({bytes, bytes + data.size() * sizeof(T)});
}

class Network {
 public:
  ValueId Value(Shape shape, ElementType type = ElementType::kFloat32) {
    graph::Value value;
    value.name = "v" + std::to_string(sub().values.size());
    value.shape = shape;
    value.type = type;
    return sub().AddValue(std::move(value));
  }
  ValueId Quantized(Shape shape, ElementType type, float scale, int64_t zero) {
    const ValueId v = Value(shape, type);
    sub().values[v].quantization = {{scale}, {zero}, 0};
    return v;
  }
  ValueId Floats(Shape shape) {
    std::vector<float> data(static_cast<size_t>(shape.elements()));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = std::sin(static_cast<float>(i * 7 + sub().values.size()));
    const ValueId v = Value(shape);
    sub().values[v].constant = BytesOf(data);
    return v;
  }
  ValueId Ints(const std::vector<int32_t>& data) {
    return Ints(data, Shape{static_cast<int32_t>(data.size())});
  }
  ValueId Ints(const std::vector<int32_t>& data, Shape shape) {
    const ValueId v = Value(shape, ElementType::kInt32);
    sub().values[v].constant = BytesOf(data);
    return v;
  }
  ValueId Add(std::string op, std::vector<ValueId> inputs, ValueId out,
              std::vector<std::pair<std::string, AttributeValue>> attributes) {
    graph::Node node;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.outputs = {out};
    for (auto& [name, value] : attributes)
      node.attributes.Set(name, std::move(value));
    sub().nodes.push_back(std::move(node));
    return out;
  }
  ValueId Add(
      std::string op, std::vector<ValueId> inputs, Shape out,
      std::vector<std::pair<std::string, AttributeValue>> attributes = {}) {
    return Add(std::move(op), std::move(inputs), Value(out),
               std::move(attributes));
  }
  graph::Subgraph& sub() {
    if (graph_->subgraphs.empty()) graph_->subgraphs.resize(1);
    return graph_->subgraphs[0];
  }
  std::shared_ptr<const graph::Graph> graph() const { return graph_; }

 private:
  std::shared_ptr<graph::Graph> graph_ = std::make_shared<graph::Graph>();
};

}  // namespace munja::runtime::testing

#endif  // MUNJA_RUNTIME_TEST_NETWORK_H_
