// File structure besides operators: functions, branches, external data, older
// names, the order of axes. Expected values are worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "import/onnx/run_converted.h"

namespace munja::importer::onnx {
namespace {

namespace proto = munja::onnx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

proto::FunctionProto& AddFunction(File& file, const char* name,
                                  std::vector<std::string> in,
                                  std::vector<std::string> out) {
  proto::FunctionProto& f = *file.model().add_functions();
  f.set_name(name);
  f.set_domain("mine");
  for (const std::string& i : in) f.add_input(i);
  for (const std::string& o : out) f.add_output(o);
  return f;
}

// scaled(a, b) = (a * alpha * alpha + b, a); alpha is 2 unless it is given.
File WithFunction() {
  File file({1, 2});
  proto::FunctionProto& scaled =
      AddFunction(file, "scaled", {"a", "b"}, {"sum", "a"});
  proto::AttributeProto* alpha = scaled.add_attribute_proto();
  alpha->set_name("alpha");
  alpha->set_type(1);
  alpha->set_f(2);
  proto::AttributeProto* value =
      File::AddNodeTo(scaled, "Constant", {}, {"factor"}).add_attribute();
  value->set_name("value_float");
  value->set_type(1);
  value->set_ref_attr_name("alpha");
  // The inner function has a value of the same name.
  File::AddNodeTo(scaled, "times", {"a", "factor"}, {"product"})
      .set_domain("mine");
  File::AddNodeTo(scaled, "times", {"product", "factor"}, {"twice"})
      .set_domain("mine");
  File::AddNodeTo(scaled, "Add", {"twice", "b"}, {"sum"});
  proto::FunctionProto& times =
      AddFunction(file, "times", {"p", "q"}, {"product"});
  File::AddNodeTo(times, "Mul", {"p", "q"}, {"inner"});
  File::AddNodeTo(times, "Identity", {"inner"}, {"product"});
  return file;
}

TEST(OnnxStructure, Functions_AreInlined) {
  File file = WithFunction();
  file.Floats("one", {2}, {1, 1});
  file.Node("scaled", {"x", "one"}, {"first", "same"}).set_domain("mine");
  proto::NodeProto& second = file.Node("scaled", {"first", "same"}, {"y"});
  second.set_domain("mine");
  SetFloat(second, "alpha", 10);
  // first = 4 x + 1, y = 100 first + x.
  EXPECT_THAT(RunTflite(file, {1, 2}, {1, 2}), ElementsAre(501, 902));
}

TEST(OnnxStructure, Function_UsesItsOwnOperatorSet) {
  File file({1, 2, 2}, 13);
  proto::FunctionProto& f = AddFunction(file, "old", {"a"}, {"b"});
  f.add_opset_import()->set_version(11);
  File::AddNodeTo(f, "Softmax", {"a"}, {"b"});  // Over axes 1 and 2 together.
  file.Node("old", {"x"}, {"y"}).set_domain("mine");
  EXPECT_THAT(RunTflite(file, {1, 2, 2}, {7, 7, 7, 7}),
              ElementsAre(0.25f, 0.25f, 0.25f, 0.25f));
}

// An output that is the input, and two that are one value: each keeps its name.
TEST(OnnxStructure, OutputsInOtherWords_AreTensorsOfTheirOwn) {
  for (const bool transpose : {true, false}) {
    SCOPED_TRACE(transpose);
    File file({1, 2});
    const auto same = [&](const char* from, const char* to) {
      if (transpose)
        SetInts(file.Node("Transpose", {from}, {to}), "perm", {0, 1});
      else
        file.Node("Identity", {from}, {to});
    };
    same("x", "y");
    file.Node("Neg", {"x"}, {"negative"});
    same("negative", "again");
    for (const char* name : {"negative", "again"})
      file.graph().add_output()->set_name(name);
    auto model = file.Import();
    ASSERT_TRUE(model.ok()) << model.status().message();
    const std::vector<std::string> names = {"y", "negative", "again"};
    const graph::Subgraph& main = model->graph.main();
    ASSERT_EQ(main.outputs.size(), names.size());
    EXPECT_EQ(main.values[main.inputs[0]].name, "x");
    for (size_t i = 0; i < names.size(); ++i)
      EXPECT_EQ(main.values[main.outputs[i]].name, names[i]);
    const auto session = runtime::CreateSession(
        std::make_shared<graph::Graph>(std::move(model->graph)), {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    std::vector<float> x = {1, -2};
    TensorView view;
    view.type = ElementType::kFloat32;
    view.shape = {1, 2};
    view.data = x.data();
    view.bytes = x.size() * sizeof(float);
    const auto outputs = (*session)->Run({&view, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    ASSERT_EQ(outputs->size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      const float* numbers = (*outputs)[i].as<float>();
      EXPECT_EQ(numbers[0], i == 0 ? 1 : -1) << names[i];
      EXPECT_EQ(numbers[1], i == 0 ? -2 : 2) << names[i];
    }
  }
}

TEST(OnnxStructure, RecursiveFunctions_AreRefused) {
  File file({1, 2});
  proto::FunctionProto& f = AddFunction(file, "again", {"a"}, {"b"});
  File::AddNodeTo(f, "again", {"a"}, {"c"}).set_domain("mine");
  File::AddNodeTo(f, "again", {"c"}, {"b"}).set_domain("mine");
  file.Node("again", {"x"}, {"y"}).set_domain("mine");
  const auto model = file.Import();
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Code::kMalformed);
}

// The branch that is not taken may hold what cannot be imported.
TEST(OnnxStructure, ConstantCondition_TakesItsBranch) {
  for (const bool condition : {true, false}) {
    File file({1, 2});
    proto::TensorProto& c = file.Floats("c", {}, {});
    c.set_data_type(9);
    c.add_int32_data(condition);
    file.Floats("two", {1}, {2});
    proto::NodeProto& node = file.Node("If", {"c"}, {"out"});
    for (const bool yes : {true, false}) {
      proto::AttributeProto* a = node.add_attribute();
      a->set_name(yes ? "then_branch" : "else_branch");
      a->set_type(5);
      proto::GraphProto& branch = *a->mutable_g();
      if (yes != condition) {
        File::AddNodeTo(branch, "ImageDecoder", {"x"}, {"scaled"});
      } else {
        File::AddNodeTo(branch, "Mul", {"x", "two"}, {"scaled"});
      }
      branch.add_output()->set_name("scaled");
    }
    // The name was the branch's own.
    file.Node("Neg", {"out"}, {"scaled"});
    file.Node("Add", {"scaled", "x"}, {"y"});
    EXPECT_THAT(RunTflite(file, {1, 2}, {3, 5}), ElementsAre(-3, -5));
  }
}

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "/onnx-structure") {
    std::filesystem::create_directories(path_ + "/data");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

void Refer(proto::TensorProto* t,
           std::vector<std::pair<std::string, std::string>> entries) {
  t->clear_float_data();
  t->clear_external_data();
  t->set_data_location(1);
  for (const auto& [key, value] : entries) {
    proto::StringStringEntryProto* e = t->add_external_data();
    e->set_key(key);
    e->set_value(value);
  }
}

TEST(OnnxStructure, ExternalData_IsRead) {
  const Folder folder;
  const float numbers[] = {1, 2, 30, 40};
  std::string bytes(sizeof numbers, '\0');
  std::memcpy(bytes.data(), numbers, sizeof numbers);
  folder.Write("data/weights.bin", bytes);
  File file({1, 2});
  file.Floats("w", {2}, {});
  file.Node("Add", {"x", "w"}, {"y"});
  proto::TensorProto* w = file.graph().mutable_initializer(0);
  const auto read = [&] {
    return Import(folder.Write("model.onnx", file.bytes()), {});
  };
  Refer(w,
        {{"location", "data/weights.bin"}, {"offset", "8"}, {"length", "8"}});
  auto model = read();
  ASSERT_TRUE(model.ok()) << model.status().message();
  const Tensor x = Tensor::Floats({1, 2}, {1, 1});
  const auto y = RunReference(*model, {&x, 1});
  ASSERT_TRUE(y.ok());
  EXPECT_THAT((*y)[0].floats, ElementsAre(31, 41));
  // Without the folder there is nothing to read.
  EXPECT_THAT(Refusal(file), HasSubstr("tensor 'w': is in an external file"));

  using Entries = std::vector<std::pair<std::string, std::string>>;
  for (const Entries& wrong : {
           Entries{{"location", "../weights.bin"}},
           Entries{{"location", "/etc/passwd"}},
           Entries{{"location", "absent.bin"}},
           Entries{{"location", "data/weights.bin"}},
           Entries{{"location", "data/weights.bin"}, {"offset", "12"}},
           Entries{{"location", "data/weights.bin"}, {"offset", "-1"}},
           Entries{{"location", "data/weights.bin"},
                   {"offset", "16"},
                   {"length", "8"}},
           Entries{{"location", "data/weights.bin"},
                   {"offset", "18446744073709551615"},
                   {"length", "8"}},
           Entries{{"offset", "8"}},
       }) {
    Refer(w, wrong);
    model = read();
    ASSERT_FALSE(model.ok());
    EXPECT_THAT(std::string(model.status().message()), HasSubstr("'w'"));
  }
}

// Operands of other sizes only where broadcast says so, from `axis` on.
TEST(OnnxStructure, SetSixBroadcast_IsAlignedByAxis) {
  for (const bool broadcast : {true, false}) {
    File file({1, 2, 3}, 6);
    file.Floats("b", {2}, {10, 20});
    proto::NodeProto& node = file.Node("Add", {"x", "b"}, {"y"});
    SetInt(node, "axis", 1);
    SetInt(node, "broadcast", broadcast);
    if (broadcast) {
      EXPECT_THAT(RunTflite(file, {1, 2, 3}, {1, 2, 3, 4, 5, 6}),
                  ElementsAre(11, 12, 13, 24, 25, 26));
    } else {
      EXPECT_FALSE(file.Import().ok());
    }
  }
  File slopes({1, 2, 1, 2}, 6);
  slopes.Floats("s", {2}, {10, 100});
  slopes.Node("PRelu", {"x", "s"}, {"y"});
  EXPECT_THAT(RunTflite(slopes, {1, 1, 2, 2}, {1, -1, -2, -3}),
              ElementsAre(1, -100, -20, -300));
  File trained({1, 2}, 6);
  trained.Node("Dropout", {"x"}, {"y"});
  EXPECT_THAT(Refusal(trained), HasSubstr("is_test"));
}

TEST(OnnxStructure, KeepLayout_KeepsAxisOrder) {
  File file({1, 2, 1, 2});
  file.Floats("w", {1, 2, 1, 1}, {1, 10});
  file.Node("Conv", {"x", "w"}, {"sum"});
  SetInt(file.Node("Concat", {"x", "sum"}, {"y"}), "axis", 1);
  ImportOptions options;
  options.keep_layout = true;
  Shape shape;
  EXPECT_THAT(RunTflite(file, {1, 2, 1, 2}, {1, 2, 3, 4}, &shape, options),
              ElementsAre(1, 2, 3, 4, 31, 42));
  EXPECT_EQ(shape, Shape({1, 3, 1, 2}));
  EXPECT_THAT(RunTflite(file, {1, 1, 2, 2}, {1, 3, 2, 4}, &shape),
              ElementsAre(1, 3, 31, 2, 4, 42));
  EXPECT_EQ(shape, Shape({1, 1, 2, 3}));
  options.input_shapes["x"] = {1, 2, 3, 2};
  const auto model = file.Import(options);
  ASSERT_TRUE(model.ok());
  const graph::Subgraph& main = model->graph.main();
  EXPECT_EQ(main.values[main.inputs[0]].shape, Shape({1, 2, 3, 2}));
}

// A switch and a scale that are inputs of the file become numbers of the model.
TEST(OnnxStructure, Input_BoundToConstant) {
  File file({1, 3});
  const auto input = [&](const char* name, int32_t type, int64_t size) {
    auto* info = file.graph().add_input();
    info->set_name(name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    if (size != 0) tensor->mutable_shape()->add_dim()->set_dim_value(size);
  };
  input("train", 9, 0);
  input("scale", 1, 3);
  file.Node("Mul", {"x", "scale"}, {"scaled"});
  file.Node("Where", {"train", "x", "scaled"}, {"y"});
  const auto run = [&](std::map<std::string, double> values) {
    ImportOptions options;
    options.input_values = std::move(values);
    return RunTflite(file, Shape{1, 3}, {1, 2, 3}, nullptr, options);
  };
  EXPECT_THAT(run({{"train", 0}, {"scale", 2.5}}),
              ::testing::ElementsAre(2.5f, 5, 7.5f));
  EXPECT_THAT(run({{"train", 1}, {"scale", 2.5}}),
              ::testing::ElementsAre(1, 2, 3));
  ImportOptions options;
  options.input_values = {{"train", 0.5}};
  EXPECT_EQ(file.Import(options).status().code(), Code::kInvalidArgument);
  options.input_values = {{"scaled", 1}};
  EXPECT_EQ(file.Import(options).status().code(), Code::kNotFound);
}

// Expensive operators are not folded while the file is read, so operators on
// constants alone remain: binding an input to a constant makes them.
TEST(OnnxStructure, ExpensiveFolding_IsSkipped) {
  const auto of = [](std::vector<int64_t> dims,
                     const std::function<void(File&)>& add, Shape shape) {
    File file(std::move(dims));
    file.Floats("c", {1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    add(file);
    file.Node("Add", {"x", "part"}, {"y"});
    return RunTflite(
        file, shape,
        std::vector<float>(static_cast<size_t>(shape.elements()), 0.5f));
  };
  EXPECT_THAT(of(
                  {1, 1, 1, 2},
                  [](File& f) {
                    auto& node = f.Node("MaxPool", {"c"}, {"part"});
                    SetInts(node, "kernel_shape", {2, 2});
                    SetInts(node, "strides", {2, 2});
                  },
                  Shape{1, 1, 2, 1}),
              ElementsAre(6.5f, 8.5f));
  EXPECT_THAT(of(
                  {1, 1, 1, 2},
                  [](File& f) {
                    f.Floats("w", {1, 1, 2, 3}, {1, 0, 0, 0, 0, 1});
                    f.Node("Conv", {"c", "w"}, {"part"});
                  },
                  Shape{1, 1, 2, 1}),
              ElementsAre(8.5f, 10.5f));
  EXPECT_THAT(of(
                  {1, 1, 2, 2},
                  [](File& f) {
                    f.Floats("m", {1, 1, 4, 2}, {1, 0, 0, 1, 0, 0, 0, 0});
                    f.Node("MatMul", {"c", "m"}, {"part"});
                  },
                  Shape{1, 2, 2, 1}),
              ElementsAre(1.5f, 2.5f, 5.5f, 6.5f));
  EXPECT_THAT(of(
                  {1, 1, 1, 1},
                  [](File& f) {
                    f.Floats("s", {4}, {1, 1, 0.5f, 0.25f});
                    f.Node("Resize", {"c", "", "s"}, {"part"});
                  },
                  Shape{1, 1, 1, 1}),
              ::testing::SizeIs(1));
  // Weights of zero: half of the content, which is zero.
  EXPECT_THAT(
      of(
          {2, 1, 1, 1},
          [](File& f) {
            f.Floats("t", {2, 1, 3}, {1, 2, 3, 4, 5, 6});
            f.Floats("w", {1, 4, 3}, std::vector<float>(12));
            f.Floats("r", {1, 4, 1}, std::vector<float>(4));
            SetInt(f.Node("LSTM", {"t", "w", "r"}, {"part"}), "hidden_size", 1);
          },
          Shape{2, 1, 1, 1}),
      ElementsAre(0.5f, 0.5f));
}

// A few bytes must not create an index list of a huge axis.
TEST(OnnxStructure, HugePadding_IsRefused) {
  File file({int64_t{1} << 31});
  file.Integers("pads", {0, 1});
  SetText(file.Node("Pad", {"x", "pads"}, {"y"}), "mode", "edge");
  EXPECT_THAT(Refusal(file), HasSubstr("elements"));
  File cut({3});
  cut.Integers("pads", {-5, 1});
  SetText(cut.Node("Pad", {"x", "pads"}, {"y"}), "mode", "edge");
  EXPECT_EQ(cut.Import().status().code(), Code::kMalformed);
  File most({3});
  most.Integers("pads", {0, std::numeric_limits<int64_t>::min()});
  SetText(most.Node("Pad", {"x", "pads"}, {"y"}), "mode", "edge");
  EXPECT_EQ(most.Import().status().code(), Code::kMalformed);
}

}  // namespace
}  // namespace munja::importer::onnx
