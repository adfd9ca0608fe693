// Activation functions.
#include <cstdint>
#include <string>
#include <utility>

#include "import/compose/composed.h"
#include "import/paddle/context.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {

Status Activation(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  graph::Attributes a;
  if (op.type == "relu6") {
    MUNJA_ASSIGN_OR_RETURN(const double top,
                           op.attributes.Float("threshold", 6));
    a.Set("min", 0.0);
    a.Set("max", top);
    return context.Emit(op, "Out", "Clip", {x}, std::move(a));
  }
  if (op.type == "gelu") {
    MUNJA_ASSIGN_OR_RETURN(const bool approximate,
                           Flag(op, {"approximate"}, false));
    a.Set("approximate", int64_t{approximate});
    return context.Emit(op, "Out", "Gelu", {x}, std::move(a));
  }
  if (op.type == "hard_swish") {
    // x * clamp(x + offset, 0, threshold) / scale.
    MUNJA_ASSIGN_OR_RETURN(const double offset,
                           op.attributes.Float("offset", 3));
    MUNJA_ASSIGN_OR_RETURN(const double top,
                           op.attributes.Float("threshold", 6));
    MUNJA_ASSIGN_OR_RETURN(const double scale, op.attributes.Float("scale", 6));
    if (!(top > 0) || top != scale)
      return Unsupported(op, ": threshold ", top, " and scale ", scale,
                         " differ");
    a.Set("alpha", 1 / scale);
    a.Set("beta", offset / scale);
    return context.Emit(op, "Out", "HardSwish", {x}, std::move(a));
  }
  if (op.type == "hard_sigmoid") {
    MUNJA_ASSIGN_OR_RETURN(const double slope,
                           op.attributes.Float("slope", 0.2));
    MUNJA_ASSIGN_OR_RETURN(const double offset,
                           op.attributes.Float("offset", 0.5));
    a.Set("alpha", slope);
    a.Set("beta", offset);
    return context.Emit(op, "Out", "HardSigmoid", {x}, std::move(a));
  }
  const bool leaky = op.type == "leaky_relu";
  const char* name =
      op.attributes.Has("negative_slope") ? "negative_slope" : "alpha";
  MUNJA_ASSIGN_OR_RETURN(const double alpha,
                         op.attributes.Float(name, leaky ? 0.02 : 1.0));
  a.Set("alpha", alpha);
  return context.Emit(op, "Out", leaky ? "LeakyRelu" : "Elu", {x},
                      std::move(a));
}

// x * sigmoid(beta * x).
Status Swish(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double beta, op.attributes.Float("beta", 1));
  ValueId gate = x;
  if (beta != 1) {
    MUNJA_ASSIGN_OR_RETURN(
        gate, context.Step(op, "scaled", "Mul", {x, context.Number(beta)}));
  }
  MUNJA_ASSIGN_OR_RETURN(gate, context.Step(op, "gate", "Sigmoid", {gate}));
  return context.Emit(op, "Out", "Mul", {x, gate});
}

Status PRelu(Context& context, const Operation& op) {
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const Tensor* alpha, context.Constant(op, "Alpha"));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         op.attributes.Text("mode", "all"));
  if (alpha == nullptr || alpha->is_integer)
    return Malformed(op, " has no slopes");
  const Dims& shape = context.ShapeOf(x);
  const int64_t count = static_cast<int64_t>(alpha->floats.size());
  Dims slopes;
  if (mode == "channel" && shape.size() > 1) {
    slopes.assign(shape.size() - 1, 1);
    slopes[0] = count;
  } else if (mode != "all" || count != 1) {
    return Unsupported(op, ": mode ", mode);
  }
  const ValueId slope = context.builder.AddConstant(
      op.name + "/slope", Tensor::Floats(slopes, alpha->floats));
  return context.Emit(op, "Out", "PRelu", {x, slope});
}

// x / (1 + |x|), and x - tanh(x).
Status SoftSign(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  if (op.type == "tanh_shrink")
    return w.Done("Out", w.Sub(x, w.Unary("Tanh", x)));
  return w.Done("Out", w.Div(x, w.Add(w.Unary("Abs", x), 1)));
}

Status HardTanh(Context& context, const Operation& op) {
  Writer w(context, op);
  const double low = w.Given(op.attributes.Float("t_min", 0));
  const double high = w.Given(op.attributes.Float("t_max", 24));
  return w.Done(
      "Out", w.Neutral("Clip", {w.Need("X")}, {{"min", low}, {"max", high}}));
}

// scale * x, or of what is negative scale * alpha * (exp(x) - 1).
Status Selu(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const double scale =
      w.Given(op.attributes.Float("scale", 1.0507009873554804934193349852946));
  const double alpha =
      w.Given(op.attributes.Float("alpha", 1.6732632423543772848170429916717));
  return w.Done("Out", w.Mul(w.Neutral("Elu", {x}, {{"alpha", alpha}}), scale));
}

namespace {

// Above the threshold these functions are the identity, which is
// indistinguishable from 15 on.
Status CheckThreshold(const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const double threshold,
                         op.attributes.Float("threshold", 20));
  if (threshold >= 15) return {};
  return Unsupported(op, ": threshold ", threshold);
}

}  // namespace

Status Softplus(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double beta, op.attributes.Float("beta", 1));
  MUNJA_RETURN_IF_ERROR(CheckThreshold(op));
  if (!(beta > 0)) return Malformed(op, ": beta ", beta);
  if (beta != 1) {
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(op, "scaled", "Mul", {x, context.Number(beta)}));
  }
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         LogOnePlusExp(context, op, x, context.Number(1)));
  if (beta == 1) return context.Bind(op, "Out", y);
  return context.Emit(op, "Out", "Mul", {y, context.Number(1 / beta)});
}

// -log(1 + exp(-x))
Status LogSigmoid(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "turned", "Neg", {y}));
  MUNJA_ASSIGN_OR_RETURN(y, LogOnePlusExp(context, op, y, context.Number(1)));
  return context.Emit(op, "Out", "Neg", {y});
}

Status Mish(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_RETURN_IF_ERROR(CheckThreshold(op));
  MUNJA_ASSIGN_OR_RETURN(ValueId y,
                         LogOnePlusExp(context, op, x, context.Number(1)));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "gate", "Tanh", {y}));
  return context.Emit(op, "Out", "Mul", {x, y});
}

}  // namespace munja::importer::paddle
