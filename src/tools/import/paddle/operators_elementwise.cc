#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "import/paddle/context.h"
#include "import/paddle/writer.h"

namespace munja::foreign::paddle {
namespace {

struct Name {
  const char* paddle;
  const char* neutral;
};

const char* Neutral(std::initializer_list<Name> names,
                    const std::string& type) {
  for (const Name& name : names)
    if (type == name.paddle) return name.neutral;
  return "";
}

}  // namespace

// y beside x: with axis -1 both end together; else the first axis of y is that
// axis of x, and axes of size 1 may lack or be too many at its end.
Result<ValueId> AlignSecond(Context& context, const Operation& op, ValueId x,
                            ValueId y) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", -1));
  const int64_t rank = static_cast<int64_t>(context.ShapeOf(x).size());
  const Dims shape = context.ShapeOf(y);
  const int64_t given = static_cast<int64_t>(shape.size());
  if (axis == -1 || axis + given == rank) return y;
  if (axis < 0 || axis > rank) return Malformed(op, ": axis ", axis);
  graph::Attributes a;
  std::vector<int64_t> axes;
  for (int64_t i = std::min(given, rank - axis);
       i < std::max(given, rank - axis); ++i)
    axes.push_back(i);
  a.Set("axes", std::move(axes));
  return context.Step(op, "aligned",
                      given > rank - axis ? "Squeeze" : "Unsqueeze", {y},
                      std::move(a));
}

Status Plain(Context& context, const Operation& op) {
  const char* name = Neutral({{"relu", "Relu"},
                              {"sigmoid", "Sigmoid"},
                              {"tanh", "Tanh"},
                              {"exp", "Exp"},
                              {"log", "Log"},
                              {"sqrt", "Sqrt"},
                              {"rsqrt", "Rsqrt"},
                              {"square", "Square"},
                              {"reciprocal", "Reciprocal"},
                              {"abs", "Abs"},
                              {"floor", "Floor"},
                              {"ceil", "Ceil"},
                              {"sin", "Sin"},
                              {"cos", "Cos"},
                              {"erf", "Erf"}},
                             op.type);
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  return context.Emit(op, "Out", name, {x});
}

Status Alias(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  return context.Bind(op, "Out", x);
}

Status Dropout(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const bool test, Flag(op, {"is_test"}, false));
  if (!test) return Unsupported(op, ": a program for training");
  // The old format has a longer name for it.
  const char* mode_name = op.attributes.Has("dropout_implementation")
                              ? "dropout_implementation"
                              : "mode";
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         op.attributes.Text(mode_name, "downgrade_in_infer"));
  if (mode == "upscale_in_train") return context.Bind(op, "Out", x);
  MUNJA_ASSIGN_OR_RETURN(const double p,
                         op.attributes.Float("dropout_prob", 0.5));
  if (!(p >= 0 && p <= 1)) return Malformed(op, ": dropout_prob is ", p);
  return context.Emit(op, "Out", "Mul", {x, context.Number(1 - p)});
}

Status Cast(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  const graph::AttributeValue* v = FindFirst(op, {"out_dtype", "dtype"});
  bool to_integer = false, known = false;
  if (v != nullptr) {
    if (const auto* number = std::get_if<int64_t>(v)) {
      if (const auto raw = *number >= 0 && *number < 64
                               ? ToRawType(static_cast<int32_t>(*number))
                               : std::nullopt) {
        known = true;
        to_integer = !IsFloat(*raw);
      }
    } else if (const auto* text = std::get_if<std::string>(v)) {
      known = !text->empty();
      to_integer = text->find("float") == std::string::npos;
    }
  }
  if (!known) return Unsupported(op, ": to this element type");
  // All floats are one type here, and so are all integers; truth values are
  // not.
  if (context.builder.value(x).type == ElementType::kBool) {
    Writer w(context, op);
    return w.Done("Out", w.Cast(x, to_integer ? kI64 : kF32));
  }
  if (to_integer == context.builder.value(x).is_integer)
    return context.Bind(op, "Out", x);
  graph::Attributes a;
  a.Set("to_integer", int64_t{to_integer});
  return context.Emit(op, "Out", "Cast", {x}, std::move(a));
}

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

namespace {

// One number: a constant tensor, or an attribute.
Result<double> Scalar(Context& context, const Operation& op,
                      const char* parameter, const char* attribute,
                      double fallback) {
  MUNJA_ASSIGN_OR_RETURN(const Tensor* t, context.Constant(op, parameter));
  if (t == nullptr) return op.attributes.Float(attribute, fallback);
  if (t->elements() != 1)
    return Malformed(op, ": ", parameter, " is not one number");
  return t->is_integer ? static_cast<double>(t->integers[0])
                       : static_cast<double>(t->floats[0]);
}

}  // namespace

Status Clip(Context& context, const Operation& op) {
  constexpr double kMost = std::numeric_limits<float>::max();
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double low,
                         Scalar(context, op, "Min", "min", -kMost));
  MUNJA_ASSIGN_OR_RETURN(const double high,
                         Scalar(context, op, "Max", "max", kMost));
  graph::Attributes a;
  a.Set("min", low);
  a.Set("max", high);
  return context.Emit(op, "Out", "Clip", {x}, std::move(a));
}

Status Power(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double factor,
                         Scalar(context, op, "FactorTensor",
                                op.attributes.Has("y") ? "y" : "factor", 1));
  if (factor == 2) return context.Emit(op, "Out", "Square", {x});
  if (factor == 0.5) return context.Emit(op, "Out", "Sqrt", {x});
  return context.Emit(op, "Out", "Pow", {x, context.Number(factor)});
}

// scale * x + bias, or scale * (x + bias).
Status Scale(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double scale,
                         Scalar(context, op, "ScaleTensor", "scale", 1));
  MUNJA_ASSIGN_OR_RETURN(const double bias, op.attributes.Float("bias", 0));
  MUNJA_ASSIGN_OR_RETURN(const bool after,
                         Flag(op, {"bias_after_scale"}, true));
  const bool integer = context.builder.value(x).is_integer;
  const auto number = [&](double v) {
    return integer ? context.builder.AddConstant(
                         "", Tensor::Integers({}, {static_cast<int64_t>(v)}))
                   : context.Number(v);
  };
  if (integer && (scale != static_cast<double>(static_cast<int32_t>(scale)) ||
                  bias != static_cast<double>(static_cast<int32_t>(bias))))
    return Unsupported(op, ": integers times a fraction");
  // Integers that are followed, sizes, need no operator at run time.
  if (integer && context.builder.Entries(x).empty()) {
    Writer w(context, op);
    for (const bool multiply : {after, !after}) {
      if (multiply && scale != 1) x = w.Mul(x, scale);
      if (!multiply && bias != 0) x = w.Add(x, bias);
    }
    return w.Done("Out", x);
  }
  for (const bool multiply : {after, !after}) {
    if (multiply ? scale == 1 : bias == 0) continue;
    MUNJA_ASSIGN_OR_RETURN(x,
                           context.Step(op, multiply ? "scaled" : "moved",
                                        multiply ? "Mul" : "Add",
                                        {x, number(multiply ? scale : bias)}));
  }
  return context.Bind(op, "Out", x);
}

Status Binary(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.One(op, "Y"));
  MUNJA_ASSIGN_OR_RETURN(y, AlignSecond(context, op, x, y));
  const char* name = Neutral({{"elementwise_add", "Add"},
                              {"elementwise_sub", "Sub"},
                              {"elementwise_mul", "Mul"},
                              {"elementwise_div", "Div"},
                              {"elementwise_max", "Max"},
                              {"elementwise_min", "Min"},
                              {"elementwise_pow", "Pow"}},
                             op.type);
  const auto computed = [&](ValueId v) {
    return context.builder.value(v).is_integer &&
           context.builder.Entries(v).empty();
  };
  if (computed(x) || computed(y)) {
    Writer w(context, op);
    ValueId a = x;
    w.Match(&a, &y);
    return w.Done("Out", w.Binary(name, a, y));
  }
  return context.Emit(op, "Out", name, {x, y});
}

}  // namespace munja::foreign::paddle
