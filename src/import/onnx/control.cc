// If, whose branch is known when the model is read.
#include <utility>
#include <vector>

#include "import/onnx/body.h"
#include "import/onnx/operators.h"
#include "import/onnx/writer.h"
#include "onnx.pb.h"

namespace munja::foreign::onnx {

Status Conditional(Context& context, const Operator& op) {
  const auto find = [&](const char* name) {
    const auto it = op.graphs.find(name);
    return it == op.graphs.end() ? nullptr : it->second;
  };
  const munja::onnx::GraphProto* yes = find("then_branch");
  const munja::onnx::GraphProto* no = find("else_branch");
  if (yes == nullptr || no == nullptr)
    return Malformed(Describe(op) + " lacks a branch");
  MUNJA_ASSIGN_OR_RETURN(const double condition,
                         context.Number(op, "condition", 0, 0));
  const munja::onnx::GraphProto& taken = condition != 0 ? *yes : *no;
  if (taken.output_size() < static_cast<int>(op.outputs.size()))
    return Malformed(Describe(op) + ": a branch has " +
                     std::to_string(taken.output_size()) + " outputs");
  // What the branch names is not seen outside.
  std::map<std::string, ValueId> outer = context.values;
  MUNJA_RETURN_IF_ERROR(AddNodes(context, taken).With(Describe(op)));
  std::vector<ValueId> results;
  for (int i = 0; i < taken.output_size(); ++i) {
    const auto it = context.values.find(taken.output(i).name());
    if (it == context.values.end())
      return Malformed(Describe(op) + ": nothing writes the output '" +
                       taken.output(i).name() + "' of a branch");
    results.push_back(it->second);
  }
  context.values = std::move(outer);
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (!op.outputs[i].empty())
      MUNJA_RETURN_IF_ERROR(context.Bind(op, i, results[i]));
  return {};
}

}  // namespace munja::foreign::onnx
