// Reductions, softmax and losses.
#include <string>
#include <string_view>

#include "import/onnx/operators.h"
#include "import/onnx/ops/helpers.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

// log(sum(exp(x))) without overflow.
ValueId LogSumExp(Writer& w, ValueId x, const Int64s& axes, bool keep) {
  const ValueId top = w.Reduce("REDUCE_MAX", x, axes, true);
  const ValueId sum =
      w.Reduce("SUM", w.Unary("Exp", w.Sub(x, top)), axes, true);
  const ValueId y = w.Add(w.Unary("Log", sum), top);
  // The axes that are gone.
  if (keep) return y;
  Int64s gone;
  for (const int64_t a : axes) gone.push_back(w.Axis(a, w.rank(x)));
  if (axes.empty()) gone = From(0, w.rank(x));
  return gone.empty() ? y : w.Squeeze(y, gone);
}

}  // namespace

// ReduceX: axes by attribute or input.
Status ReduceAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  bool present = false;
  const Int64s axes = w.Ints("axes", 1, &present);
  const bool keep = w.Int("keepdims", 1) != 0;
  const std::string_view type = op.type;
  const auto finish = [&](ValueId v) {
    if (type == "ReduceL2") return w.Unary("Sqrt", v);
    if (type == "ReduceLogSum") return w.Unary("Log", v);
    return v;
  };
  const ElementType own = w.type(x);
  const auto prepare = [&]() -> ValueId {
    if (type == "ReduceL1")
      return w.is_float(x) ? w.Unary("Abs", x)
                           : w.Tflite("ABS", {w.Cast(x, w.Wide(own))},
                                      w.Wide(own), {}, true);
    if (type == "ReduceL2" || type == "ReduceSumSquare") return w.Mul(x, x);
    return x;
  };
  if (axes.empty() && w.Int("noop_with_empty_axes", 0) != 0) {
    if (type == "ReduceLogSumExp") return w.Done(x);
    return w.Done(finish(prepare()));
  }
  if (type == "ReduceLogSumExp") return w.Done(LogSumExp(w, x, axes, keep));
  const char* builtin = type == "ReduceMean"   ? "MEAN"
                        : type == "ReduceMax"  ? "REDUCE_MAX"
                        : type == "ReduceMin"  ? "REDUCE_MIN"
                        : type == "ReduceProd" ? "REDUCE_PROD"
                                               : "SUM";
  if (own == ElementType::kBool) {
    if (type != "ReduceMax" && type != "ReduceMin") w.Refuse("of booleans");
  }
  return w.Done(finish(w.Reduce(builtin, prepare(), axes, keep)));
}

// ArgMax and ArgMin.
Status ArgExtreme(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0);
  const int64_t rank = w.rank(x), axis = w.Axis(w.Int("axis", 0), rank);
  const bool keep = w.Int("keepdims", 1) != 0;
  const bool last = w.Int("select_last_index", 0) != 0;
  if (w.ok() && !last && w.is_float(x) && op.type == "ArgMax")
    return w.Done(w.Neutral("ArgMax", {x},
                            {{"axis", axis}, {"keepdims", int64_t{keep}}}));
  const ElementType wide = w.Wide(w.type(x));
  x = w.Cast(x, wide);
  if (last) x = w.Tflite("REVERSE_V2", {x, w.List({axis})}, wide);
  ValueId y = w.Tflite(op.type == "ArgMax" ? "ARG_MAX" : "ARG_MIN",
                       {x, w.Scalar(static_cast<double>(axis), kI32)}, kI64,
                       {{"output_type", std::string("INT64")}});
  if (last) {
    const Dims dims = w.Static(x);
    if (!w.ok()) return w.Done();
    y = w.Sub(w.Scalar(static_cast<double>(dims[axis] - 1), kI64), y);
  }
  if (keep) y = w.Unsqueeze(y, {axis});
  return w.Done(y);
}

// Softmax, LogSoftmax and Hardmax; before operator set 13 all axes from this
// one on count as one.
Status SoftmaxAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const bool flattens = w.opset() < 13;
  const int64_t rank = w.rank(x);
  const int64_t axis = w.Axis(w.Int("axis", flattens ? 1 : -1), rank);
  if (!w.ok()) return w.Done();
  Int64s axes = {axis};
  if (flattens) axes = From(axis, rank);
  bool single = true;  // The others are of size 1.
  for (const int64_t a : axes)
    single = single && (a == axis || w.shape(x)[a] == 1);
  if (op.type == "Softmax" && single)
    return w.Done(w.Neutral("Softmax", {x}, {{"axis", axis}}));
  const ValueId top = w.Reduce("REDUCE_MAX", x, axes, true);
  if (op.type == "Hardmax") {
    ValueId flat = x;
    const Dims dims = w.Static(x);
    Dims merged(dims.begin(), dims.begin() + axis);
    int64_t n = 1;
    for (size_t i = static_cast<size_t>(axis); i < dims.size(); ++i)
      if (flattens || i == static_cast<size_t>(axis)) n *= dims[i];
    merged.push_back(n);
    if (!flattens)
      merged.insert(merged.end(), dims.begin() + axis + 1, dims.end());
    flat = w.Reshape(x, merged);
    // The first of the largest.
    const ValueId best =
        w.Neutral("ArgMax", {flat}, {{"axis", axis}, {"keepdims", int64_t{1}}});
    Dims counts(merged.size(), 1);
    counts[axis] = n;
    Int64s numbers(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) numbers[static_cast<size_t>(i)] = i;
    const ValueId places =
        w.Constant(Tensor::Integers(counts, std::move(numbers), kI64));
    const ValueId hot = w.Cast(w.Compare("EQUAL", best, places), kF32);
    return w.Done(w.Reshape(hot, dims));
  }
  const ValueId below = w.Sub(x, top);
  const ValueId grown = w.Unary("Exp", below);
  const ValueId sum = w.Reduce("SUM", grown, axes, true);
  if (op.type == "Softmax") return w.Done(w.Div(grown, sum));
  return w.Done(w.Sub(below, w.Unary("Log", sum)));
}

// NegativeLogLikelihoodLoss, and SoftmaxCrossEntropyLoss, which takes the
// logarithm of the softmax first.
Status Loss(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0);
  ValueId labels = w.Cast(w.Need(1), kI64);
  const std::string reduction = w.Text("reduction", "mean");
  const bool ignores = op.attributes.Has("ignore_index");
  const int64_t ignored = w.Int("ignore_index", 0);
  if (op.type == "SoftmaxCrossEntropyLoss") {
    const ValueId top = w.Reduce("REDUCE_MAX", x, {1}, true);
    const ValueId below = w.Sub(x, top);
    x = w.Sub(below, w.Unary("Log", w.Reduce("SUM", w.Unary("Exp", below), {1},
                                             true)));
    w.Set(1, x);
  }
  const Dims d = w.Static(x);
  if (d.size() < 2) w.Damaged("an input of shape ", ToString(d));
  if (!w.ok()) return w.Done();
  // One weight for each label: 0 where the class is ignored.
  Dims counts(d.size(), 1);
  counts[1] = d[1];
  Int64s numbers;
  for (int64_t i = 0; i < d[1]; ++i) numbers.push_back(i);
  const ValueId places =
      w.Constant(Tensor::Integers(counts, std::move(numbers), kI64));
  const ValueId hot = w.Compare("EQUAL", w.Unsqueeze(labels, {1}), places);
  const ValueId zero = w.Scalar(0);
  ValueId weights = w.Scalar(1);
  if (w.has(2)) weights = w.Reshape(w.in(2), counts);
  ValueId weight = w.Reduce("SUM", w.Select(hot, weights, zero), {1}, false);
  if (ignores) {
    const ValueId skip = w.Compare(
        "EQUAL", labels, w.Scalar(static_cast<double>(ignored), kI64));
    weight = w.Select(skip, zero, weight);
  }
  const ValueId picked = w.Reduce("SUM", w.Select(hot, x, zero), {1}, false);
  const ValueId loss = w.Unary("Neg", w.Mul(picked, weight));
  if (reduction == "none") return w.Done(loss);
  const ValueId sum = w.Reduce("SUM", loss, {}, false);
  if (reduction == "sum") return w.Done(sum);
  if (reduction != "mean") w.Damaged("reduction ", reduction);
  if (!w.has(2) && !ignores) return w.Done(w.Reduce("MEAN", loss, {}, false));
  return w.Done(w.Div(sum, w.Reduce("SUM", weight, {}, false)));
}

Status CumulativeSum(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const ElementType own = w.type(x), wide = w.Wide(own);
  return w.Done(w.Cast(
      w.Tflite("CUMSUM", {w.Cast(x, wide), w.Cast(w.Need(1), kI32)}, wide,
               {{"exclusive", w.Int("exclusive", 0) != 0},
                {"reverse", w.Int("reverse", 0) != 0}}),
      own));
}

}  // namespace munja::importer::onnx
