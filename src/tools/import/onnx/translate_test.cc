#include "import/onnx/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "import/onnx/testing.h"

namespace munja::importer::onnx {
namespace {

namespace proto = munja::onnx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Onnx, Convolution_WithPads) {
  File file({1, 1, -1, -1});
  file.Floats("w", {1, 1, 1, 2}, {1, 10});
  file.Floats("b", {1}, {0.5f});
  SetInts(file.Node("Conv", {"x", "w", "b"}, {"y"}), "pads", {0, 1, 0, 0});
  EXPECT_THAT(Evaluate(file, {1, 1, 2, 1}, {3, 4}), ElementsAre(30.5f, 43.5f));
}

TEST(Onnx, HalfWeights_BothStorages) {
  File file({1, 2});
  proto::TensorProto& raw = file.Floats("raw", {2}, {});
  raw.set_data_type(10);
  raw.set_raw_data(std::string("\x00\x3c\x00\xc0", 4));  // 1, -2
  proto::TensorProto& ints = file.Floats("ints", {2}, {});
  ints.set_data_type(10);
  ints.add_int32_data(0x3800);  // 0.5
  ints.add_int32_data(0x4400);  // 4
  file.Node("Mul", {"x", "raw"}, {"a"});
  SetInt(file.Node("Cast", {"a"}, {"b"}), "to", 10);
  file.Node("Add", {"b", "ints"}, {"y"});
  EXPECT_THAT(Evaluate(file, {1, 2}, {3, 5}), ElementsAre(3.5f, -6));
}

TEST(Onnx, BFloat16Weights_BothStorages) {
  File file({1, 2});
  proto::TensorProto& raw = file.Floats("raw", {2}, {});
  raw.set_data_type(16);
  raw.set_raw_data(std::string("\x80\x3f\x00\xc0", 4));  // 1, -2
  proto::TensorProto& ints = file.Floats("ints", {2}, {});
  ints.set_data_type(16);
  ints.add_int32_data(0x3f00);  // 0.5
  ints.add_int32_data(0x4080);  // 4
  file.Node("Mul", {"x", "raw"}, {"a"});
  file.Node("Add", {"a", "ints"}, {"y"});
  EXPECT_THAT(Evaluate(file, {1, 2}, {3, 5}), ElementsAre(3.5f, -6));
}

TEST(Onnx, FlattenByShapeArithmetic_IsReshape) {
  File file({-1, 2, 1, 1});
  file.Integers("zero", {0});
  file.Integers("one", {1});
  file.Integers("rest", {-1});
  file.Node("Shape", {"x"}, {"s"});
  file.Node("Slice", {"s", "zero", "one"}, {"n"});
  SetInt(file.Node("Concat", {"n", "rest"}, {"to"}), "axis", 0);
  file.Node("Reshape", {"x", "to"}, {"y"});
  Dims shape;
  EXPECT_THAT(Evaluate(file, {1, 1, 1, 2}, {3, 4}, &shape), ElementsAre(3, 4));
  EXPECT_EQ(shape, (Dims{1, 2}));
  const auto model = file.Import();
  ASSERT_TRUE(model.ok());
  for (const graph::Node& n : model->graph.main().nodes)
    EXPECT_EQ(n.op, "RESHAPE");
}

TEST(Onnx, Batch_IsOneByDefault) {
  File file({-1, 3, -1, 8});
  file.Node("Relu", {"x"}, {"y"});
  auto model = file.Import();
  ASSERT_TRUE(model.ok());
  const auto input = [&] {
    const graph::Subgraph& g = model->graph.main();
    return g.values[g.inputs[0]].shape;
  };
  EXPECT_EQ(input(), Shape({1, -1, 8, 3}));
  ImportOptions options;
  options.dynamic_batch = true;
  model = file.Import(options);
  EXPECT_EQ(input(), Shape({-1, -1, 8, 3}));
  options.input_shapes["x"] = {2, 4, 8, 3};
  model = file.Import(options);
  EXPECT_EQ(input(), Shape({2, 4, 8, 3}));
}

TEST(Onnx, Gemm_EveryFactor) {
  File file({1, 2});
  file.Floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  file.Floats("c", {3}, {1, 1, 1});
  proto::NodeProto& node = file.Node("Gemm", {"x", "w", "c"}, {"y"});
  SetInt(node, "transB", 1);
  for (const auto& [name, value] :
       {std::pair{"alpha", 2.0f}, {"beta", 10.0f}}) {
    proto::AttributeProto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(1);
    a->set_f(value);
  }
  EXPECT_THAT(Evaluate(file, {1, 2}, {1, 10}), ElementsAre(52, 96, 140));
}

TEST(Onnx, Convolution_OneDimensional) {
  File file({1, 1, -1});
  file.Floats("w", {1, 1, 3}, {1, 1, 1});
  SetInts(file.Node("Conv", {"x", "w"}, {"y"}), "pads", {1, 1});
  EXPECT_THAT(Evaluate(file, {1, 1, 3}, {1, 2, 4}), ElementsAre(3, 7, 6));
}

// All axes from this one on count as one.
TEST(Onnx, OldSoftmax_OverSeveralAxes) {
  File file({1, 2, 2}, 11);
  file.Node("Softmax", {"x"}, {"y"});
  EXPECT_THAT(Evaluate(file, {1, 2, 2}, {7, 7, 7, 7}),
              ElementsAre(0.25f, 0.25f, 0.25f, 0.25f));
}

TEST(Onnx, MissingOperators_AreAllNamed) {
  File file({1, 2});
  file.Node("ImageDecoder", {"x"}, {"a"});
  file.Node("StringSplit", {"a"}, {"b"});
  file.Node("Mystery", {"b"}, {"y"}).set_domain("com.example");
  const auto model = file.Import();
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
  EXPECT_THAT(
      std::string(model.status().message()),
      HasSubstr("ImageDecoder (1) StringSplit (1) com.example.Mystery (1)"));
}

TEST(Onnx, BrokenFiles_AreRefused) {
  const std::vector<std::function<void(File&)>> breakers = {
      [](File& f) { f.graph().mutable_node(0)->set_input(0, "no_value"); },
      [](File& f) { f.graph().mutable_node(0)->set_output(0, "x"); },
      [](File& f) { f.graph().mutable_output(0)->set_name("no_value"); },
      [](File& f) { f.graph().mutable_initializer(0)->add_float_data(1); },
      [](File& f) { f.graph().mutable_initializer(0)->set_dims(0, -2); },
      [](File& f) {
        f.graph().mutable_initializer(0)->set_dims(0, int64_t{1} << 62);
      },
      [](File& f) { f.graph().mutable_initializer(0)->set_data_location(1); },
      [](File& f) { f.graph().mutable_initializer(0)->set_data_type(8); },
      [](File& f) { *f.graph().add_initializer() = f.graph().initializer(0); },
      [](File& f) { f.graph().clear_output(); },
  };
  for (size_t i = 0; i < breakers.size(); ++i) {
    SCOPED_TRACE(i);
    File file({1, 2});
    file.Floats("c", {2}, {1, 2});
    file.Node("Add", {"x", "c"}, {"y"});
    ASSERT_TRUE(file.Import().ok());
    breakers[i](file);
    EXPECT_FALSE(file.Import().ok());
  }
  EXPECT_FALSE(ImportOnnx({}, {}).ok());
  const uint8_t noise[] = {0xff, 0xff, 0xff, 0x01, 0x02};
  EXPECT_FALSE(ImportOnnx(noise, {}).ok());
}

TEST(Onnx, Folding_IsBounded) {
  File file({1, 2});
  file.Floats("c0", {1, 2}, {1, 2});
  for (int i = 0; i < 40; ++i)
    SetInt(
        file.Node("Concat", {"c" + std::to_string(i), "c" + std::to_string(i)},
                  {"c" + std::to_string(i + 1)}),
        "axis", 0);
  file.Node("Add", {"x", "c40"}, {"y"});
  EXPECT_EQ(file.Import().status().code(), Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::importer::onnx
