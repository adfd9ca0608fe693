#include "gmock/gmock.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace munja::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Graph Sample() {
  Graph graph;
  graph.description = "sample";
  graph.metadata["min_runtime_version"] = {1, 2, 3};
  graph.associated_files["keys.txt"] = {1};
  Subgraph& main = graph.subgraphs.emplace_back();
  main.name = "ma\"in";
  Value value;
  value.name = "image";
  value.shape = Shape{1, kDynamic, 4, 3};
  main.inputs = {main.AddValue(value)};
  value.name = "weights";
  value.type = ElementType::kInt8;
  value.shape = Shape{2, 1, 1, 3};
  value.quantization.scales = {0.5f, 0.25f};
  value.constant = MakeConstant(std::vector<uint8_t>(6));
  main.AddValue(value);
  value = Value();
  value.name = "out";
  value.shape = Shape{1, kDynamic, 4, 2};
  main.outputs = {main.AddValue(value)};
  Node& node = main.nodes.emplace_back();
  node.op = "CONV_2D";
  node.inputs = {0, 1, kNoValue};
  node.outputs = {2};
  node.attributes.Set("stride_w", int64_t{2});
  node.attributes.Set("padding", std::string("SAME"));
  graph.signatures = {{"serving_default", 0, {{"x", 0}}, {{"y", 2}}}};
  return graph;
}

TEST(DumpTest, Text_ListsNodesTensorsAndTotals) {
  const std::string text = ToText(Sample());
  EXPECT_THAT(text, HasSubstr("model: sample\n"));
  EXPECT_THAT(text, HasSubstr("signature 'serving_default' of subgraph 0\n"));
  EXPECT_THAT(text, HasSubstr("metadata 'min_runtime_version' 3 bytes\n"));
  EXPECT_THAT(text, HasSubstr("file 'keys.txt' 1 bytes\n"));
  EXPECT_THAT(text, HasSubstr("input  %0  float32 1x?x4x3  'image'\n"));
  EXPECT_THAT(text, HasSubstr("     0 CONV_2D  %2 <- %0, %1, -  "
                              "{padding: \"SAME\", stride_w: 2}\n"));
  EXPECT_THAT(text, HasSubstr("%1 int8 2x1x1x3  2 scales along 0 (0.5, 0.25)"
                              "  constant 6 bytes  'weights'\n"));
  EXPECT_THAT(text, HasSubstr("totals: 1 nodes, 6 parameters, "
                              "6 bytes of constants\n     1 CONV_2D\n"));
}

TEST(DumpTest, Dot_HasShapesOnEdgesAndNoWeights) {
  const std::string dot = ToDot(Sample());
  EXPECT_THAT(dot, HasSubstr("label=\"ma\\\"in\""));
  EXPECT_THAT(dot, HasSubstr("s0v0 -> s0n0 [label=\"float32 1x?x4x3\"]"));
  EXPECT_THAT(dot, HasSubstr("s0n0 -> s0out0 [label=\"float32 1x?x4x2\"]"));
  EXPECT_THAT(dot, Not(HasSubstr("weights")));
}

TEST(DumpTest, Totals_BeginWithTheMostFrequent) {
  Graph graph = Sample();
  Subgraph& main = graph.subgraphs[0];
  for (const char* op : {"NEG", "EXP", "NEG", "ABS"}) {
    Node& node = main.nodes.emplace_back();
    node.op = op;
    node.inputs = {2};
    node.outputs = {main.AddValue(Value())};
  }
  EXPECT_THAT(ToText(graph), HasSubstr("\n     2 NEG\n     1 ABS\n"
                                       "     1 CONV_2D\n     1 EXP\n"));
}

// An output that no node makes is a point of its own.
TEST(DumpTest, ConstantOutputs_ArePoints) {
  Graph graph = Sample();
  graph.subgraphs[0].outputs = {1};
  const std::string dot = ToDot(graph);
  EXPECT_THAT(dot, HasSubstr("s0v1 [shape=oval, label=\"weights\"]"));
  EXPECT_THAT(dot, HasSubstr("s0v1 -> s0out0"));
}

TEST(DumpTest, AbsentOutputs_AreNoPoints) {
  Graph graph = Sample();
  graph.subgraphs[0].nodes[0].outputs = {kNoValue, 2, 99};
  EXPECT_EQ(ToDot(graph), ToDot(Sample()));
}

}  // namespace
}  // namespace munja::graph
