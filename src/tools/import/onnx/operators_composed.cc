// ONNX operators that are written with others.
#include <string>
#include <utility>

#include "import/composed.h"
#include "import/onnx/operators.h"

namespace munja::foreign::onnx {
namespace {

ValueId Number(Context& context, double value) {
  return context.builder.AddConstant(
      "", Tensor::Floats({}, {static_cast<float>(value)}));
}

}  // namespace

Status Composed(Context& context, const Operator& op) {
  const ValueId x = op.inputs[0];
  if (op.type == "Softplus") {
    MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                           LogOnePlusExp(context, op, x, Number(context, 1)));
    return context.Bind(op, 0, y);
  }
  if (op.type == "Mish") {
    MUNJA_ASSIGN_OR_RETURN(ValueId y,
                           LogOnePlusExp(context, op, x, Number(context, 1)));
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "gate", "Tanh", {y}));
    return context.Emit(op, "Mul", {x, y});
  }
  // Softsign
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.Step(op, "abs", "Abs", {x}));
  MUNJA_ASSIGN_OR_RETURN(
      y, context.Step(op, "moved", "Add", {y, Number(context, 1)}));
  return context.Emit(op, "Div", {x, y});
}

// Sum and Mean of any number of inputs.
Status Sum(Context& context, const Operator& op) {
  ValueId sum = op.inputs[0];
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    if (op.inputs[i] == kNoValue) return Malformed(op, " lacks an input");
    MUNJA_ASSIGN_OR_RETURN(sum,
                           context.Step(op, "sum", "Add", {sum, op.inputs[i]}));
  }
  if (op.type == "Sum") return context.Bind(op, 0, sum);
  const double count = static_cast<double>(op.inputs.size());
  return context.Emit(op, "Mul", {sum, Number(context, 1 / count)});
}

}  // namespace munja::foreign::onnx
