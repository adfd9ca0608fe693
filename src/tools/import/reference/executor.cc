#include "import/reference/executor.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/control.h"
#include "import/direct.h"
#include "import/ir/bodies.h"
#include "import/reference/loops.h"
#include "import/shapes/shape_inference.h"

namespace munja::importer {
namespace {

using Loop = Status (*)(const Node&, reference::Inputs, reference::Outputs*);

Loop FindLoop(std::string_view op) {
  struct Row {
    std::string_view op;
    Loop loop;
  };
  static constexpr Row kRows[] = {
      {"Add", reference::RunBinary},
      {"Sub", reference::RunBinary},
      {"Mul", reference::RunBinary},
      {"Div", reference::RunBinary},
      {"Max", reference::RunBinary},
      {"Min", reference::RunBinary},
      {"Pow", reference::RunBinary},
      {"PRelu", reference::RunBinary},
      {"Cast", reference::RunCast},
      {"ReduceMean", reference::RunReduce},
      {"ReduceSum", reference::RunReduce},
      {"ReduceMax", reference::RunReduce},
      {"ReduceMin", reference::RunReduce},
      {"ArgMax", reference::RunArgMax},
      {"Softmax", reference::RunSoftmax},
      {"BatchNormalization", reference::RunBatchNorm},
      {"LayerNormalization", reference::RunLayerNorm},
      {"Conv", reference::RunConv},
      {"ConvTranspose", reference::RunConvTranspose},
      {"MaxPool", reference::RunPool},
      {"AveragePool", reference::RunPool},
      {"MatMul", reference::RunMatMul},
      {"Resize", reference::RunResize},
      {"LSTM", reference::RunLstm},
      {"DepthToSpace", reference::RunDepthToSpace},
      {"Concat", reference::RunConcat},
      {"Split", reference::RunSplit},
      {"Slice", reference::RunSlice},
      {"Transpose", reference::RunTranspose},
      {"Pad", reference::RunPad},
      {"Gather", reference::RunGather},
      {"Shape", reference::RunShape},
      {"Identity", reference::RunCopy},
      {"Copy", reference::RunCopy},
      {"Reshape", reference::RunCopy},
      {"Squeeze", reference::RunCopy},
      {"Unsqueeze", reference::RunCopy},
  };
  for (const Row& row : kRows)
    if (row.op == op) return row.loop;
  return reference::RunUnary;  // Every other operator InferNode knows.
}

Status CheckInput(const Value& value, const Tensor& given) {
  bool fits = given.shape.size() == value.shape.size() &&
              given.is_integer == value.is_integer;
  for (size_t i = 0; fits && i < value.shape.size(); ++i)
    fits = value.shape[i] < 0 || value.shape[i] == given.shape[i];
  if (!fits)
    return InvalidArgument("input '", value.name, "' is ",
                           ToString(value.shape), ", not ",
                           ToString(given.shape));
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(given.shape));
  if (count != static_cast<int64_t>(given.elements()))
    return InvalidArgument("input '", value.name, "' has ", given.elements(),
                           " elements");
  return {};
}

// A result and the memory it counts for.
struct Computed {
  Tensor tensor;
  MemoryClaim claim;
};

Status Run(const Node& node, std::span<const Tensor* const> inputs,
           int64_t max_elements, std::vector<Computed>* computed) {
  std::vector<ValueInfo> infos;
  for (const Tensor* t : inputs)
    infos.push_back(t != nullptr
                        ? ValueInfo{t->shape, t->is_integer, true, t->type, t}
                        : ValueInfo{{}, false, false});
  std::vector<Tensor> outputs;
  std::vector<MemoryClaim> claims;
  int64_t total = 0;
  if (node.direct != nullptr || !node.bodies.empty()) {
    MUNJA_ASSIGN_OR_RETURN(
        outputs, (node.direct != nullptr ? RunDirect(node, inputs, max_elements)
                                         : RunControl(node, inputs))
                     .With(node));
    for (Tensor& t : outputs) {
      MUNJA_ASSIGN_OR_RETURN(
          MemoryClaim claim,
          MemoryClaim::Take(t.elements() *
                            (t.is_integer ? sizeof(int64_t) : sizeof(float))));
      computed->push_back({std::move(t), std::move(claim)});
    }
    return {};
  }
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueInfo> results,
                         InferNode(node, infos));
  for (const ValueInfo& info : results) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(info.shape));
    total += count;
    if (total > max_elements)
      return OutOfMemory(node, ": an output of shape ", ToString(info.shape),
                         " is larger than allowed");
    auto claim =
        MemoryClaim::Take(static_cast<size_t>(count) *
                          (info.is_integer ? sizeof(int64_t) : sizeof(float)));
    if (!claim.ok())
      return std::move(claim).TakeStatus().With(node, ": an output of shape ",
                                                ToString(info.shape));
    claims.push_back(std::move(*claim));
    Tensor t;
    t.shape = info.shape;
    t.is_integer = info.is_integer;
    t.type = info.type;
    if (t.is_integer)
      t.integers.resize(count);
    else
      t.floats.resize(count);
    outputs.push_back(std::move(t));
  }
  MUNJA_RETURN_IF_ERROR(FindLoop(node.op)(node, inputs, &outputs).With(node));
  MUNJA_RETURN_IF_ERROR(CheckControl());  // Loops may have been cut short.
  for (size_t i = 0; i < outputs.size(); ++i)
    computed->push_back({std::move(outputs[i]), std::move(claims[i])});
  return {};
}

}  // namespace

Result<std::vector<Tensor>> RunNode(const Node& node,
                                    std::span<const Tensor* const> inputs,
                                    int64_t max_elements) {
  std::vector<Computed> computed;
  MUNJA_RETURN_IF_ERROR(Run(node, inputs, max_elements, &computed));
  std::vector<Tensor> outputs;
  for (Computed& c : computed) outputs.push_back(std::move(c.tensor));
  return outputs;
}

Result<std::vector<Tensor>> RunModel(const Model& model,
                                     std::span<const Tensor> inputs,
                                     const Visitor& visit) {
  if (inputs.size() != model.inputs.size())
    return InvalidArgument("the model has ", model.inputs.size(),
                           " inputs, not ", inputs.size());
  std::vector<std::optional<Computed>> computed(model.values.size());
  std::vector<const Tensor*> at(model.values.size(), nullptr);
  for (size_t i = 0; i < model.values.size(); ++i)
    at[i] = model.values[i].constant.get();
  for (size_t i = 0; i < inputs.size(); ++i) {
    MUNJA_RETURN_IF_ERROR(CheckInput(model.values[model.inputs[i]], inputs[i]));
    at[model.inputs[i]] = &inputs[i];
  }
  std::vector<int> uses = CountUses(model);
  size_t done = 0;
  for (const Node& node : model.nodes) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    ReportProgress("comparing", ++done, model.nodes.size());
    std::vector<const Tensor*> arguments;
    for (const ValueId v : node.inputs) {
      arguments.push_back(v == kNoValue ? nullptr : at[v]);
      if (v != kNoValue && at[v] == nullptr)
        return Internal(node, " reads '", model.values[v].name,
                        "' before it is computed");
    }
    std::vector<Computed> results;
    MUNJA_RETURN_IF_ERROR(Run(node, arguments, kMaxOutput, &results));
    if (results.size() < node.outputs.size())
      return Internal(node, " has too many outputs");
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId v = node.outputs[i];
      computed[v] = std::move(results[i]);
      at[v] = &computed[v]->tensor;
      if (visit) visit(v, *at[v]);
      if (uses[v] == 0) computed[v].reset();
    }
    for (const ValueId v : node.inputs)
      if (v != kNoValue && --uses[v] == 0) computed[v].reset();
  }
  std::vector<Tensor> outputs;
  for (const ValueId v : model.outputs) {
    if (at[v] == nullptr)
      return Internal("output '", model.values[v].name, "' was not computed");
    if (computed[v].has_value() && --uses[v] == 0)
      outputs.push_back(std::move(computed[v]->tensor));
    else
      outputs.push_back(*at[v]);
  }
  return outputs;
}

}  // namespace munja::importer
