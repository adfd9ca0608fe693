// ONNX operators that are written with others.
#include <string>
#include <utility>

#include "import/onnx/context.h"

namespace munja::foreign::onnx {
namespace {

ValueId Number(Context& context, double value) {
  return context.builder.AddConstant(
      "", Tensor::Floats({}, {static_cast<float>(value)}));
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which cannot overflow.
Result<ValueId> Softplus(Context& context, const Operator& op, ValueId x) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId top,
                         context.Step(op, "top", "Relu", {x}));
  ValueId y = x;
  for (const char* step : {"Abs", "Neg", "Exp"}) {
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, step, step, {y}));
  }
  MUNJA_ASSIGN_OR_RETURN(
      y, context.Step(op, "moved", "Add", {y, Number(context, 1)}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "log", "Log", {y}));
  return context.Step(op, "softplus", "Add", {top, y});
}

// Settings of a reduction: axes by attribute or input, keepdims.
Result<graph::Attributes> Axes(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> axes,
                         context.Ints(op, "axes", 1, &present));
  MUNJA_ASSIGN_OR_RETURN(const int64_t keep, op.attributes.Int("keepdims", 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t no_op,
                         op.attributes.Int("noop_with_empty_axes", 0));
  if (axes.empty() && no_op != 0)
    return Unsupported(Describe(op) + ": noop_with_empty_axes");
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  a.Set("keepdims", keep);
  return a;
}

// x - max - log(sum(exp(x - max))) along one axis.
Status LogSoftmax(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, context.SoftmaxAxis(op));
  graph::Attributes a;
  a.Set("axes", std::vector<int64_t>{axis});
  a.Set("keepdims", int64_t{1});
  MUNJA_ASSIGN_OR_RETURN(const ValueId top, context.Step(op, "top", "ReduceMax",
                                                         {op.inputs[0]}, a));
  MUNJA_ASSIGN_OR_RETURN(const ValueId x,
                         context.Step(op, "below", "Sub", {op.inputs[0], top}));
  MUNJA_ASSIGN_OR_RETURN(ValueId sum, context.Step(op, "exp", "Exp", {x}));
  MUNJA_ASSIGN_OR_RETURN(
      sum, context.Step(op, "sum", "ReduceSum", {sum}, std::move(a)));
  MUNJA_ASSIGN_OR_RETURN(sum, context.Step(op, "log", "Log", {sum}));
  return context.Emit(op, "Sub", {x, sum});
}

}  // namespace

Status Composed(Context& context, const Operator& op) {
  const ValueId x = op.inputs[0];
  if (op.type == "LogSoftmax") return LogSoftmax(context, op);
  if (op.type == "Softplus") {
    MUNJA_ASSIGN_OR_RETURN(const ValueId y, Softplus(context, op, x));
    return context.Bind(op, 0, y);
  }
  if (op.type == "Mish") {
    MUNJA_ASSIGN_OR_RETURN(ValueId y, Softplus(context, op, x));
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "gate", "Tanh", {y}));
    return context.Emit(op, "Mul", {x, y});
  }
  if (op.type == "Softsign") {
    MUNJA_ASSIGN_OR_RETURN(ValueId y, context.Step(op, "abs", "Abs", {x}));
    MUNJA_ASSIGN_OR_RETURN(
        y, context.Step(op, "moved", "Add", {y, Number(context, 1)}));
    return context.Emit(op, "Div", {x, y});
  }
  MUNJA_ASSIGN_OR_RETURN(graph::Attributes a, Axes(context, op));
  MUNJA_ASSIGN_OR_RETURN(const ValueId squares,
                         context.Step(op, "squares", "Square", {x}));
  if (op.type == "ReduceSumSquare")
    return context.Emit(op, "ReduceSum", {squares}, std::move(a));
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId sum,
      context.Step(op, "sum", "ReduceSum", {squares}, std::move(a)));
  return context.Emit(op, "Sqrt", {sum});
}

// Sum and Mean of any number of inputs.
Status Sum(Context& context, const Operator& op) {
  ValueId sum = op.inputs[0];
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    if (op.inputs[i] == kNoValue)
      return Malformed(Describe(op) + " lacks an input");
    MUNJA_ASSIGN_OR_RETURN(sum,
                           context.Step(op, "sum", "Add", {sum, op.inputs[i]}));
  }
  if (op.type == "Sum") return context.Bind(op, 0, sum);
  const double count = static_cast<double>(op.inputs.size());
  return context.Emit(op, "Mul", {sum, Number(context, 1 / count)});
}

// (x - mean) / sqrt(variance + epsilon) * scale + bias over each plane.
Status InstanceNormalization(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const double epsilon,
                         op.attributes.Float("epsilon", 1e-5));
  const Dims shape = context.ShapeOf(op.inputs[0]);
  if (shape.size() < 3)
    return Malformed(Describe(op) + ": input of shape " + ToString(shape));
  std::vector<int64_t> planes;
  for (size_t i = 2; i < shape.size(); ++i)
    planes.push_back(static_cast<int64_t>(i));
  ValueId parameter[2];
  for (int i = 0; i < 2; ++i) {
    const ValueId id = op.input(1 + i);
    const Tensor* t = id == kNoValue ? nullptr : context.builder.constant(id);
    if (t == nullptr)
      return Unsupported(Describe(op) + ": parameters computed at run time");
    Dims wide(shape.size() - 1, 1);
    wide[0] = static_cast<int64_t>(t->floats.size());
    parameter[i] = context.builder.AddConstant(
        op.outputs.empty() ? "" : op.outputs[0] + "/parameter",
        Tensor::Floats(std::move(wide), t->floats));
  }
  graph::Attributes a;
  a.Set("axes", planes);
  a.Set("keepdims", int64_t{1});
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId mean,
      context.Step(op, "mean", "ReduceMean", {op.inputs[0]}, a));
  MUNJA_ASSIGN_OR_RETURN(
      ValueId x, context.Step(op, "centered", "Sub", {op.inputs[0], mean}));
  MUNJA_ASSIGN_OR_RETURN(ValueId scale,
                         context.Step(op, "squares", "Square", {x}));
  MUNJA_ASSIGN_OR_RETURN(
      scale, context.Step(op, "variance", "ReduceMean", {scale}, std::move(a)));
  MUNJA_ASSIGN_OR_RETURN(
      scale,
      context.Step(op, "moved", "Add", {scale, Number(context, epsilon)}));
  MUNJA_ASSIGN_OR_RETURN(scale, context.Step(op, "scale", "Rsqrt", {scale}));
  MUNJA_ASSIGN_OR_RETURN(x, context.Step(op, "normal", "Mul", {x, scale}));
  MUNJA_ASSIGN_OR_RETURN(x,
                         context.Step(op, "scaled", "Mul", {x, parameter[0]}));
  return context.Emit(op, "Add", {x, parameter[1]});
}

}  // namespace munja::foreign::onnx
