#include "import/lowering.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "import/lowering_context.h"

namespace munja::foreign {

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
  return node.direct != nullptr ? LowerDirect : FindLowerer(node.op);
}

Status CheckOperators(const Model& model) {
  std::map<std::string, int> missing;
  for (const Node& node : model.nodes) {
    bool integer = false;
    for (const ValueId v : node.outputs)
      integer = integer || model.values[v].is_integer;
    // Those that only move elements, and find them, take integers, too.
    if (node.direct != nullptr) continue;
    if (integer && !TakesIntegers(node.op))
      ++missing[node.op + " on integers"];
    else if (FindLowerer(node.op) == nullptr)
      ++missing[node.op];
  }
  if (missing.empty()) return {};
  std::string text = "these operators have no .tflite counterpart here:";
  for (const auto& [op, count] : missing)
    text += " " + op + " (" + std::to_string(count) + ")";
  return Unsupported(std::move(text));
}

}  // namespace

Result<graph::Graph> Lower(const Model& model,
                           std::vector<Counterpart>* counterparts,
                           bool keep_layout) {
  MUNJA_RETURN_IF_ERROR(CheckOperators(model));
  graph::Graph graph;
  graph.description = "converted from " + model.source;
  graph.subgraphs.emplace_back();
  graph::Subgraph& subgraph = graph.subgraphs[0];
  subgraph.name = "main";
  LoweringContext context(model, &subgraph);
  graph::Signature signature;
  signature.key = "serving_default";
  const auto outer = [&](const Value& value) {
    const size_t rank = value.shape.size();
    return keep_layout ? IdentityLayout(rank) : ChannelsLast(rank);
  };
  for (const ValueId v : model.inputs) {
    const Value& value = model.values[v];
    const graph::ValueId id = context.Define(v, outer(value));
    subgraph.inputs.push_back(id);
    signature.inputs.emplace_back(value.name, id);
  }
  for (const Node& node : model.nodes)
    MUNJA_RETURN_IF_ERROR(LowererOf(node)(context, node).With(Describe(node)));
  std::set<graph::ValueId> taken(subgraph.inputs.begin(),
                                 subgraph.inputs.end());
  for (const ValueId v : model.outputs) {
    const Value& value = model.values[v];
    MUNJA_ASSIGN_OR_RETURN(graph::ValueId id, context.In(v, outer(value)));
    if (taken.contains(id)) {
      // An input or another output in other words: a tensor of its own.
      const Dims dims = Arrange(value.shape, outer(value));
      if (!IsStatic(dims))
        return Unsupported("output '" + value.name +
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
    signature.outputs.emplace_back(value.name, id);
  }
  graph.signatures.push_back(std::move(signature));
  if (counterparts != nullptr)
    for (const auto& [value, placed] : context.placed())
      counterparts->push_back(
          {value, subgraph.values[placed.id].name, placed.layout});
  return graph;
}

}  // namespace munja::foreign
