#include "tflite/write.h"

#include <cstring>

#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tflite/option_table.h"
#include "tflite/read.h"
#include "tflite/schema_generated.h"
#include "tflite/testing.h"

namespace munja::tflite {
namespace {

using graph::Graph;
using graph::MakeConstant;
using graph::Node;
using graph::Value;
using ::testing::HasSubstr;

Value Tensor(const char* name, ElementType type, Shape shape) {
  Value value;
  value.name = name;
  value.type = type;
  value.shape = shape;
  return value;
}

Node MakeNode(const char* op, std::vector<graph::ValueId> inputs,
              std::vector<graph::ValueId> outputs) {
  Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

std::vector<uint8_t> Strings(std::initializer_list<std::string> strings) {
  std::vector<int32_t> head = {static_cast<int32_t>(strings.size())};
  std::string text;
  const auto start = static_cast<int32_t>(4 * (strings.size() + 2));
  for (const std::string& s : strings) {
    head.push_back(start + static_cast<int32_t>(text.size()));
    text += s;
  }
  head.push_back(start + static_cast<int32_t>(text.size()));
  std::vector<uint8_t> bytes(4 * head.size());
  std::memcpy(bytes.data(), head.data(), bytes.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

// Everything that a graph can hold: element types, ranks, quantization,
// variables, optional inputs, custom operators, branches, signatures.
Graph Everything() {
  Graph graph;
  graph.description = "made by hand";
  graph.metadata["min_runtime_version"] = {'2', '.', '5', '.', '0', 0};
  graph.subgraphs.resize(3);
  graph::Subgraph& main = graph.main();
  main.name = "main";
  const auto x = main.AddValue(
      Tensor("x", ElementType::kFloat32, {kDynamic, 4, kDynamic, 2}));
  const auto scalar = main.AddValue(Tensor("s", ElementType::kBool, {}));
  Value weights = Tensor("w", ElementType::kInt8, {3, 1, 1, 2});
  weights.quantization = {{0.5f, 0.25f, 2.0f}, {0, 0, 0}, 0};
  weights.constant = MakeConstant({1, 2, 3, 4, 5, 6});
  const auto w = main.AddValue(weights);
  Value columns = Tensor("columns", ElementType::kInt8, {2, 1, 1, 3});
  columns.quantization = {{0.5f, 0.25f, 2.0f}, {1, 2, 3}, 3};
  columns.constant = MakeConstant({1, 2, 3, 4, 5, 6});
  main.AddValue(columns);
  Value nibbles = Tensor("nibbles", ElementType::kInt4, {5});
  nibbles.constant = MakeConstant({0x21, 0x43, 0x05});
  const auto four = main.AddValue(nibbles);
  Value words = Tensor("words", ElementType::kString, {2});
  words.constant = MakeConstant(Strings({"munja", ""}));
  main.AddValue(words);
  Value empty = Tensor("empty", ElementType::kInt32, {0});
  empty.constant = graph::Constant{};
  const auto none = main.AddValue(empty);
  Value state = Tensor("state", ElementType::kFloat32, {1, 2});
  state.is_variable = true;
  const auto v = main.AddValue(state);
  const auto conv =
      main.AddValue(Tensor("conv", ElementType::kFloat32, {kDynamic, 2, 2, 3}));
  Value ranked = Tensor("anything", ElementType::kFloat32, {});
  ranked.has_shape = false;
  const auto y = main.AddValue(ranked);
  const auto z = main.AddValue(Tensor("z", ElementType::kFloat32, {1, 2}));
  main.inputs = {x, scalar};
  main.outputs = {y, z, x};

  Node node = MakeNode("CONV_2D", {x, w, graph::kNoValue}, {conv});
  node.version = 3;
  node.attributes.Set("padding", std::string("VALID"));
  node.attributes.Set("stride_w", int64_t{2});
  node.attributes.Set("stride_h", int64_t{2});
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  node.attributes.Set("dilation_w_factor", int64_t{1});
  node.attributes.Set("dilation_h_factor", int64_t{1});
  node.attributes.Set("quantized_bias_type", std::string("FLOAT32"));
  node.intermediates = {four, graph::kNoValue};
  main.nodes.push_back(node);
  node = MakeNode("MunjaTestOp", {conv, none, v}, {y});
  node.is_custom = true;
  node.custom_options = {9, 8, 7};
  main.nodes.push_back(node);
  node = MakeNode("IF", {scalar, v}, {z});
  node.attributes.Set("then_subgraph_index", int64_t{1});
  node.attributes.Set("else_subgraph_index", int64_t{2});
  main.nodes.push_back(node);

  for (const size_t i : {size_t{1}, size_t{2}}) {
    graph::Subgraph& branch = graph.subgraphs[i];
    const auto in =
        branch.AddValue(Tensor("in", ElementType::kFloat32, {1, 2}));
    const auto out =
        branch.AddValue(Tensor("out", ElementType::kFloat32, {1, 2}));
    branch.inputs = {in};
    branch.outputs = {out};
    // Codes below and above those that the old field can hold.
    branch.nodes.push_back(
        MakeNode(i == 1 ? "NEG" : "RELU_0_TO_1", {in}, {out}));
  }
  graph.signatures = {{"serving_default", 0, {{"image", x}}, {{"text", y}}},
                      {"branch", 1, {{"a", 0}}, {{"b", 1}}}};
  return graph;
}

TEST(WriteTest, Graph_IsReadBack) {
  const Graph graph = Everything();
  auto bytes = Write(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto back = Read(*bytes, nullptr);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(Difference(graph, **back), "");
  // Canonical: the same graph gives the same bytes.
  auto again = Write(**back);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *bytes);
}

TEST(WriteTest, EveryOperator_IsReadBack) {
  Graph graph;
  graph::Subgraph& main = graph.subgraphs.emplace_back();
  main.inputs = {main.AddValue(Tensor("x", ElementType::kFloat32, {1}))};
  // A second subgraph for operators that name one.
  graph.subgraphs.emplace_back();
  for (const Operator& op : Operators()) {
    if (op.code == kCustomCode || op.code == kPlaceholderCode) continue;
    const auto out =
        graph.main().AddValue(Tensor("", ElementType::kFloat32, {1}));
    Node node = MakeNode(op.name.data(), {0}, {out});
    if (op.options != nullptr)
      for (const OptionField& field : op.options->fields)
        if (field.name.ends_with("subgraph_index") || field.name == "subgraph")
          node.attributes.Set(field.name, int64_t{1});
    graph.main().nodes.push_back(std::move(node));
  }
  auto bytes = Write(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto back = Read(*bytes, nullptr);
  ASSERT_TRUE(back.ok()) << back.status().message();
  ASSERT_EQ((*back)->main().nodes.size(), graph.main().nodes.size());
  for (size_t i = 0; i < graph.main().nodes.size(); ++i)
    EXPECT_EQ((*back)->main().nodes[i].op, graph.main().nodes[i].op);
}

TEST(WriteTest, File_FollowsTheFormatsRules) {
  const Graph graph = Everything();
  auto bytes = Write(graph);
  ASSERT_TRUE(bytes.ok());
  flatbuffers::Verifier verifier(bytes->data(), bytes->size());
  ASSERT_TRUE(fb::VerifyModelBuffer(verifier));
  const fb::Model& model = *fb::GetModel(bytes->data());
  EXPECT_EQ(model.version(), 3u);
  EXPECT_EQ(model.buffers()->Get(0)->data(), nullptr);
  for (const fb::Buffer* buffer : *model.buffers()) {
    if (buffer->data() == nullptr || buffer->data()->size() == 0) continue;
    EXPECT_EQ((buffer->data()->data() - bytes->data()) % 16, 0);
  }
  for (const fb::OperatorCode* code : *model.operator_codes()) {
    EXPECT_EQ(code->deprecated_builtin_code(),
              std::min(code->builtin_code(), 127));
    EXPECT_EQ(code->custom_code() != nullptr, code->builtin_code() == 32);
  }
  const auto& tensors = *model.subgraphs()->Get(0)->tensors();
  const fb::Tensor& dynamic = *tensors.Get(0);
  EXPECT_EQ(dynamic.shape()->Get(0), 1);
  EXPECT_EQ(dynamic.shape_signature()->Get(0), -1);
  EXPECT_TRUE(dynamic.has_rank());
  const fb::Tensor& constant = *tensors.Get(2);
  EXPECT_EQ(constant.shape_signature(), nullptr);
  EXPECT_NE(constant.buffer(), 0u);
}

TEST(WriteTest, EqualConstants_ShareOneBuffer) {
  Graph graph;
  graph::Subgraph& main = graph.subgraphs.emplace_back();
  for (int i = 0; i < 3; ++i) {
    Value value = Tensor("c", ElementType::kUInt8, {1000});
    value.constant = MakeConstant(std::vector<uint8_t>(1000, 7));
    main.AddValue(value);
  }
  auto bytes = Write(graph);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(fb::GetModel(bytes->data())->buffers()->size(), 2u);
  EXPECT_LT(bytes->size(), 2000u);
}

void ExpectRefused(const Graph& graph, Code code, const char* part) {
  auto bytes = Write(graph);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.status().code(), code);
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr(part));
}

// Zero points take twice the bytes of the scales, and are all alike.
TEST(WriteTest, EqualZeroPoints_AreWrittenOnce) {
  constexpr int kChannels = 1000;
  const auto bytes_of = [](int tensors) {
    Graph graph;
    graph.subgraphs.resize(1);
    for (int i = 0; i < tensors; ++i) {
      Value weights = Tensor("w", ElementType::kInt8, {kChannels, 1});
      weights.quantization = {std::vector<float>(kChannels, 0.5f),
                              std::vector<int64_t>(kChannels, 0), 0};
      weights.constant = MakeConstant(std::vector<uint8_t>(kChannels, 1));
      graph.main().AddValue(weights);
    }
    return Write(graph);
  };
  const auto one = bytes_of(1), three = bytes_of(3);
  ASSERT_TRUE(one.ok() && three.ok());
  // A scale each, and the tables of a tensor.
  EXPECT_LT(three->size() - one->size(), 2 * (sizeof(float) * kChannels + 200));
  const auto back = Read(*three, nullptr);
  ASSERT_TRUE(back.ok()) << back.status().message();
  for (const Value& value : (*back)->main().values)
    EXPECT_EQ(value.quantization.zero_points,
              std::vector<int64_t>(kChannels, 0));
}

TEST(WriteTest, UnsupportedGraphs_AreRefusedWithTheirPlace) {
  Graph graph = Everything();
  graph.main().nodes[0].op = "CONV_7D";
  ExpectRefused(graph, Code::kInvalidArgument,
                "subgraph 0: node 0 (CONV_7D): the schema has no such");
  graph = Everything();
  graph.main().nodes[0].attributes.Set("groups", int64_t{2});
  ExpectRefused(graph, Code::kInvalidArgument, "'groups'");
  graph = Everything();
  graph.main().nodes[1].attributes.Set("alpha", 0.5);
  ExpectRefused(graph, Code::kInvalidArgument, "node 1 (MunjaTestOp)");
  graph = Everything();
  graph.main().values[2].unsupported = "sparse data";
  ExpectRefused(graph, Code::kUnsupported, "tensor 2 ('w'): has sparse data");
  graph = Everything();
  graph.main().outputs.push_back(99);
  ExpectRefused(graph, Code::kMalformed, "99");
}

}  // namespace
}  // namespace munja::tflite
