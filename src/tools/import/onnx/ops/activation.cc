// Activation functions.
#include <string>
#include <string_view>
#include <utility>

#include "import/compose/composed.h"
#include "import/onnx/operators.h"
#include "import/onnx/ops/helpers.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {

Status MoreActivations(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const std::string_view type = op.type;
  const auto minus = [&] {  // exp(min(x, 0)) - 1
    return w.Add(w.Unary("Exp", w.Binary("Min", x, w.Scalar(0))), -1.0);
  };
  if (type == "Elu") {
    const double alpha = w.Float("alpha", 1);
    if (alpha == 1) return w.Done(w.Neutral("Elu", {x}, {{"alpha", 1.0}}));
    return w.Done(w.Add(w.Unary("Relu", x), w.Mul(minus(), alpha)));
  }
  if (type == "Selu") {
    const double alpha = w.Float("alpha", 1.67326319217681884765625);
    const double gamma = w.Float("gamma", 1.05070102214813232421875);
    return w.Done(
        w.Mul(w.Add(w.Unary("Relu", x), w.Mul(minus(), alpha)), gamma));
  }
  if (type == "Celu") {
    const double alpha = w.Float("alpha", 1);
    const ValueId low = w.Binary("Min", x, w.Scalar(0));
    const ValueId grown = w.Add(w.Unary("Exp", w.Mul(low, 1 / alpha)), -1.0);
    return w.Done(w.Add(w.Unary("Relu", x), w.Mul(grown, alpha)));
  }
  if (type == "ThresholdedRelu") {
    const ValueId above =
        w.Compare("GREATER", x, w.Scalar(w.Float("alpha", 1)));
    return w.Done(w.Select(above, x, w.Scalar(0)));
  }
  // Shrink
  const double bias = w.Float("bias", 0), lambda = w.Float("lambd", 0.5);
  const ElementType own = w.type(x);
  const ValueId v = w.Cast(x, kF32);
  const ValueId low = w.Compare("LESS", v, w.Scalar(-lambda));
  const ValueId high = w.Compare("GREATER", v, w.Scalar(lambda));
  const ValueId inner = w.Select(high, w.Add(v, -bias), w.Scalar(0));
  return w.Done(w.Cast(w.Select(low, w.Add(v, bias), inner), own));
}

// Slopes may be computed, and have any shape that broadcasts.
Status PRelu(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), slope = w.Need(1);
  if (w.ok() && w.constant(slope) != nullptr &&
      w.shape(slope).size() <= w.shape(x).size())
    return w.Done(w.Neutral("PRelu", {x, slope}));
  const ValueId low = w.Binary("Min", x, w.Scalar(0));
  return w.Done(w.Add(w.Unary("Relu", x), w.Mul(low, slope)));
}

Status Activation(Context& context, const Operator& op) {
  graph::Attributes a;
  const bool hard = op.type == "HardSigmoid";
  if (op.type == "Gelu") {
    const Result<std::string> form = op.attributes.Text("approximate", "none");
    if (!form.ok()) return form.status().Clone();
    a.Set("approximate", int64_t{*form == "tanh"});
  } else if (op.type == "HardSwish") {
    a.Set("alpha", 1.0 / 6);
    a.Set("beta", 0.5);
  } else {
    MUNJA_ASSIGN_OR_RETURN(const double alpha,
                           op.attributes.Float("alpha", hard ? 0.2 : 0.01));
    a.Set("alpha", alpha);
    if (hard) {
      MUNJA_ASSIGN_OR_RETURN(const double beta,
                             op.attributes.Float("beta", 0.5));
      a.Set("beta", beta);
    }
  }
  return context.Emit(op, op.type, {op.inputs[0]}, std::move(a));
}

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

}  // namespace munja::importer::onnx
