#include "graph/passes/testing.h"

#include <cstring>
#include <numeric>

#include "tensor/half.h"

namespace munja::graph::testing {
namespace {

template <class T>
Value ConstantOf(std::string name, Shape shape, ElementType type,
                 const std::vector<T>& data) {
  Value value;
  value.name = std::move(name);
  value.shape = shape;
  value.type = type;
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  value.constant = MakeConstant({bytes, bytes + data.size() * sizeof(T)});
  return value;
}

}  // namespace

ValueId GraphBuilder::Input(std::string name, Shape shape, ElementType type) {
  Value value;
  value.name = std::move(name);
  value.shape = shape;
  value.type = type;
  const ValueId v = sub().AddValue(std::move(value));
  sub().inputs.push_back(v);
  return v;
}

ValueId GraphBuilder::Floats(std::string name, Shape shape,
                             const std::vector<float>& data) {
  return sub().AddValue(
      ConstantOf(std::move(name), shape, ElementType::kFloat32, data));
}

ValueId GraphBuilder::Halves(std::string name, Shape shape,
                             const std::vector<float>& data) {
  std::vector<uint16_t> halves;
  for (const float x : data) halves.push_back(FloatToHalf(x));
  return sub().AddValue(
      ConstantOf(std::move(name), shape, ElementType::kFloat16, halves));
}

ValueId GraphBuilder::Ints(std::string name, Shape shape,
                           const std::vector<int32_t>& data) {
  return sub().AddValue(
      ConstantOf(std::move(name), shape, ElementType::kInt32, data));
}

ValueId GraphBuilder::Add(std::string name, std::string op,
                          std::vector<ValueId> inputs, const Options& options) {
  Value value;
  value.name = std::move(name);
  // As files have it: the rank is known, the sizes come with the input.
  value.shape = Shape{kDynamic, kDynamic, kDynamic, kDynamic};
  Node node;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  for (const auto& [key, option] : options) node.attributes.Set(key, option);
  node.outputs = {sub().AddValue(std::move(value))};
  sub().nodes.push_back(std::move(node));
  return sub().nodes.back().outputs[0];
}

ValueId GraphBuilder::Conv(std::string name, ValueId x, int in, int out,
                           const Options& options) {
  std::vector<float> bias(out);
  std::iota(bias.begin(), bias.end(), 0.0f);
  const ValueId w = Floats(name + "_w", {out, 3, 3, in},
                           std::vector<float>(out * 9 * in, 1.0f));
  const ValueId b = Floats(name + "_b", {out}, bias);
  Options all = {{"padding", std::string("SAME")}};
  all.insert(all.end(), options.begin(), options.end());
  return Add(std::move(name), "CONV_2D", {x, w, b}, all);
}

std::string Listing(const Subgraph& subgraph) {
  const auto names = [&](const std::vector<ValueId>& values) {
    std::string text;
    for (const ValueId v : values) {
      if (!text.empty()) text += ", ";
      text += v == kNoValue ? "-" : subgraph.values[v].name;
    }
    return text;
  };
  std::string text;
  for (const Node& node : subgraph.nodes) {
    text +=
        names(node.outputs) + " = " + node.op + "(" + names(node.inputs) + ")";
    for (const auto& [name, value] : node.attributes)
      text += " " + name + "=" + ToString(value);
    text += "\n";
  }
  return text;
}

std::string After(GraphBuilder& builder, std::string_view pass,
                  const PassOptions& options) {
  const auto run = [&](std::string_view name) -> Status {
    for (const Pass& row : AllPasses()) {
      if (row.name == name)
        return std::move(row.run(builder.sub(), options)).TakeStatus();
    }
    return NotFound("no pass " + std::string(name));
  };
  for (const std::string_view name : {pass, std::string_view("dead_code")}) {
    const Status status = run(name);
    if (!status.ok()) return std::string(status.message());
  }
  return Listing(builder.sub());
}

std::vector<float> DataOf(const Subgraph& subgraph, std::string_view name) {
  for (const Value& value : subgraph.values) {
    if (value.name != name || !value.constant) continue;
    std::vector<float> data(value.constant->bytes.size() / sizeof(float));
    std::memcpy(data.data(), value.constant->bytes.data(),
                data.size() * sizeof(float));
    return data;
  }
  return {};
}

}  // namespace munja::graph::testing
