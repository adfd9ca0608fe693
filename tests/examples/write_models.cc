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
         Write(folder + "/strings.tflite", Strings());
}
