// Small models for the tests of external operators and delegates.
#ifndef MUNJA_TFLITE_API_EXTERNAL_TESTING_H_
#define MUNJA_TFLITE_API_EXTERNAL_TESTING_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/resolver.h"
#include "runtime/session.h"
#include "tensor/view.h"
#include "tensorflow/lite/c/common.h"
#include "tflite_api/external_operator.h"

namespace munja::compat::testing {

class ModelBuilder {
 public:
  ModelBuilder() { graph_.subgraphs.resize(1); }
  graph::ValueId Input(Shape shape, ElementType type = ElementType::kFloat32);
  graph::ValueId Constant(Shape shape, const std::vector<float>& data);
  graph::ValueId Constant(Shape shape, const std::vector<int32_t>& data);
  graph::ValueId Variable(Shape shape);
  // A tensor that the next node writes.
  graph::ValueId Tensor(Shape shape, ElementType type = ElementType::kFloat32);
  graph::Node& Builtin(std::string op, std::vector<graph::ValueId> inputs,
                       std::vector<graph::ValueId> outputs);
  graph::Node& Custom(std::string op, std::vector<graph::ValueId> inputs,
                      std::vector<graph::ValueId> outputs,
                      std::vector<uint8_t> options = {});
  void Output(graph::ValueId v) { sub().outputs.push_back(v); }
  graph::Subgraph& sub() { return graph_.subgraphs[0]; }
  graph::Graph& graph() { return graph_; }
  std::shared_ptr<const graph::Graph> Take() {
    return std::make_shared<const graph::Graph>(std::move(graph_));
  }

 private:
  graph::Graph graph_;
};

// Two convolutions and a mean around a floor, from a 1x4x4x1 image to 1x2:
// what the guideline delegate for CONV_2D and MEAN takes in two parts.
std::shared_ptr<const graph::Graph> ConvolutionModel();

// `name` -> registration, as custom operators beside the builtin ones.
std::shared_ptr<runtime::Resolver> ResolverWith(
    const std::string& name, const TfLiteRegistration& registration);

TensorView View(const std::vector<float>& data, Shape shape);
std::vector<float> Floats(const TensorView& view);

// Runs the session on one float input and gives its only output, or a text
// with the failure.
struct RunResult {
  std::vector<float> values;
  Shape shape;
  std::string error;
};
RunResult RunOn(runtime::Session& session, const std::vector<float>& data,
                Shape shape);

namespace internal {

template <class T>
graph::Constant Data(const std::vector<T>& data) {
  std::vector<uint8_t> bytes(data.size() * sizeof(T));
  if (!data.empty()) std::memcpy(bytes.data(), data.data(), bytes.size());
  return graph::MakeConstant(std::move(bytes));
}

inline graph::Value ValueOf(std::string name, Shape shape, ElementType type) {
  graph::Value value;
  value.name = std::move(name);
  value.shape = shape;
  value.type = type;
  return value;
}

}  // namespace internal

inline graph::ValueId ModelBuilder::Input(Shape shape, ElementType type) {
  const graph::ValueId v = Tensor(shape, type);
  sub().inputs.push_back(v);
  return v;
}

inline graph::ValueId ModelBuilder::Tensor(Shape shape, ElementType type) {
  return sub().AddValue(internal::ValueOf(
      "t" + std::to_string(sub().values.size()), shape, type));
}

inline graph::ValueId ModelBuilder::Constant(Shape shape,
                                             const std::vector<float>& data) {
  const graph::ValueId v = Tensor(shape);
  sub().values[static_cast<size_t>(v)].constant = internal::Data(data);
  return v;
}

inline graph::ValueId ModelBuilder::Constant(Shape shape,
                                             const std::vector<int32_t>& data) {
  const graph::ValueId v = Tensor(shape, ElementType::kInt32);
  sub().values[static_cast<size_t>(v)].constant = internal::Data(data);
  return v;
}

inline graph::ValueId ModelBuilder::Variable(Shape shape) {
  const graph::ValueId v = Tensor(shape);
  sub().values[static_cast<size_t>(v)].is_variable = true;
  return v;
}

inline graph::Node& ModelBuilder::Builtin(std::string op,
                                          std::vector<graph::ValueId> inputs,
                                          std::vector<graph::ValueId> outputs) {
  graph::Node& node = sub().nodes.emplace_back();
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

inline graph::Node& ModelBuilder::Custom(std::string op,
                                         std::vector<graph::ValueId> inputs,
                                         std::vector<graph::ValueId> outputs,
                                         std::vector<uint8_t> options) {
  graph::Node& node =
      Builtin(std::move(op), std::move(inputs), std::move(outputs));
  node.is_custom = true;
  node.custom_options = std::move(options);
  return node;
}

inline std::shared_ptr<const graph::Graph> ConvolutionModel() {
  ModelBuilder model;
  const graph::ValueId image = model.Input({1, 4, 4, 1});
  const auto convolve = [&](graph::ValueId in, int channels_in, float scale) {
    std::vector<float> weights(static_cast<size_t>(2 * channels_in));
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = scale * (static_cast<float>(i) + 1);
    const graph::ValueId out = model.Tensor({1, 4, 4, 2});
    graph::Node& node =
        model.Builtin("CONV_2D",
                      {in, model.Constant({2, 1, 1, channels_in}, weights),
                       model.Constant({2}, std::vector<float>{0.25f, -0.5f})},
                      {out});
    node.attributes.Set("padding", std::string("VALID"));
    node.attributes.Set("stride_w", int64_t{1});
    node.attributes.Set("stride_h", int64_t{1});
    return out;
  };
  const graph::ValueId first = convolve(image, 1, 0.5f);
  const graph::ValueId floor = model.Tensor({1, 4, 4, 2});
  model.Builtin("FLOOR", {first}, {floor});
  const graph::ValueId second = convolve(floor, 2, 0.25f);
  const graph::ValueId mean = model.Tensor({1, 2});
  model.Builtin("MEAN",
                {second, model.Constant({2}, std::vector<int32_t>{1, 2})},
                {mean});
  model.Output(mean);
  return model.Take();
}

inline std::shared_ptr<runtime::Resolver> ResolverWith(
    const std::string& name, const TfLiteRegistration& registration) {
  auto resolver = std::make_shared<runtime::Resolver>();
  resolver->Add(name, true, WrapRegistration(registration));
  return resolver;
}

inline TensorView View(const std::vector<float>& data, Shape shape) {
  TensorView view;
  view.shape = shape;
  view.data = const_cast<float*>(data.data());
  view.bytes = data.size() * sizeof(float);
  return view;
}

inline std::vector<float> Floats(const TensorView& view) {
  const auto* const data = view.as<float>();
  return {data, data + view.bytes / sizeof(float)};
}

inline RunResult RunOn(runtime::Session& session,
                       const std::vector<float>& data, Shape shape) {
  const TensorView input = View(data, shape);
  const auto outputs = session.Run({&input, 1});
  if (!outputs.ok())
    return {{}, Shape(), std::string(outputs.status().message())};
  const TensorView& output = outputs.value()[0];
  return {Floats(output), output.shape, ""};
}

// One custom operator between input and output.
inline std::shared_ptr<const graph::Graph> OneOperator(
    const std::string& name, Shape in, Shape out,
    std::vector<uint8_t> options = {}) {
  ModelBuilder model;
  const graph::ValueId x = model.Input(in);
  const graph::ValueId y = model.Tensor(out);
  model.Custom(name, {x}, {y}, std::move(options));
  model.Output(y);
  return model.Take();
}

}  // namespace munja::compat::testing

#endif  // MUNJA_TFLITE_API_EXTERNAL_TESTING_H_
