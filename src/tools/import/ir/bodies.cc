#include "import/ir/bodies.h"

#include <string>
#include <utility>

#include "base/control.h"
#include "import/reference/executor.h"

namespace munja::importer {
namespace {

ValueInfo InfoOf(const Value& value) {
  ValueInfo info;
  info.shape = value.shape;
  info.is_integer = value.is_integer;
  info.type = value.type;
  return info;
}

Result<bool> Holds(const Tensor& t) {
  if (!t.is_integer || t.integers.size() != 1)
    return Malformed("the condition has shape ", ToString(t.shape),
                     ", wants one bool");
  return t.integers[0] != 0;
}

}  // namespace

Result<std::vector<ValueInfo>> InferControl(const Node& node) {
  if (node.bodies.size() != 2) return Internal("not two bodies");
  const Model& first = *node.bodies[0];
  const Model& second = *node.bodies[1];
  std::vector<ValueInfo> outputs;
  if (node.op == "While") {
    for (const ValueId v : second.inputs)
      outputs.push_back(InfoOf(second.value(v)));
    return outputs;
  }
  if (first.outputs.size() != second.outputs.size())
    return Malformed("one branch has ", first.outputs.size(),
                     " outputs, the other ", second.outputs.size());
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    ValueInfo info = InfoOf(first.value(first.outputs[i]));
    const Value& other = second.value(second.outputs[i]);
    if (info.type != other.type || info.shape.size() != other.shape.size())
      return Unsupported("output ", i, " is ", ToString(info.shape),
                         " of one branch and ", ToString(other.shape),
                         " of the other");
    for (size_t k = 0; k < info.shape.size(); ++k)
      if (info.shape[k] != other.shape[k]) info.shape[k] = kUnknown;
    outputs.push_back(std::move(info));
  }
  return outputs;
}

Result<std::vector<Tensor>> RunControl(const Node& node,
                                       std::span<const Tensor* const> inputs) {
  std::vector<Tensor> values;
  for (const Tensor* t : inputs) {
    if (t == nullptr) return Malformed("an input is absent");
    values.push_back(*t);
  }
  if (node.op == "If") {
    MUNJA_ASSIGN_OR_RETURN(const bool holds, Holds(values[0]));
    return RunModel(*node.bodies[holds ? 0 : 1],
                    std::span<const Tensor>(values).subspan(1));
  }
  for (;;) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    MUNJA_ASSIGN_OR_RETURN(const std::vector<Tensor> result,
                           RunModel(*node.bodies[0], values));
    MUNJA_ASSIGN_OR_RETURN(const bool holds, Holds(result[0]));
    if (!holds) return values;
    MUNJA_ASSIGN_OR_RETURN(values, RunModel(*node.bodies[1], values));
  }
}

Result<bool> WidenShapes(const Model& body, size_t first_output,
                         std::span<const LoopVariable> variables,
                         std::span<Dims> shapes) {
  bool grew = false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Value& next = body.value(body.outputs[first_output + i]);
    if (next.shape.size() != shapes[i].size() || next.type != variables[i].type)
      return Unsupported("variable ", variables[i].name,
                         " changes its rank or type in an iteration");
    for (size_t k = 0; k < next.shape.size(); ++k) {
      if (shapes[i][k] == kUnknown || shapes[i][k] == next.shape[k]) continue;
      shapes[i][k] = kUnknown;
      grew = true;
    }
  }
  return grew;
}

}  // namespace munja::importer
