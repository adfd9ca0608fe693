// Arithmetic that is written with other operators, and sums of truth values.
#include <string>

#include "import/paddle/writer.h"

namespace munja::foreign::paddle {

namespace {

// Axes of a reduction, and whether these stay.
struct Reduction {
  Int64s axes;
  bool keep = false;
};

Reduction ReductionOf(Writer& w, Context& context, const Operation& op) {
  Reduction r;
  bool present = false;
  r.axes = w.Given(context.Ints(op, {"AxisTensor"}, {"dim", "axis"}, &present));
  if (!present) r.axes = {0};
  if (w.Given(Flag(op, {"reduce_all"}, false))) r.axes.clear();
  r.keep = w.Given(Flag(op, {"keep_dim", "keepdim"}, false));
  return r;
}

}  // namespace

// To the nearest integer, halves away from zero. What is above the floor is
// exact, a half added first would not be.
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

// Lengths along an axis become 1.
Status Normalize(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t axis =
      w.Axis(w.Given(op.attributes.Int("axis", -1)), w.rank(x));
  const double epsilon = w.Given(op.attributes.Float("epsilon", 1e-10));
  const ValueId length = w.Unary(
      "Sqrt",
      w.Add(w.Reduce("SUM", w.Unary("Square", x), {axis}, true), epsilon));
  w.Set("Norm", length);
  return w.Done("Out", w.Div(x, length));
}

Status Product(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const Reduction r = ReductionOf(w, context, op);
  return w.Done("Out", w.Reduce("REDUCE_PROD", x, r.axes, r.keep));
}

// Whether all, or any, of these are true.
Status ReduceTruth(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  const Reduction r = ReductionOf(w, context, op);
  if (!w.ok()) return w.Done();
  if (w.type(x) != ElementType::kBool)
    x = w.Compare("NOT_EQUAL", x, w.Like(x, 0));
  return w.Done("Out", w.Cast(w.Reduce(op.type == "reduce_all" ? "REDUCE_MIN"
                                                               : "REDUCE_MAX",
                                       w.Cast(x, kI32), r.axes, r.keep),
                              ElementType::kBool));
}

Status ArgMin(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  int64_t axis = w.Number("AxisTensor", w.Given(op.attributes.Int("axis", -1)));
  const bool keep = w.Given(Flag(op, {"keepdims"}, false));
  if (w.Given(Flag(op, {"flatten"}, false))) {
    if (keep) w.Refuse("of all elements, with axes");
    x = w.Reshape(x, {-1});
    axis = 0;
  }
  axis = w.Axis(axis, w.rank(x));
  const ValueId y =
      w.Tflite("ARG_MIN", {x, w.Scalar(static_cast<double>(axis), kI32)}, kI64,
               {{"output_type", std::string("INT64")}});
  return w.Done("Out", keep ? w.Unsqueeze(y, {axis}) : y);
}

// All along an axis, in order. What is equal stays as it was.
Status ArgSort(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t axis =
      w.Axis(w.Given(op.attributes.Int("axis", -1)), w.rank(x));
  const bool descending = w.Given(Flag(op, {"descending"}, false));
  if (!w.ok()) return w.Done();
  const int64_t size = w.shape(x)[static_cast<size_t>(axis)];
  if (size < 0) w.Refuse("a number of elements that is not known");
  const Values both = w.TopK(x, size, axis, descending);
  w.Set("Out", both[0]);
  w.Set("Indices", both[1]);
  return w.Done();
}

}  // namespace munja::foreign::paddle
