#include "tflite_api/testing.h"

#include <cstdio>
#include <utility>

#include "tflite/write.h"

namespace munja::compat::testing {

void Reports::Take(void* self, const char* format, va_list args) {
  char line[1024];
  std::vsnprintf(line, sizeof(line), format, args);
  static_cast<Reports*>(self)->text += std::string(line) + "\n";
}

graph::ValueId GraphBuilder::Value(Shape shape, ElementType type) {
  graph::Value value;
  value.name = "t" + std::to_string(sub().values.size());
  value.type = type;
  value.shape = shape;
  return sub().AddValue(std::move(value));
}

graph::ValueId GraphBuilder::Input(Shape shape) {
  const graph::ValueId v = Value(shape);
  sub().inputs.push_back(v);
  return v;
}

graph::Node& GraphBuilder::Node(std::string op,
                                std::vector<graph::ValueId> inputs,
                                std::vector<graph::ValueId> outputs) {
  graph::Node node;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  sub().nodes.push_back(std::move(node));
  return sub().nodes.back();
}

std::vector<uint8_t> GraphBuilder::Write() const {
  auto bytes = tflite::Write(graph_);
  return bytes.ok() ? std::move(*bytes) : std::vector<uint8_t>();
}

std::vector<uint8_t> DoubleModel(Shape shape) {
  GraphBuilder builder;
  const auto x = builder.Input(shape);
  const auto y = builder.Value(shape);
  builder.Node("ADD", {x, x}, {y});
  builder.Output(y);
  return builder.Write();
}

std::vector<uint8_t> CustomModel(std::string op, Shape shape,
                                 std::vector<uint8_t> options) {
  GraphBuilder builder;
  const auto x = builder.Input(shape);
  const auto y = builder.Value(shape);
  graph::Node& node = builder.Node(std::move(op), {x}, {y});
  node.is_custom = true;
  node.custom_options = std::move(options);
  builder.Output(y);
  return builder.Write();
}

Options MakeOptions(Reports* reports) {
  Options options(TfLiteInterpreterOptionsCreate());
  TfLiteInterpreterOptionsSetErrorReporter(options.get(), Reports::Take,
                                           reports);
  return options;
}

Model Load(const std::vector<uint8_t>& bytes, Reports* reports) {
  return Model(TfLiteModelCreateWithErrorReporter(
      bytes.data(), bytes.size(), reports ? Reports::Take : nullptr, reports));
}

bool Fill(TfLiteTensor* tensor, const std::vector<float>& values) {
  return TfLiteTensorCopyFromBuffer(tensor, values.data(),
                                    values.size() * sizeof(float)) == kTfLiteOk;
}

std::vector<float> Floats(const TfLiteTensor* tensor) {
  std::vector<float> values(TfLiteTensorByteSize(tensor) / sizeof(float));
  if (TfLiteTensorCopyToBuffer(tensor, values.data(),
                               values.size() * sizeof(float)) != kTfLiteOk)
    values.clear();
  return values;
}

}  // namespace munja::compat::testing
