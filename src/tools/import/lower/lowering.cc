#include "import/lower/lowering.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "import/lower/lowering_context.h"

namespace munja::importer {

Lowerer FindLowerer(std::string_view op) {
  struct Row {
    std::string_view op;
    Lowerer lower;
  };
  static constexpr Row kRows[] = {
      {"Relu", LowerUnary},
      {"LeakyRelu", LowerUnary},
      {"Elu", LowerUnary},
      {"Sigmoid", LowerUnary},
      {"Tanh", LowerUnary},
      {"Exp", LowerUnary},
      {"Log", LowerUnary},
      {"Sqrt", LowerUnary},
      {"Rsqrt", LowerUnary},
      {"Square", LowerUnary},
      {"Reciprocal", LowerUnary},
      {"Abs", LowerUnary},
      {"Neg", LowerUnary},
      {"Floor", LowerUnary},
      {"Ceil", LowerUnary},
      {"Sin", LowerUnary},
      {"Cos", LowerUnary},
      {"Gelu", LowerUnary},
      {"Identity", LowerIdentity},
      {"Copy", LowerCopy},
      {"Erf", LowerErf},
      {"Shape", LowerShape},
      {"Clip", LowerClip},
      {"FakeQuantize", LowerFakeQuantize},
      {"HardSwish", LowerHardSwish},
      {"PRelu", LowerPRelu},
      {"Add", LowerBinary},
      {"Sub", LowerBinary},
      {"Mul", LowerBinary},
      {"Div", LowerBinary},
      {"Max", LowerBinary},
      {"Min", LowerBinary},
      {"Pow", LowerBinary},
      {"Conv", LowerConv},
      {"ConvTranspose", LowerConvTranspose},
      {"MaxPool", LowerPool},
      {"AveragePool", LowerPool},
      {"ReduceMean", LowerReduce},
      {"ReduceSum", LowerReduce},
      {"ReduceMax", LowerReduce},
      {"ReduceMin", LowerReduce},
      {"ArgMax", LowerArgMax},
      {"Cast", LowerCast},
      {"Softmax", LowerSoftmax},
      {"LayerNormalization", LowerLayerNorm},
      {"MatMul", LowerMatMul},
      {"FullyConnected", LowerMatMul},
      {"DepthToSpace", LowerDepthToSpace},
      {"Concat", LowerConcat},
      {"Split", LowerSplit},
      {"Slice", LowerSlice},
      {"Squeeze", LowerSqueeze},
      {"Unsqueeze", LowerUnsqueeze},
      {"Reshape", LowerReshape},
      {"Transpose", LowerTranspose},
      {"Pad", LowerPad},
      {"Gather", LowerGather},
      {"Resize", LowerResize},
      {"LSTM", LowerLstm},
  };
  for (const Row& row : kRows)
    if (row.op == op) return row.lower;
  return nullptr;
}

namespace {

bool TakesIntegers(std::string_view op) {
  constexpr std::string_view kOps[] = {
      "ArgMax",  "Cast",      "Concat",  "Split",     "Slice",
      "Squeeze", "Unsqueeze", "Reshape", "Transpose", "Gather",
      "Shape",   "Identity",  "Copy"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

Lowerer LowererOf(const Node& node) {
  if (!node.bodies.empty()) return LowerControl;
  return node.direct != nullptr ? LowerDirect : FindLowerer(node.op);
}

Status CheckOperators(const Model& model) {
  std::map<std::string, int> missing;
  for (const Node& node : model.nodes) {
    bool integer = false;
    for (const ValueId v : node.outputs)
      integer = integer || model.values[v].is_integer;
    // Operators that only move or locate elements take integers, too.
    if (node.direct != nullptr || !node.bodies.empty()) continue;
    if (integer && !TakesIntegers(node.op))
      ++missing[node.op + " on integers"];
    else if (FindLowerer(node.op) == nullptr)
      ++missing[node.op];
  }
  return RefuseMissing("these operators have no .tflite equivalent here:",
                       missing);
}

// Writes the whole model into the context's subgraph.
Status LowerInto(LoweringContext& context, bool keep_layout,
                 graph::Signature* signature) {
  const Model& model = context.model;
  graph::Subgraph& subgraph = context.subgraph;
  MUNJA_RETURN_IF_ERROR(CheckOperators(model));
  const auto outer = [&](const Value& value) {
    const size_t rank = value.shape.size();
    return keep_layout ? IdentityLayout(rank) : ChannelsLast(rank);
  };
  for (const ValueId v : model.inputs) {
    const Value& value = model.values[v];
    const graph::ValueId id = context.Define(v, outer(value));
    subgraph.inputs.push_back(id);
    signature->inputs.emplace_back(value.name, id);
  }
  for (const Node& node : model.nodes)
    MUNJA_RETURN_IF_ERROR(LowererOf(node)(context, node).With(node));
  std::set<graph::ValueId> taken(subgraph.inputs.begin(),
                                 subgraph.inputs.end());
  for (const ValueId v : model.outputs) {
    const Value& value = model.values[v];
    MUNJA_ASSIGN_OR_RETURN(graph::ValueId id, context.In(v, outer(value)));
    if (taken.contains(id)) {
      // An input or another output in other words: a tensor of its own.
      const Dims dims = Arrange(value.shape, outer(value));
      if (!IsStatic(dims))
        return Unsupported("output '", value.name,
                           "' is an input or another output");
      Node source;
      source.name = value.name;
      const graph::ValueId copy =
          context.NewValue(value.name + "/copy", value.type, dims);
      graph::Attributes a;
      a.Set("new_shape", dims);
      context.Emit(source, "RESHAPE",
                   {id, context.Ints(value.name + "/shape", dims)}, {copy},
                   std::move(a));
      id = copy;
    }
    taken.insert(id);
    context.Rename(id, value.name);
    context.Alias(v, {id, outer(value)});
    subgraph.outputs.push_back(id);
    signature->outputs.emplace_back(value.name, id);
  }
  return {};
}

}  // namespace

Status LowerControl(LoweringContext& context, const Node& node) {
  std::vector<graph::ValueId> inputs, outputs;
  for (const ValueId v : node.inputs) {
    MUNJA_ASSIGN_OR_RETURN(
        const graph::ValueId in,
        context.In(v, IdentityLayout(context.ShapeOf(v).size())));
    inputs.push_back(in);
  }
  int64_t bodies[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    graph::Subgraph& body = context.bodies.emplace_back();
    bodies[i] = static_cast<int64_t>(context.bodies.size());  // Main is 0.
    body.name = "body_" + std::to_string(bodies[i]);
    LoweringContext inner(*node.bodies[i], &body, &context.bodies);
    graph::Signature unused;
    MUNJA_RETURN_IF_ERROR(LowerInto(inner, true, &unused));
  }
  for (const ValueId v : node.outputs)
    outputs.push_back(
        context.Define(v, IdentityLayout(context.ShapeOf(v).size())));
  const bool loop = node.op == "While";
  graph::Attributes a;
  a.Set(loop ? "cond_subgraph_index" : "then_subgraph_index", bodies[0]);
  a.Set(loop ? "body_subgraph_index" : "else_subgraph_index", bodies[1]);
  context.Emit(node, loop ? "WHILE" : "IF", std::move(inputs),
               std::move(outputs), std::move(a));
  return {};
}

Result<graph::Graph> Lower(const Model& model,
                           std::vector<TensorMapping>* mappings,
                           bool keep_layout) {
  graph::Graph graph;
  graph.description = "converted from " + model.source;
  graph.subgraphs.emplace_back();
  graph::Subgraph& subgraph = graph.subgraphs[0];
  subgraph.name = "main";
  std::deque<graph::Subgraph> bodies;
  LoweringContext context(model, &subgraph, &bodies);
  graph::Signature signature;
  signature.key = "serving_default";
  MUNJA_RETURN_IF_ERROR(LowerInto(context, keep_layout, &signature));
  graph.signatures.push_back(std::move(signature));
  if (mappings != nullptr)
    for (const auto& [value, placed] : context.placed())
      mappings->push_back(
          {value, subgraph.values[placed.id].name, placed.layout});
  for (graph::Subgraph& body : bodies)
    graph.subgraphs.push_back(std::move(body));
  return graph;
}

}  // namespace munja::importer
