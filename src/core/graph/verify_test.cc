#include "gmock/gmock.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace munja::graph {
namespace {

using ::testing::HasSubstr;

// x -> NEG -> h -> ADD(h, c) -> y
Graph Sound() {
  Graph graph;
  Subgraph& main = graph.subgraphs.emplace_back();
  Value value;
  value.shape = Shape{2};
  for (const char* name : {"x", "h", "y", "c"}) {
    value.name = name;
    main.AddValue(value);
  }
  main.values[3].constant = MakeConstant(std::vector<uint8_t>(8));
  main.inputs = {0};
  main.outputs = {2};
  main.nodes.resize(2);
  main.nodes[0].op = "NEG";
  main.nodes[0].inputs = {0};
  main.nodes[0].outputs = {1};
  main.nodes[1].op = "ADD";
  main.nodes[1].inputs = {1, 3};
  main.nodes[1].outputs = {2};
  return graph;
}

void ExpectMalformed(const Graph& graph, const char* part) {
  const Status status = Verify(graph);
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_THAT(std::string(status.message()), HasSubstr(part));
}

TEST(VerifyTest, ValidGraph_IsAccepted) {
  const Status status = Verify(Sound());
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(VerifyTest, Errors_NameSubgraphNodeAndTensor) {
  Graph graph = Sound();
  std::swap(graph.main().nodes[0], graph.main().nodes[1]);
  graph.main().nodes[0].name = "sum";
  ExpectMalformed(graph,
                  "subgraph 0: node 0 (ADD 'sum'): input 0, tensor 1 ('h'), is "
                  "read before anything writes it");
}

TEST(VerifyTest, DoubleAndForbiddenWrites_AreRefused) {
  Graph graph = Sound();
  graph.main().nodes[1].outputs = {1};
  ExpectMalformed(graph, "output 0, tensor 1 ('h')");
  graph = Sound();
  graph.main().nodes[1].outputs = {3};
  ExpectMalformed(graph, "tensor 3 ('c')");
  graph = Sound();
  graph.main().nodes[1].outputs = {0};
  ExpectMalformed(graph, "tensor 0 ('x')");
  graph = Sound();
  graph.main().inputs = {0, 3};
  ExpectMalformed(graph, "an input and a constant at once");
}

// Every list of ids, just below and just beyond what there is.
TEST(VerifyTest, UnknownValueIds_AreRefused) {
  const auto lists = [](Graph& graph) {
    Subgraph& main = graph.main();
    return std::vector<std::vector<ValueId>*>{
        &main.inputs,          &main.outputs,
        &main.nodes[0].inputs, &main.nodes[0].intermediates,
        &main.nodes[1].inputs, &main.nodes[1].outputs};
  };
  Graph sound = Sound();
  const auto count = static_cast<ValueId>(sound.main().values.size());
  for (size_t i = 0; i < lists(sound).size(); ++i) {
    for (const ValueId id : {ValueId{-2}, count, ValueId{count + 1000}}) {
      Graph graph = Sound();
      lists(graph)[i]->push_back(id);
      EXPECT_EQ(Verify(graph).code(), Code::kMalformed) << i << ", id " << id;
    }
  }
  // Omitted inputs are marked; an intermediate may be any value.
  for (const ValueId id : {kNoValue, ValueId{0}, ValueId{count - 1}}) {
    Graph graph = Sound();
    graph.main().nodes[0].intermediates = {id};
    EXPECT_TRUE(Verify(graph).ok()) << id;
  }
}

TEST(VerifyTest, ConstantsOfWrongLength_AreRefused) {
  Graph graph = Sound();
  graph.main().values[3].shape = Shape{3};
  ExpectMalformed(graph, "8 bytes, but type float32 and shape 3 need 12");
  graph.main().values[3].shape = Shape{kDynamic};
  ExpectMalformed(graph, "not known");
  // Two elements a byte, the last alone.
  graph.main().values[3].type = ElementType::kInt4;
  graph.main().values[3].shape = Shape{15};
  EXPECT_TRUE(Verify(graph).ok());
  graph.main().values[3].shape = Shape{17};
  ExpectMalformed(graph, "need 9");
}

TEST(VerifyTest, QuantizationOfWrongLength_IsRefused) {
  Graph graph = Sound();
  Quantization& q = graph.main().values[1].quantization;
  q.scales = {1.0f, 0.5f};
  EXPECT_TRUE(Verify(graph).ok());
  q.zero_points = {0};
  ExpectMalformed(graph, "2 quantization scales, but 1 zero points");
  q.zero_points.clear();
  q.axis = 1;
  ExpectMalformed(graph, "quantized dimension 1, but its rank is 1");
  q.axis = 0;
  q.scales.push_back(0.25f);
  ExpectMalformed(graph, "3 quantization scales along dimension 0");
  graph.main().values[1].shape = Shape{kDynamic};
  EXPECT_TRUE(Verify(graph).ok());
  // Without scales it says nothing.
  q.scales.clear();
  q.axis = 7;
  EXPECT_TRUE(Verify(graph).ok());
}

// Kernels subtract zero points from stored values in 32 bits.
TEST(VerifyTest, ZeroPointsOutOfRange_AreRefused) {
  Graph graph = Sound();
  Value& value = graph.main().values[1];
  Quantization& q = value.quantization;
  q.scales = {0.5f};
  const auto is_taken = [&](ElementType type, int64_t zero) {
    value.type = type;
    q.zero_points = {zero};
    return Verify(graph).ok();
  };
  for (const auto& [type, low, high] :
       {std::tuple{ElementType::kInt4, int64_t{-8}, int64_t{7}},
        {ElementType::kInt8, -128, 127},
        {ElementType::kUInt8, 0, 255},
        {ElementType::kInt16, -32768, 32767},
        {ElementType::kInt32, INT32_MIN, INT32_MAX},
        {ElementType::kInt64, INT32_MIN, INT32_MAX},
        {ElementType::kFloat32, INT32_MIN, INT32_MAX}}) {
    const char* const name = ElementTypeName(type);
    EXPECT_TRUE(is_taken(type, low)) << name;
    EXPECT_TRUE(is_taken(type, high)) << name;
    EXPECT_FALSE(is_taken(type, low - 1)) << name;
    EXPECT_FALSE(is_taken(type, high + 1)) << name;
    EXPECT_FALSE(is_taken(type, INT64_MIN)) << name;
    EXPECT_FALSE(is_taken(type, INT64_MAX)) << name;
  }
  // Each of many is looked at.
  value.type = ElementType::kInt8;
  q.scales = {0.5f, 0.25f};
  q.zero_points = {0, 128};
  ExpectMalformed(graph, "zero point 128, but type int8 takes -128 to 127");
}

TEST(VerifyTest, MissingAndRecursiveSubgraphs_AreRefused) {
  Graph graph = Sound();
  graph.subgraphs.resize(3);
  Node& loop = graph.main().nodes.emplace_back();
  loop.op = "WHILE";
  loop.attributes.Set("cond_subgraph_index", int64_t{1});
  loop.attributes.Set("body_subgraph_index", int64_t{2});
  EXPECT_TRUE(Verify(graph).ok());
  loop.attributes.Set("body_subgraph_index", int64_t{3});
  ExpectMalformed(graph, "there is no subgraph 3");
  loop.attributes.Set("body_subgraph_index", int64_t{2});
  Node& inner = graph.subgraphs[2].nodes.emplace_back(loop);
  inner.attributes.Set("body_subgraph_index", int64_t{2});
  ExpectMalformed(graph, "subgraph 2 calls itself");
}

TEST(VerifyTest, DanglingSignatures_AreRefused) {
  Graph graph = Sound();
  graph.signatures = {{"main", 0, {{"in", 0}}, {{"out", 4}}}};
  ExpectMalformed(graph, "signature 'main': 'out' is tensor 4");
  graph.signatures[0].subgraph = 1;
  ExpectMalformed(graph, "no subgraph 1");
}

TEST(VerifyTest, GraphWithoutSubgraph_IsRefused) {
  ExpectMalformed(Graph(), "no subgraph");
}

}  // namespace
}  // namespace munja::graph
