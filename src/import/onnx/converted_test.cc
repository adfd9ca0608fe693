// What converted models compute, by the runtime: the numbers here are worked
// out by hand from the ONNX specification.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "import/onnx/testing.h"
#include "runtime/session.h"

namespace munja::foreign::onnx {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

// The first output of the .tflite model; tensors of rank 4 are NHWC.
std::vector<float> RunTflite(const File& file, const Shape& shape,
                             std::vector<float> x, Shape* result = nullptr) {
  auto model = file.Import();
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return {};
  auto session = runtime::CreateSession(
      std::make_shared<graph::Graph>(std::move(model->graph)), {});
  EXPECT_TRUE(session.ok()) << session.status().message();
  if (!session.ok()) return {};
  TensorView view;
  view.type = ElementType::kFloat32;
  view.shape = shape;
  view.data = x.data();
  view.bytes = x.size() * sizeof(float);
  const auto y = (*session)->Run({&view, 1});
  EXPECT_TRUE(y.ok()) << y.status().message();
  if (!y.ok()) return {};
  if (result != nullptr) *result = (*y)[0].shape;
  const float* numbers = (*y)[0].as<float>();
  return {numbers, numbers + (*y)[0].bytes / sizeof(float)};
}

std::string Refusal(const File& file) {
  const auto model = file.Import();
  EXPECT_FALSE(model.ok());
  if (model.ok()) return "";
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
  return std::string(model.status().message());
}

// [[1, 2], [3, 4]] * x + c, where x and the sum are matrices.
TEST(ConvertedOnnx, BiasBehindAConstantLeftOperand) {
  const std::vector<float> expected = {1 * 5 + 2 * 7 + 10, 1 * 6 + 2 * 8 + 20,
                                       3 * 5 + 4 * 7 + 10, 3 * 6 + 4 * 8 + 20};
  for (const bool gemm : {true, false}) {
    File file({2, 2});
    file.Floats("a", {2, 2}, {1, 2, 3, 4});
    file.Floats("c", {2}, {10, 20});
    if (gemm) {
      file.Node("Gemm", {"a", "x", "c"}, {"y"});
    } else {
      file.Node("MatMul", {"a", "x"}, {"product"});
      file.Node("Add", {"product", "c"}, {"y"});
    }
    EXPECT_EQ(RunTflite(file, {2, 2}, {5, 6, 7, 8}), expected) << gemm;
  }
}

// Two numbers, windows of one with a stride of two: rounded up there would be
// a second window, which would begin behind the input.
TEST(ConvertedOnnx, WindowsOfCeilModeBeginInsideTheInput) {
  for (const char* op : {"MaxPool", "AveragePool"}) {
    File file({1, 1, 2, 2});
    munja::onnx::NodeProto& node = file.Node(op, {"x"}, {"y"});
    SetInts(node, "kernel_shape", {1, 1});
    SetInts(node, "strides", {2, 2});
    SetInt(node, "ceil_mode", 1);
    Shape shape;
    EXPECT_THAT(RunTflite(file, {1, 2, 2, 1}, {-1, -2, -3, -4}, &shape),
                ElementsAre(-1))
        << op;
    EXPECT_EQ(shape, (Shape{1, 1, 1, 1})) << op;
  }
  // One that reaches beyond the input stays.
  File file({1, 1, 1, 5});
  munja::onnx::NodeProto& node = file.Node("MaxPool", {"x"}, {"y"});
  SetInts(node, "kernel_shape", {1, 2});
  SetInts(node, "strides", {1, 2});
  SetInt(node, "ceil_mode", 1);
  EXPECT_THAT(RunTflite(file, {1, 1, 5, 1}, {-5, -4, -3, -2, -1}),
              ElementsAre(-4, -2, -1));
}

// To one element, pytorch_half_pixel takes the first one and half_pixel what
// lies in the middle.
TEST(ConvertedOnnx, ResizeToOneElementIsNotTakenForAnother) {
  const auto make = [](const char* coordinates, const char* policy) {
    File file({1, 1, 1, 4});
    file.Integers("sizes", {1, 1, 1, 1});
    munja::onnx::NodeProto& node =
        file.Node("Resize", {"x", "", "", "sizes"}, {"y"});
    SetText(node, "mode", "linear");
    SetText(node, "coordinate_transformation_mode", coordinates);
    if (policy != nullptr) SetText(node, "keep_aspect_ratio_policy", policy);
    return file;
  };
  EXPECT_THAT(
      RunTflite(make("half_pixel", nullptr), {1, 1, 4, 1}, {1, 2, 4, 8}),
      ElementsAre(3));
  EXPECT_THAT(Refusal(make("pytorch_half_pixel", nullptr)),
              HasSubstr("pytorch_half_pixel"));
  EXPECT_THAT(Refusal(make("half_pixel", "not_larger")),
              HasSubstr("keep_aspect_ratio_policy"));
}

TEST(ConvertedOnnx, DropoutOfTrainingIsRefused) {
  for (const bool training : {true, false}) {
    File file({1, 2});
    file.Floats("ratio", {}, {0.5f});
    munja::onnx::TensorProto& mode = file.Floats("training", {}, {});
    mode.set_data_type(9);
    mode.add_int32_data(training);
    file.Node("Dropout", {"x", "ratio", "training"}, {"kept"});
    file.Node("Neg", {"kept"}, {"y"});
    if (training)
      EXPECT_THAT(Refusal(file), HasSubstr("training_mode"));
    else
      EXPECT_THAT(RunTflite(file, {1, 2}, {1, 2}), ElementsAre(-1, -2));
  }
}

TEST(ConvertedOnnx, OperatorSetsAreThoseThatAreKnown) {
  for (const int64_t opset : {6, 22}) {
    File file({1, 2}, opset);
    file.Node("Relu", {"x"}, {"y"});
    EXPECT_THAT(Refusal(file), HasSubstr(std::to_string(opset)));
  }
  File file({1, 2}, 21);
  file.Node("Relu", {"x"}, {"y"});
  EXPECT_TRUE(file.Import().ok());
}

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

// One hidden unit whose gates all see x, none what was before.
double LastOf(const std::vector<float>& x) {
  double cell = 0;
  for (const float v : x) cell = Sigmoid(v) * (cell + std::tanh(v));
  return Sigmoid(x.back()) * std::tanh(cell);
}

File Lstm(int64_t steps, int64_t batch, const char* direction) {
  File file({steps, batch, 1});
  const int64_t d = direction == std::string("bidirectional") ? 2 : 1;
  file.Floats("w", {d, 4, 1}, std::vector<float>(4 * d, 1));
  file.Floats("r", {d, 4, 1}, std::vector<float>(4 * d, 0));
  munja::onnx::NodeProto& node = file.Node("LSTM", {"x", "w", "r"}, {"", "y"});
  SetText(node, "direction", direction);
  SetInt(node, "hidden_size", 1);
  munja::onnx::AttributeProto* a = node.add_attribute();
  a->set_name("activations");
  a->set_type(8);
  for (int64_t i = 0; i < d; ++i)
    for (const char* name : {"Sigmoid", "Tanh", "Tanh"}) a->add_strings(name);
  return file;
}

// Y_h alone is wanted, and the activations are spelled out.
TEST(ConvertedOnnx, LastStateOfAnLstm) {
  const std::vector<float> x = {0.5f, -1.5f, 2};
  const float forward = static_cast<float>(LastOf(x));
  const float backward = static_cast<float>(LastOf({2, -1.5f, 0.5f}));
  const auto near = [](std::vector<float> v) {
    return Pointwise(FloatNear(1e-5f), v);
  };
  EXPECT_THAT(RunTflite(Lstm(3, 1, "forward"), {3, 1, 1}, x), near({forward}));
  EXPECT_THAT(RunTflite(Lstm(3, 1, "reverse"), {3, 1, 1}, x), near({backward}));
  EXPECT_THAT(RunTflite(Lstm(3, 1, "bidirectional"), {3, 1, 1}, x),
              near({forward, backward}));
  // Any number of steps; the batch that is left open becomes 1.
  const File open = Lstm(-1, -1, "forward");
  const auto model = open.Import();
  ASSERT_TRUE(model.ok()) << model.status().message();
  const graph::Subgraph& main = model->graph.main();
  EXPECT_EQ(main.values[main.inputs[0]].shape, (Shape{kDynamic, 1, 1}));
  EXPECT_THAT(RunTflite(open, {3, 1, 1}, x), near({forward}));
  EXPECT_THAT(RunTflite(open, {1, 1, 1}, {0.25f}),
              near({static_cast<float>(LastOf({0.25f}))}));
}

}  // namespace
}  // namespace munja::foreign::onnx
