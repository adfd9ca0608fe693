// Operators that make numbers and places, and those that pick by places.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "import/paddle/writer.h"

namespace munja::foreign::paddle {

namespace {

// A number as it stands in the model: of one element.
ValueId OneNumber(Writer& w, ValueId v) {
  if (w.ok() && w.rank(v) > 0) return w.Reshape(v, {});
  return v;
}

// The axis counted from the front.
int64_t FromFront(Writer& w, int64_t axis, ValueId x) {
  return w.Axis(axis, w.rank(x));
}

}  // namespace

// From a number on, as long as another one is not reached.
Status Range(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId start = OneNumber(w, w.Need("Start"));
  ValueId end = OneNumber(w, w.Need("End"));
  ValueId step = OneNumber(w, w.Need("Step"));
  if (!w.ok()) return w.Done();
  w.Match(&start, &end);
  w.Match(&start, &step);
  w.Match(&start, &end);
  return w.Done("Out", w.TfliteMany("RANGE", {start, end, step},
                                    {w.type(start)}, {}, {{kUnknown}})[0]);
}

// Each list along an axis of its own.
Status Meshgrid(Context& context, const Operation& op) {
  Writer w(context, op);
  const Values lists = w.Given(context.All(op, "X"));
  Dims to;
  for (const ValueId v : lists) {
    if (w.rank(v) > 1) w.Refuse("a list of shape ", ToString(w.shape(v)));
    to.push_back(w.rank(v) == 0 ? 1 : w.Static(v)[0]);
  }
  for (size_t i = 0; i < lists.size() && w.ok(); ++i) {
    Dims own(lists.size(), 1);
    own[i] = to[i];
    const ValueId grid = w.Expand(w.Reshape(lists[i], own), to);
    if (w.ok()) w.Keep(context.Bind(op, "Out", grid, i));
  }
  return w.Done();
}

// As large as another tensor.
Status FillAnyLike(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  double value = w.Given(op.attributes.Float("value", 0));
  if (const Tensor* t = w.Given(context.Constant(op, "ValueTensor"))) {
    if (t->elements() != 1) w.Damaged("a value of several numbers");
    if (w.ok())
      value = t->is_integer ? static_cast<double>(t->integers[0])
                            : static_cast<double>(t->floats[0]);
  }
  if (!w.ok()) return w.Done();
  // -1, or nothing: that of the tensor.
  const graph::AttributeValue* dtype = op.attributes.Find("dtype");
  const auto* code = dtype != nullptr ? std::get_if<int64_t>(dtype) : nullptr;
  ElementType type = w.is_float(x) ? kF32 : kI64;
  if (dtype != nullptr && (code == nullptr || *code >= 0))
    type = w.Given(IsIntegerConstant(op)) ? kI64 : kF32;
  const ValueId number = w.Scalar(value, type);
  if (IsStatic(w.shape(x))) return w.Done("Out", w.Expand(number, w.shape(x)));
  return w.Done("Out", w.TfliteMany("FILL", {w.Neutral("Shape", {x}), number},
                                    {type}, {}, {w.shape(x)})[0]);
}

Status Flip(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  for (const int64_t axis : w.Given(op.attributes.Ints("axis"))) {
    if (!w.ok()) break;
    x = w.Tflite("REVERSE_V2", {x, w.List({FromFront(w, axis, x)})}, w.type(x));
  }
  return w.Done("Out", x);
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

// A row of zeros and a one for each place.
Status OneHot(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t depth =
      w.Number("depth_tensor", w.Given(op.attributes.Int("depth", 0)));
  if (depth < 1 || depth > INT32_MAX) w.Damaged("a depth of ", depth);
  return w.Done("Out", w.Tflite("ONE_HOT",
                                {w.Cast(x, kI32),
                                 w.Scalar(static_cast<double>(depth), kI32),
                                 w.Scalar(1), w.Scalar(0)},
                                kF32, {{"axis", int64_t{-1}}}));
}

// Slices along an axis, each without it.
Status Unstack(Context& context, const Operation& op) {
  Writer w(context, op);
  const char* output = op.type == "unbind" ? "Out" : "Y";
  const ValueId x = w.Need("X");
  const int64_t axis = FromFront(w, w.Given(op.attributes.Int("axis", 0)), x);
  const auto names = op.outputs.find(output);
  const size_t count = names == op.outputs.end() ? 0 : names->second.size();
  if (w.ok() &&
      w.shape(x)[static_cast<size_t>(axis)] != static_cast<int64_t>(count))
    w.Damaged(count, " slices of ", ToString(w.shape(x)));
  for (size_t i = 0; i < count && w.ok(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const ValueId slice = w.Squeeze(w.Slice(x, axis, at, at + 1), {axis});
    if (w.ok()) w.Keep(context.Bind(op, output, slice, i));
  }
  return w.Done();
}

Status IndexSelect(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), index = w.Need("Index");
  const int64_t axis = FromFront(w, w.Given(op.attributes.Int("dim", 0)), x);
  return w.Done("Out", w.Gather(x, index, axis));
}

// As large as another tensor, or as it is said.
Status ExpandAs(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  Dims to = w.has("Y") ? w.Static(w.Need("Y"))
                       : w.Given(op.attributes.Ints("target_shape"));
  if (w.ok() && !IsStatic(to)) w.Refuse("a size that is not known");
  return w.Done("Out", w.Expand(x, to));
}

// Samples of a map where a second one says.
Status GridSampler(Context& context, const Operation& op) {
  Writer w(context, op);
  const std::string mode = w.Given(op.attributes.Text("mode", "bilinear"));
  graph::Attributes options;
  options.Set("mode", mode == "bilinear" ? std::string("linear") : mode);
  options.Set("padding", w.Given(op.attributes.Text("padding_mode", "zeros")));
  options.Set("align_corners",
              int64_t{w.Given(Flag(op, {"align_corners"}, true))});
  return w.Done("Output",
                w.Custom("MunjaGridSample", {w.Need("X"), w.Need("Grid")}, kF32,
                         options));
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

// Of integers, or of fractions: what is left takes the sign of the divisor.
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

// Rows of a table; those of one number are zero.
Status Embedding(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId table = w.Need("W");
  ValueId places = w.Need("Ids");
  if (!w.ok()) return w.Done();
  // The first version has an axis of size 1 at the end.
  if (op.type == "lookup_table" && w.rank(places) > 1)
    places = w.Squeeze(places, {w.rank(places) - 1});
  const ValueId rows = w.Gather(table, places, 0);
  const int64_t empty = w.Given(op.attributes.Int("padding_idx", -1));
  if (empty == -1) return w.Done("Out", rows);
  const ValueId is_empty = w.Unsqueeze(
      w.Compare("EQUAL", places, w.Like(places, static_cast<double>(empty))),
      {w.ok() ? w.rank(places) : 0});
  return w.Done("Out", w.Select(is_empty, w.Like(rows, 0), rows));
}

// Elements move along an axis; what leaves at its end comes in at its front.
Status Roll(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  bool present = false;
  const Int64s by =
      w.Given(context.Ints(op, {"ShiftsTensor"}, {"shifts"}, &present));
  Int64s axes = w.Given(op.attributes.Ints("axis"));
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  // Without axes the elements are one row.
  const bool is_flat = axes.empty();
  if (is_flat) {
    x = w.Reshape(x, {-1});
    axes = {0};
  }
  if (axes.size() != by.size())
    w.Damaged(by.size(), " shifts of ", axes.size(), " axes");
  for (size_t i = 0; i < axes.size() && w.ok(); ++i) {
    const int64_t axis = FromFront(w, axes[i], x);
    if (!w.ok()) break;
    const int64_t size = w.shape(x)[static_cast<size_t>(axis)];
    const int64_t shift = size > 0 ? (by[i] % size + size) % size : 0;
    if (shift != 0)
      x = w.Concat({w.Slice(x, axis, size - shift, size),
                    w.Slice(x, axis, 0, size - shift)},
                   axis);
  }
  return w.Done("Out", is_flat ? w.Reshape(x, dims) : x);
}

// Of each row the elements at these places.
Status IndexSample(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), index = w.Need("Index");
  if (w.ok() && (w.rank(x) != 2 || w.rank(index) != 2))
    w.Damaged("of shape ", ToString(w.shape(x)));
  return w.Done("Out",
                w.Tflite("GATHER", {x, index}, w.ok() ? w.type(x) : kF32,
                         {{"axis", int64_t{1}}, {"batch_dims", int64_t{1}}}));
}

}  // namespace munja::foreign::paddle
