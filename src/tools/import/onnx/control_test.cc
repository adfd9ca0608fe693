// If, Loop and Scan as converted models, by the runtime. Expected numbers are
// worked out by hand from the ONNX specification.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/onnx/run_converted.h"

namespace munja::importer::onnx {
namespace {

namespace proto = munja::onnx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

proto::GraphProto& Body(proto::NodeProto& node, const char* name,
                        std::vector<std::string> in,
                        std::vector<std::string> out) {
  proto::AttributeProto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(5);
  proto::GraphProto& graph = *a->mutable_g();
  for (const std::string& i : in) graph.add_input()->set_name(i);
  for (const std::string& o : out) graph.add_output()->set_name(o);
  return graph;
}

void Sum(proto::NodeProto& node) { SetInt(node, "keepdims", 0); }

int CountOf(const File& file, const std::string& op) {
  const auto model = file.Import();
  EXPECT_TRUE(model.ok()) << model.status().message();
  int count = 0;
  if (model.ok())
    for (const graph::Node& node : model->graph.main().nodes)
      count += node.op == op;
  return count;
}

// The result of the reference and of the converted model, which must agree.
std::vector<float> BothWays(const File& file, const Shape& shape,
                            const std::vector<float>& x) {
  const Dims dims(shape.dims().begin(), shape.dims().end());
  std::vector<float> y = RunTflite(file, shape, x);
  EXPECT_EQ(Evaluate(file, dims, x), y);
  return y;
}

// Twice the input where its sum is positive, else its first element alone.
TEST(OnnxControl, DynamicCondition_BecomesIf) {
  File file({1, 2});
  file.Floats("zero", {}, {0});
  file.Floats("two", {1}, {2});
  file.Integers("first", {0});
  file.Integers("second", {1});
  file.Integers("axis", {1});
  Sum(file.Node("ReduceSum", {"x"}, {"sum"}));
  file.Node("Greater", {"sum", "zero"}, {"positive"});
  proto::NodeProto& node = file.Node("If", {"positive"}, {"chosen"});
  proto::GraphProto& yes = Body(node, "then_branch", {}, {"a"});
  File::AddNodeTo(yes, "Mul", {"x", "two"}, {"a"});
  proto::GraphProto& no = Body(node, "else_branch", {}, {"b"});
  File::AddNodeTo(no, "Slice", {"x", "first", "second", "axis"}, {"b"});
  file.Node("Neg", {"chosen"}, {"y"});
  EXPECT_THAT(BothWays(file, {1, 2}, {3, -1}), ElementsAre(-6, 2));
  EXPECT_THAT(BothWays(file, {1, 2}, {-3, 1}), ElementsAre(3));
  EXPECT_EQ(CountOf(file, "IF"), 1);
}

// One branch hands its outer value out, the other a constant.
TEST(OnnxControl, EmptyBranches_PassThrough) {
  File file({2});
  file.Floats("zero", {}, {0});
  Sum(file.Node("ReduceSum", {"x"}, {"sum"}));
  file.Node("Greater", {"sum", "zero"}, {"positive"});
  proto::NodeProto& node = file.Node("If", {"positive"}, {"y"});
  File::AddNodeTo(Body(node, "then_branch", {}, {"a"}), "Identity", {"x"},
                  {"a"});
  proto::GraphProto& no = Body(node, "else_branch", {}, {"b"});
  proto::TensorProto& b = *no.add_initializer();
  b.set_name("b");
  b.set_data_type(1);
  b.add_dims(2);
  b.add_float_data(7);
  b.add_float_data(8);
  // Something to translate.
  File::AddNodeTo(no, "Neg", {"b"}, {"unused"});
  EXPECT_THAT(BothWays(file, {2}, {3, -1}), ElementsAre(3, -1));
  EXPECT_THAT(BothWays(file, {2}, {-3, 1}), ElementsAre(7, 8));
}

// Doubles until 100 is passed.
TEST(OnnxControl, LoopEndedByBody_BecomesWhile) {
  File file({2});
  proto::TensorProto& always = file.Floats("always", {}, {});
  always.set_data_type(9);
  always.add_int32_data(1);
  file.Floats("limit", {}, {100});
  proto::NodeProto& node = file.Node("Loop", {"", "always", "x"}, {"y"});
  proto::GraphProto& body =
      Body(node, "body", {"i", "on", "v"}, {"again", "next"});
  File::AddNodeTo(body, "Add", {"v", "v"}, {"next"});
  Sum(File::AddNodeTo(body, "ReduceMax", {"next"}, {"largest"}));
  File::AddNodeTo(body, "Less", {"largest", "limit"}, {"again"});
  EXPECT_THAT(BothWays(file, {2}, {1, 3}), ElementsAre(64, 192));
  EXPECT_THAT(BothWays(file, {2}, {60, 1}), ElementsAre(120, 2));
  EXPECT_EQ(CountOf(file, "WHILE"), 1);
}

// The loop runs sum(x) times; one variable grows, and iterations produce scan
// outputs.
File Growing(bool counted) {
  File file({2});
  file.graph().mutable_output(0)->set_name("grown");
  if (counted) {
    proto::TensorProto& turns = file.Floats("turns", {}, {});
    turns.set_data_type(7);
    turns.add_int64_data(3);
  } else {
    Sum(file.Node("ReduceSum", {"x"}, {"sum"}));
    SetInt(file.Node("Cast", {"sum"}, {"turns"}), "to", 7);
  }
  proto::NodeProto& node =
      file.Node("Loop", {"turns", "", "x"}, {"grown", "given"});
  proto::GraphProto& body =
      Body(node, "body", {"i", "on", "v"}, {"on", "longer", "square"});
  SetInt(File::AddNodeTo(body, "Cast", {"i"}, {"number"}), "to", 1);
  File::AddNodeTo(body, "Mul", {"number", "number"}, {"square"});
  SetInts(File::AddNodeTo(body, "Unsqueeze", {"square"}, {"row"}), "axes", {0});
  SetInt(File::AddNodeTo(body, "Concat", {"v", "row"}, {"longer"}), "axis", 0);
  return file;
}

TEST(OnnxControl, GrowingVariablesAndScanOutputs_AreConverted) {
  for (const bool counted : {true, false}) {
    File file = Growing(counted);
    EXPECT_THAT(BothWays(file, {2}, {1, 2}), ElementsAre(1, 2, 0, 1, 4));
    EXPECT_EQ(CountOf(file, "WHILE"), !counted);
    file.graph().mutable_output(0)->set_name("given");
    EXPECT_THAT(BothWays(file, {2}, {1, 2}), ElementsAre(0, 1, 4));
    if (!counted) {
      EXPECT_THAT(BothWays(file, {2}, {2, 2}), ElementsAre(0, 1, 4, 9));
      EXPECT_THAT(BothWays(file, {2}, {0, 0}), ElementsAre());
    }
  }
}

// Running sums of the columns, from the last one to the first.
TEST(OnnxControl, Scan_Backwards) {
  File file({2, 3});
  file.Floats("zero", {2}, {0, 0});
  proto::NodeProto& node = file.Node("Scan", {"zero", "x"}, {"last", "y"});
  SetInt(node, "num_scan_inputs", 1);
  SetInts(node, "scan_input_axes", {1});
  SetInts(node, "scan_input_directions", {1});
  SetInts(node, "scan_output_axes", {1});
  proto::GraphProto& body =
      Body(node, "body", {"sum", "column"}, {"next", "out"});
  File::AddNodeTo(body, "Add", {"sum", "column"}, {"next"});
  File::AddNodeTo(body, "Identity", {"next"}, {"out"});
  EXPECT_THAT(BothWays(file, {2, 3}, {1, 2, 3, 10, 20, 30}),
              ElementsAre(3, 5, 6, 30, 50, 60));
}

TEST(OnnxControl, WrongBodies_AreRefused) {
  File file({2});
  file.Floats("zero", {}, {0});
  Sum(file.Node("ReduceSum", {"x"}, {"sum"}));
  file.Node("Greater", {"sum", "zero"}, {"positive"});
  proto::NodeProto& node = file.Node("If", {"positive"}, {"y"});
  File::AddNodeTo(Body(node, "then_branch", {}, {"a"}), "Neg", {"x"}, {"a"});
  File::AddNodeTo(Body(node, "else_branch", {}, {"b"}), "Neg", {"sum"}, {"b"});
  EXPECT_THAT(Refusal(file), HasSubstr("If"));
  node.mutable_attribute(1)->mutable_g()->mutable_node(0)->set_input(0, "y");
  EXPECT_FALSE(file.Import().ok());
}

}  // namespace
}  // namespace munja::importer::onnx
