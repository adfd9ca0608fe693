// Writes the models that the examples and the tests of the interface run.
// Argument: a folder.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/file.h"
#include "graph/graph.h"
#include "tflite/write.h"

using munja::ElementType;
using munja::Shape;
using munja::graph::Graph;
using munja::graph::Node;
using munja::graph::Value;
using munja::graph::ValueId;

namespace {

ValueId Add(Graph& graph, const char* name, ElementType type, Shape shape) {
  Value value;
  value.name = name;
  value.type = type;
  value.shape = shape;
  return graph.main().AddValue(std::move(value));
}

ValueId Floats(Graph& graph, const char* name, std::vector<float> values) {
  const ValueId v = Add(graph, name, ElementType::kFloat32,
                        {static_cast<int32_t>(values.size())});
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  graph.main().values[v].constant =
      munja::graph::MakeConstant(std::move(bytes));
  return v;
}

// y = Sin(x + 1), x of any length; by the signature "serving" from "x" to "y".
Graph Sine() {
  Graph graph;
  graph.description = "sin(x + 1) by a custom operator";
  graph.subgraphs.resize(1);
  const Shape any{munja::kDynamic};
  const ValueId x = Add(graph, "input_tensor", ElementType::kFloat32, any);
  const ValueId offset = Floats(graph, "offset", {1});
  const ValueId sum = Add(graph, "sum", ElementType::kFloat32, any);
  const ValueId y = Add(graph, "output_tensor", ElementType::kFloat32, any);
  Node add, sine;
  add.op = "ADD";
  add.inputs = {x, offset};
  add.outputs = {sum};
  sine.op = "Sin";
  sine.is_custom = true;
  sine.inputs = {sum};
  sine.outputs = {y};
  sine.custom_options = {1, 2, 3};
  graph.main().nodes = {add, sine};
  graph.main().inputs = {x};
  graph.main().outputs = {y};
  graph.signatures = {{"serving", 0, {{"x", x}}, {{"y", y}}}};
  graph.metadata["notes"] = {'h', 'i'};
  return graph;
}

// Two texts, given back as they are.
Graph Strings() {
  Graph graph;
  graph.subgraphs.resize(1);
  const ValueId x = Add(graph, "texts", ElementType::kString, {2});
  graph.main().inputs = {x};
  graph.main().outputs = {x};
  return graph;
}

// Two executors can share this: x of 1x4x4x2 -> CONV_2D -> ADD -> ADD ->
// MAX_POOL_2D -> MUL -> LOGISTIC. No two of its outputs are equal.
Graph Network() {
  Graph graph;
  graph.description = "a small convolutional network";
  graph.subgraphs.resize(1);
  const Shape image{1, 4, 4, 2}, small{1, 2, 2, 2};
  const ValueId x = Add(graph, "image", ElementType::kFloat32, image);
  const ValueId weights = Floats(graph, "weights", {0.5f, -1, 0.25f, 2});
  graph.main().values[weights].shape = {2, 1, 1, 2};
  const ValueId bias = Floats(graph, "bias", {0.1f, -0.2f});
  const ValueId scale = Floats(graph, "scale", {1.5f, -0.5f});
  ValueId last = x;
  const auto node = [&](const char* op, const char* name,
                        std::vector<ValueId> more, Shape shape) -> Node& {
    Node made;
    made.op = op;
    made.inputs = {last};
    made.inputs.insert(made.inputs.end(), more.begin(), more.end());
    last = Add(graph, name, ElementType::kFloat32, shape);
    made.outputs = {last};
    graph.main().nodes.push_back(std::move(made));
    return graph.main().nodes.back();
  };
  Node& conv = node("CONV_2D", "conv", {weights, bias}, image);
  conv.attributes.Set("stride_h", int64_t{1});
  conv.attributes.Set("stride_w", int64_t{1});
  node("ADD", "sum", {x}, image);
  node("ADD", "sum2", {x}, image);
  Node& pool = node("MAX_POOL_2D", "pool", {}, small);
  for (const char* name :
       {"stride_h", "stride_w", "filter_height", "filter_width"})
    pool.attributes.Set(name, int64_t{2});
  pool.attributes.Set("padding", std::string("VALID"));
  node("MUL", "scaled", {scale}, small);
  node("LOGISTIC", "probability", {}, small);
  graph.main().inputs = {x};
  graph.main().outputs = {last};
  return graph;
}

Node Binary(const char* op, ValueId a, ValueId b, ValueId out) {
  Node node;
  node.op = op;
  node.inputs = {a, b};
  node.outputs = {out};
  return node;
}

// a - b; neither input has a name.
Graph Unnamed() {
  Graph graph;
  graph.subgraphs.resize(1);
  const ValueId a = Add(graph, "", ElementType::kFloat32, {2});
  const ValueId b = Add(graph, "", ElementType::kFloat32, {2});
  const ValueId y = Add(graph, "difference", ElementType::kFloat32, {2});
  graph.main().nodes = {Binary("SUB", a, b, y)};
  graph.main().inputs = {a, b};
  graph.main().outputs = {y};
  return graph;
}

// By the signature "twice" x + x, by "square", another subgraph, x * x.
Graph Signatures() {
  Graph graph;
  graph.subgraphs.resize(2);
  const char* const keys[] = {"twice", "square"};
  const char* const ops[] = {"ADD", "MUL"};
  for (int s = 0; s < 2; ++s) {
    munja::graph::Subgraph& subgraph = graph.subgraphs[static_cast<size_t>(s)];
    Value tensor;
    tensor.type = ElementType::kFloat32;
    tensor.shape = {2};
    tensor.name = "x_tensor";
    const ValueId x = subgraph.AddValue(tensor);
    tensor.name = "y_tensor";
    const ValueId y = subgraph.AddValue(tensor);
    subgraph.nodes = {Binary(ops[s], x, x, y)};
    subgraph.inputs = {x};
    subgraph.outputs = {y};
    graph.signatures.push_back({keys[s], s, {{"value", x}}, {{"result", y}}});
  }
  return graph;
}

// A free batch of small pictures.
Graph FreeBatch() {
  Graph graph;
  graph.subgraphs.resize(1);
  const Shape any{munja::kDynamic, 32, 32, 3};
  const ValueId x = Add(graph, "image", ElementType::kFloat32, any);
  const ValueId y = Add(graph, "probability", ElementType::kFloat32, any);
  Node node;
  node.op = "LOGISTIC";
  node.inputs = {x};
  node.outputs = {y};
  graph.main().nodes = {node};
  graph.main().inputs = {x};
  graph.main().outputs = {y};
  return graph;
}

// A picture, -1: free, gives `classes` numbers for each step of 8 columns: the
// mean of 8 x `height` pixels, taken `classes` / 3 times.
Graph LineReader(int32_t height, int32_t classes) {
  Graph graph;
  graph.subgraphs.resize(1);
  const int32_t free = munja::kDynamic;
  const ValueId x =
      Add(graph, "line", ElementType::kFloat32, {1, height, free, 3});
  const ValueId means =
      Add(graph, "means", ElementType::kFloat32, {1, 1, free, 3});
  std::vector<float> weights(static_cast<size_t>(classes) * 3, 0.5f);
  const ValueId w = Floats(graph, "weights", weights);
  graph.main().values[w].shape = {classes, 1, 1, 3};
  const ValueId b =
      Floats(graph, "bias", std::vector<float>(static_cast<size_t>(classes)));
  const ValueId steps =
      Add(graph, "steps", ElementType::kFloat32, {1, 1, free, classes});
  const ValueId y =
      Add(graph, "scores", ElementType::kFloat32, {1, free, classes});
  Node pool, conv, squeeze;
  pool.op = "AVERAGE_POOL_2D";
  pool.inputs = {x};
  pool.outputs = {means};
  pool.attributes.Set("stride_h", int64_t{height});
  pool.attributes.Set("stride_w", int64_t{8});
  pool.attributes.Set("filter_height", int64_t{height});
  pool.attributes.Set("filter_width", int64_t{8});
  pool.attributes.Set("padding", std::string("VALID"));
  conv.op = "CONV_2D";
  conv.inputs = {means, w, b};
  conv.outputs = {steps};
  conv.attributes.Set("stride_h", int64_t{1});
  conv.attributes.Set("stride_w", int64_t{1});
  squeeze.op = "SQUEEZE";
  squeeze.inputs = {steps};
  squeeze.outputs = {y};
  squeeze.attributes.Set("squeeze_dims", std::vector<int64_t>{1});
  graph.main().nodes = {pool, conv, squeeze};
  graph.main().inputs = {x};
  graph.main().outputs = {y};
  return graph;
}

// A map of the picture's size, were it not for a node that finds nothing at
// index 7 of a list of one: what only a run tells, as the index is computed.
Graph FailingDetector() {
  Graph graph;
  graph.subgraphs.resize(1);
  const int32_t free = munja::kDynamic;
  const ValueId x =
      Add(graph, "page", ElementType::kFloat32, {1, free, free, 3});
  const ValueId axis = Add(graph, "axis", ElementType::kInt32, {1});
  graph.main().values[axis].constant = munja::graph::MakeConstant({3, 0, 0, 0});
  const ValueId map =
      Add(graph, "map", ElementType::kFloat32, {1, free, free, 1});
  const ValueId all = Add(graph, "all_axes", ElementType::kInt32, {4});
  graph.main().values[all].constant = munja::graph::MakeConstant(
      {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0});
  const ValueId top = Add(graph, "top", ElementType::kFloat32, {});
  const ValueId seven = Floats(graph, "seven", {7});
  graph.main().values[seven].shape = {};
  const ValueId zero = Floats(graph, "zero", {0});
  graph.main().values[zero].shape = {};
  const ValueId none = Add(graph, "none", ElementType::kFloat32, {});
  const ValueId index = Add(graph, "index", ElementType::kFloat32, {});
  const ValueId whole = Add(graph, "whole", ElementType::kInt32, {});
  const ValueId list = Floats(graph, "list", {1});
  const ValueId found = Add(graph, "found", ElementType::kFloat32, {});
  const ValueId y =
      Add(graph, "probability", ElementType::kFloat32, {1, free, free, 1});
  Node mean;
  mean.op = "MEAN";
  mean.inputs = {x, axis};
  mean.outputs = {map};
  mean.attributes.Set("keep_dims", true);
  Node largest;
  largest.op = "REDUCE_MAX";
  largest.inputs = {map, all};
  largest.outputs = {top};
  largest.attributes.Set("keep_dims", false);
  Node cast;
  cast.op = "CAST";
  cast.inputs = {index};
  cast.outputs = {whole};
  Node gather;
  gather.op = "GATHER";
  gather.inputs = {list, whole};
  gather.outputs = {found};
  gather.attributes.Set("axis", int64_t{0});
  graph.main().nodes = {mean,
                        largest,
                        Binary("MUL", top, zero, none),
                        Binary("ADD", none, seven, index),
                        cast,
                        gather,
                        Binary("MUL", map, found, y)};
  graph.main().inputs = {x};
  graph.main().outputs = {y};
  return graph;
}

// Floats that are quantized during the run: LOGISTIC, whose last bits depend on
// the kernel, then FULLY_CONNECTED with int8 weights.
Graph Hybrid() {
  Graph graph;
  graph.subgraphs.resize(1);
  const int32_t rows = 65536, depth = 16, units = 4;
  const ValueId x = Add(graph, "x", ElementType::kFloat32, {rows, depth});
  const ValueId middle =
      Add(graph, "middle", ElementType::kFloat32, {rows, depth});
  const ValueId w = Add(graph, "w", ElementType::kInt8, {units, depth});
  std::vector<uint8_t> weights;
  for (int32_t i = 0; i < units * depth; ++i)
    weights.push_back(static_cast<uint8_t>(i * 37 % 255 - 127));
  Value& stored = graph.main().values[w];
  stored.constant = munja::graph::MakeConstant(std::move(weights));
  stored.quantization.scales = {0.01f};
  stored.quantization.zero_points = {0};
  const ValueId y = Add(graph, "y", ElementType::kFloat32, {rows, units});
  Node logistic, product;
  logistic.op = "LOGISTIC";
  logistic.inputs = {x};
  logistic.outputs = {middle};
  product.op = "FULLY_CONNECTED";
  product.inputs = {middle, w, munja::graph::kNoValue};
  product.outputs = {y};
  graph.main().nodes = {logistic, product};
  graph.main().inputs = {x};
  graph.main().outputs = {y};
  return graph;
}

int Write(const std::string& path, const Graph& graph) {
  const auto bytes = munja::tflite::Write(graph);
  if (!bytes.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(),
                 std::string(bytes.status().message()).c_str());
    return 1;
  }
  return munja::WriteFile(path, *bytes).ok() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  return Write(folder + "/sine.tflite", Sine()) +
         Write(folder + "/network.tflite", Network()) +
         Write(folder + "/strings.tflite", Strings()) +
         Write(folder + "/unnamed.tflite", Unnamed()) +
         Write(folder + "/signatures.tflite", Signatures()) +
         Write(folder + "/free_batch.tflite", FreeBatch()) +
         Write(folder + "/line_reader_32.tflite", LineReader(32, 5)) +
         Write(folder + "/failing_detector.tflite", FailingDetector()) +
         Write(folder + "/hybrid.tflite", Hybrid());
}
