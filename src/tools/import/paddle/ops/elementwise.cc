// Functions of single elements and of pairs of elements.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "import/paddle/context.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
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

// Aligns y with x: with axis -1 the last axes match; else the first axis of y
// is that axis of x, and trailing axes of size 1 may be missing or surplus.
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

namespace {

// A scalar: a constant tensor, or an attribute.
Result<double> Scalar(Context& context, const Operation& op,
                      const char* parameter, const char* attribute,
                      double fallback) {
  MUNJA_ASSIGN_OR_RETURN(const Tensor* t, context.Constant(op, parameter));
  if (t == nullptr) return op.attributes.Float(attribute, fallback);
  if (t->elements() != 1)
    return Malformed(op, ": ", parameter, " is not a single value");
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

// Rounds to the nearest integer, ties away from zero. The distance to the floor
// is exact; adding one half first would not be.
Status Round(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  if (!w.ok() || !w.is_float(x)) return w.Done("Out", x);
  if (w.Given(op.attributes.Int("decimals", 0)) != 0) w.Refuse("to decimals");
  const ValueId size = w.Unary("Abs", x);
  const ValueId below = w.Unary("Floor", size);
  const ValueId up =
      w.Cast(w.Not(w.Compare("LESS", w.Sub(size, below), w.Scalar(0.5))), kF32);
  const ValueId sign = w.Tflite("SIGN", {x}, kF32, {}, true);
  return w.Done("Out", w.Mul(w.Add(below, up), sign));
}

// Paddle 3 goes to the integer below, versions before it towards zero.
Status FloorDivide(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = kNoValue, y = kNoValue;
  if (!w.Pair(&x, &y)) return w.Done();
  if (op.type == "floor_divide")
    return w.Done("Out", w.Tflite("FLOOR_DIV", {x, y}, w.type(x), {}, true));
  if (w.is_float(x)) w.Refuse("of fractions");
  return w.Done("Out", w.Div(x, y));
}

// Remainder of integers or floats, with the sign of the divisor.
Status Modulo(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = kNoValue, y = kNoValue;
  if (!w.Pair(&x, &y)) return w.Done();
  return w.Done("Out", w.Tflite("FLOOR_MOD", {x, y}, w.type(x), {}, true));
}

Status Sign(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  return w.Done("Out", w.Tflite("SIGN", {x}, w.type(x), {}, true));
}

// Adds any number of tensors.
Status AddAll(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> all, context.All(op, "X"));
  if (all.empty()) return Malformed(op, " lacks its input X");
  ValueId sum = all[0];
  for (size_t i = 1; i < all.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(sum, context.Step(op, "sum", "Add", {sum, all[i]}));
  }
  return context.Bind(op, "Out", sum);
}

// To truth values; those themselves are only the same or not.
Status Compare(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = kNoValue, y = kNoValue;
  if (!w.Pair(&x, &y)) return w.Done();
  const char* name = op.type == "equal"          ? "EQUAL"
                     : op.type == "not_equal"    ? "NOT_EQUAL"
                     : op.type == "less_than"    ? "LESS"
                     : op.type == "less_equal"   ? "LESS_EQUAL"
                     : op.type == "greater_than" ? "GREATER"
                                                 : "GREATER_EQUAL";
  return w.Done("Out", w.Compare(name, x, y));
}

Status Logical(Context& context, const Operation& op) {
  Writer w(context, op);
  const auto truth = [&](ValueId v) {
    return w.type(v) == ElementType::kBool || !w.ok()
               ? v
               : w.Compare("NOT_EQUAL", v, w.Like(v, 0));
  };
  const ValueId x = truth(w.Need("X"));
  if (op.type == "logical_not") return w.Done("Out", w.Not(x));
  const ValueId y = truth(w.Need("Y"));
  if (op.type == "logical_xor")
    return w.Done("Out", w.Compare("NOT_EQUAL", x, y));
  return w.Done(
      "Out",
      w.Logical(op.type == "logical_and" ? "LOGICAL_AND" : "LOGICAL_OR", x, y));
}

// Elements of X where the condition holds, those of Y elsewhere.
Status Where(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId condition = w.Need("Condition");
  ValueId x = w.Need("X"), y = w.Need("Y");
  if (!w.ok()) return w.Done();
  w.Match(&x, &y);
  return w.Done("Out", w.Select(condition, x, y));
}

}  // namespace munja::importer::paddle
