// Functions of single elements and of pairs of elements.
#include <limits>
#include <string>

#include "import/onnx/operators.h"
#include "import/onnx/ops/helpers.h"
#include "import/onnx/tensor_reader.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

// Toward zero.
ValueId Truncate(Writer& w, ValueId v) {
  return w.Mul(w.Tflite("SIGN", {v}, kF32, {}, true),
               w.Unary("Floor", w.Unary("Abs", v)));
}

}  // namespace

// Add, Sub, Mul, Div; Max and Min of any number of inputs.
Status Arithmetic(Context& context, const Operator& op) {
  Writer w(context, op);
  const bool many = op.type == "Max" || op.type == "Min";
  if (op.inputs.size() != 2 && !(many && !op.inputs.empty()))
    w.Damaged("has ", op.inputs.size(), " inputs");
  ValueId y = w.Need(0);
  for (size_t i = 1; i < op.inputs.size(); ++i)
    y = w.Binary(op.type.c_str(), y, w.Need(i));
  return w.Done(y);
}

Status Power(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), e = w.Need(1);
  const ElementType own = w.type(x);
  if (w.is_float(x) || w.is_float(e))
    return w.Done(
        w.Cast(w.Binary("Pow", w.Cast(x, kF32), w.Cast(e, kF32)), own));
  const ElementType wide = ElementType::kInt64;
  return w.Done(w.Cast(w.Binary("Pow", w.Cast(x, wide), w.Cast(e, wide)), own));
}

Status Modulo(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId a = w.Need(0), b = w.Need(1);
  const ElementType own = w.type(a), wide = w.Wide(own);
  const bool is_c = w.Int("fmod", 0) != 0;
  if (w.is_float(a)) {
    if (!is_c) w.Damaged("fmod is 0 for floats");
    const ValueId whole = Truncate(w, w.Div(a, b));
    return w.Done(w.Sub(a, w.Mul(whole, b)));
  }
  const ValueId p = w.Cast(a, wide), q = w.Cast(b, wide);
  const ValueId y = is_c ? w.Sub(p, w.Mul(w.Div(p, q), q))
                         : w.Tflite("FLOOR_MOD", {p, q}, wide, {}, true);
  return w.Done(w.Cast(y, own));
}

// Neg, Abs and Sign of any numeric type; Round of floats.
Status OneNumber(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const ElementType own = w.type(x), wide = w.Wide(own);
  if (w.is_float(x) && (op.type == "Neg" || op.type == "Abs"))
    return w.Done(w.Unary(op.type.c_str(), x));
  const char* builtin = op.type == "Neg"    ? "NEG"
                        : op.type == "Abs"  ? "ABS"
                        : op.type == "Sign" ? "SIGN"
                                            : "ROUND";
  return w.Done(
      w.Cast(w.Tflite(builtin, {w.Cast(x, wide)}, wide, {}, true), own));
}

Status Comparison(Context& context, const Operator& op) {
  Writer w(context, op);
  const char* builtin = op.type == "Equal"            ? "EQUAL"
                        : op.type == "Greater"        ? "GREATER"
                        : op.type == "GreaterOrEqual" ? "GREATER_EQUAL"
                        : op.type == "Less"           ? "LESS"
                                                      : "LESS_EQUAL";
  return w.Done(w.Compare(builtin, w.Need(0), w.Need(1)));
}

Status Logic(Context& context, const Operator& op) {
  Writer w(context, op);
  if (op.type == "Not") return w.Done(w.Not(w.Need(0)));
  return w.Done(w.Logical(op.type == "And"  ? "LOGICAL_AND"
                          : op.type == "Or" ? "LOGICAL_OR"
                                            : "NOT_EQUAL",
                          w.Need(0), w.Need(1)));
}

Status NotFinite(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  if (op.type == "IsNaN") return w.Done(w.Compare("NOT_EQUAL", x, x));
  const double infinity = std::numeric_limits<double>::infinity();
  const bool above = w.Int("detect_positive", 1) != 0;
  const bool below = w.Int("detect_negative", 1) != 0;
  if (above && below)
    return w.Done(w.Compare("EQUAL", w.Unary("Abs", x), w.Like(x, infinity)));
  if (!above && !below)
    return w.Done(w.Compare("LESS", w.Unary("Abs", x), w.Like(x, 0)));
  return w.Done(w.Compare("EQUAL", x, w.Like(x, above ? infinity : -infinity)));
}

Status Where(Context& context, const Operator& op) {
  Writer w(context, op);
  return w.Done(w.Select(w.Need(0), w.Need(1), w.Need(2)));
}

// Multiplies or divides by two to the power of the second operand, in a wide
// type.
Status BitShift(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const ElementType own = w.type(x), wide = ElementType::kInt64;
  const ValueId power =
      w.Binary("Pow", w.Scalar(2, wide), w.Cast(w.Need(1), wide));
  const std::string direction = w.Text("direction", "");
  const ValueId value = w.Cast(x, wide);
  if (direction == "LEFT") return w.Done(w.Cast(w.Mul(value, power), own));
  if (direction != "RIGHT") w.Damaged("direction ", direction);
  return w.Done(
      w.Cast(w.Tflite("FLOOR_DIV", {value, power}, wide, {}, true), own));
}

// a & b and a | b are half of a + b, less or more than a ^ b.
Status Bitwise(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId a = w.Need(0);
  const ElementType own = w.type(a), wide = ElementType::kInt64;
  if (op.type == "BitwiseNot")
    return w.Done(w.Cast(w.Sub(w.Scalar(-1, wide), w.Cast(a, wide)), own));
  const ValueId b = w.Need(1);
  const ValueId differ = w.Tflite("BITWISE_XOR", {a, b}, own, {}, true);
  if (op.type == "BitwiseXor") return w.Done(differ);
  const ValueId sum = w.Add(w.Cast(a, wide), w.Cast(b, wide));
  const ValueId twice = op.type == "BitwiseAnd"
                            ? w.Sub(sum, w.Cast(differ, wide))
                            : w.Add(sum, w.Cast(differ, wide));
  return w.Done(w.Cast(
      w.Tflite("FLOOR_DIV", {twice, w.Scalar(2, wide)}, wide, {}, true), own));
}

// Floats of every width are one type.
Status CastTo(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  ElementType to = kF32;
  if (op.type == "CastLike") {
    to = w.type(w.Need(1));
  } else {
    const int64_t wanted = w.Int("to", 0);
    const auto type = wanted > 0 && wanted < 64
                          ? ReadElementType(static_cast<int>(wanted))
                          : std::nullopt;
    if (!type) w.Refuse("to element type ", wanted);
    to = type.value_or(kF32);
  }
  if (w.ok() && w.type(x) == to) return context.Bind(op, 0, x);
  // Integers that are computed from shapes stay known.
  if (w.ok() && to == ElementType::kInt64 && !w.is_float(x) &&
      w.type(x) != ElementType::kBool && !context.builder.Entries(x).empty())
    return context.Bind(op, 0, x);
  if (w.ok() && !w.constant(x) && to == ElementType::kInt32 &&
      !context.builder.Entries(x).empty())
    return w.Done(w.Neutral("Cast", {x}, {{"to_integer", int64_t{1}}}));
  return w.Done(w.Cast(x, to));
}

Status ClipAny(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId y = w.Need(0);
  const bool fixed = (!w.has(1) || w.constant(w.in(1)) != nullptr) &&
                     (!w.has(2) || w.constant(w.in(2)) != nullptr);
  if (w.ok() && w.is_float(y) && fixed) {
    constexpr double kMost = std::numeric_limits<float>::max();
    const double low = w.Number("min", 1, -kMost);
    const double high = w.Number("max", 2, kMost);
    if (low == -kMost && high == kMost) return context.Bind(op, 0, y);
    return w.Done(w.Neutral("Clip", {y}, {{"min", low}, {"max", high}}));
  }
  if (w.has(1)) y = w.Binary("Max", y, w.in(1));
  if (w.has(2)) y = w.Binary("Min", y, w.in(2));
  return w.Done(y);
}

// Inverse functions and others that .tflite lacks.
Status Trigonometric(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const auto atan2 = [&](ValueId a, ValueId b) {
    return w.Tflite("ATAN2", {a, b}, kF32);
  };
  const auto one_less_square = [&] {
    // (1 - x) * (1 + x), exact near one.
    return w.Unary("Sqrt", w.Mul(w.Sub(w.Scalar(1), x), w.Add(x, 1.0)));
  };
  const ValueId ones = w.Add(w.Mul(x, 0.0), 1.0);
  if (op.type == "Tan")
    return w.Done(w.Div(w.Unary("Sin", x), w.Unary("Cos", x)));
  if (op.type == "Atan") return w.Done(atan2(x, ones));
  if (op.type == "Asin") return w.Done(atan2(x, one_less_square()));
  if (op.type == "Acos") return w.Done(atan2(one_less_square(), x));
  if (op.type == "Sinh" || op.type == "Cosh") {
    const ValueId up = w.Unary("Exp", x),
                  down = w.Unary("Exp", w.Unary("Neg", x));
    return w.Done(
        w.Mul(op.type == "Sinh" ? w.Sub(up, down) : w.Add(up, down), 0.5));
  }
  if (op.type == "Asinh") {
    const ValueId a = w.Unary("Abs", x);
    const ValueId root = w.Unary("Sqrt", w.Add(w.Unary("Square", a), 1.0));
    return w.Done(w.Mul(w.Tflite("SIGN", {x}, kF32, {}, true),
                        w.Unary("Log", w.Add(a, root))));
  }
  if (op.type == "Acosh") {
    const ValueId root = w.Unary("Sqrt", w.Mul(w.Add(x, -1.0), w.Add(x, 1.0)));
    return w.Done(w.Unary("Log", w.Add(x, root)));
  }
  const ValueId ratio = w.Div(w.Add(x, 1.0), w.Sub(w.Scalar(1), x));
  return w.Done(w.Mul(w.Unary("Log", ratio), 0.5));  // Atanh
}

Status Plain(Context& context, const Operator& op) {
  if (op.attributes.Has("start") || op.attributes.Has("end"))
    return Unsupported(op, ": a part of the shape");
  return context.Emit(op, op.type, op.inputs);
}

Status Alias(Context& context, const Operator& op) {
  return context.Bind(op, 0, op.inputs[0]);
}

// Does nothing outside training; its mask is then all true.
Status Dropout(Context& context, const Operator& op) {
  if (op.input(2) != kNoValue) {
    MUNJA_ASSIGN_OR_RETURN(const double training,
                           context.Number(op, "training_mode", 2, 0));
    MUNJA_ASSIGN_OR_RETURN(const double ratio,
                           context.Number(op, "ratio", 1, 0.5));
    if (training != 0 && ratio != 0) return Unsupported(op, ": training_mode");
  }
  if (op.outputs.size() > 1 && !op.outputs[1].empty()) {
    Writer w(context, op);
    const ValueId x = w.Need(0);
    w.Set(1, w.Compare("EQUAL", x, x));
    return w.Done(x);
  }
  return context.Bind(op, 0, op.inputs[0]);
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

}  // namespace munja::importer::onnx
