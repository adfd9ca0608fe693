// Reductions, softmax and running sums.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "import/paddle/context.h"
#include "import/paddle/ops/helpers.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

Status Reduce(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(
      Ints axes, context.Ints(op, {"AxisTensor"}, {"dim", "axis"}, &present));
  MUNJA_ASSIGN_OR_RETURN(const bool all, Flag(op, {"reduce_all"}, false));
  MUNJA_ASSIGN_OR_RETURN(const bool keep,
                         Flag(op, {"keep_dim", "keepdim"}, false));
  // "mean" has no axes.
  if (!present && op.type != "mean") axes = {0};
  if (all) axes.clear();
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  a.Set("keepdims", int64_t{keep});
  const char* name = op.type == "reduce_sum"   ? "ReduceSum"
                     : op.type == "reduce_max" ? "ReduceMax"
                     : op.type == "reduce_min" ? "ReduceMin"
                                               : "ReduceMean";
  return context.Emit(op, "Out", name, {x}, std::move(a));
}

Status ArgMax(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const bool flat, Flag(op, {"flatten"}, false));
  MUNJA_ASSIGN_OR_RETURN(const bool keep, Flag(op, {"keepdims"}, false));
  if (flat) return Unsupported(op, ": of all elements");
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(const Ints axis,
                         context.Ints(op, {"AxisTensor"}, {"axis"}, &present));
  if (axis.size() != 1) return Malformed(op, " needs one axis");
  graph::Attributes a;
  a.Set("axis", axis[0]);
  a.Set("keepdims", int64_t{keep});
  return context.Emit(op, "Out", "ArgMax", {x}, std::move(a));
}

Status Softmax(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", -1));
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Out", "Softmax", {x}, std::move(a));
}

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

Status LogSoftmax(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", -1));
  graph::Attributes largest, sum;
  for (graph::Attributes* a : {&largest, &sum}) {
    a->Set("axes", std::vector<int64_t>{axis});
    a->Set("keepdims", int64_t{1});
  }
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.Step(op, "largest", "ReduceMax",
                                                 {x}, std::move(largest)));
  MUNJA_ASSIGN_OR_RETURN(const ValueId below,
                         context.Step(op, "below", "Sub", {x, y}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "exp", "Exp", {below}));
  MUNJA_ASSIGN_OR_RETURN(
      y, context.Step(op, "sum", "ReduceSum", {y}, std::move(sum)));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "log", "Log", {y}));
  return context.Emit(op, "Out", "Sub", {below, y});
}

Status CumulativeSum(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  if (w.Given(Flag(op, {"flatten"}, false)) && w.ok()) x = w.Reshape(x, {-1});
  const int64_t axis = w.Number("Axis", w.Given(op.attributes.Int("axis", -1)));
  if (!w.ok()) return w.Done();
  const ElementType own = w.type(x), wide = w.Wide(own);
  return w.Done(
      "Out",
      w.Cast(
          w.Tflite("CUMSUM",
                   {w.Cast(x, wide),
                    w.Scalar(static_cast<double>(FromFront(w, axis, x)), kI32)},
                   wide,
                   {{"exclusive", w.Given(Flag(op, {"exclusive"}, false))},
                    {"reverse", w.Given(Flag(op, {"reverse"}, false))}}),
          own));
}

// The length of each vector along an axis, by sums or by squares.
Status Norm(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const double order = w.Given(op.attributes.Float("porder", 2));
  const int64_t axis = w.Given(op.attributes.Int("axis", -1));
  const bool keep = w.Given(Flag(op, {"keepdim"}, false));
  if (w.Given(Flag(op, {"asvector"}, false))) w.Refuse("of all elements");
  if (order != 1 && order != 2) w.Refuse("order ", order);
  const ValueId y =
      w.Reduce("SUM", w.Unary(order == 1 ? "Abs" : "Square", x), {axis}, keep);
  return w.Done("Out", order == 1 ? y : w.Unary("Sqrt", y));
}

}  // namespace munja::importer::paddle
