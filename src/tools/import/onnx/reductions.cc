// Reductions, softmax and its kin, normalizations, losses.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::foreign::onnx {
namespace {

Int64s From(int64_t first, int64_t rank) {
  Int64s axes;
  for (int64_t i = first; i < rank; ++i) axes.push_back(i);
  return axes;
}

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

ValueId Moments(Writer& w, ValueId x, const Int64s& axes, double epsilon,
                ValueId* mean, ValueId* scale) {
  *mean = w.Reduce("MEAN", x, axes, true);
  const ValueId centered = w.Sub(x, *mean);
  const ValueId variance =
      w.Reduce("MEAN", w.Unary("Square", centered), axes, true);
  *scale = w.Unary("Rsqrt", w.Add(variance, epsilon));
  return w.Mul(centered, *scale);
}

// A vector over axis 1 of a tensor of that rank.
ValueId PerChannel(Writer& w, ValueId v, int64_t rank) {
  Dims dims(static_cast<size_t>(rank), 1);
  if (w.ok() && rank > 1) dims[1] = w.shape(v).empty() ? 1 : w.shape(v)[0];
  return w.Reshape(v, dims);
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

Status LayerNormalization(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), gamma = w.Need(1);
  const int64_t rank = w.rank(x), axis = w.Axis(w.Int("axis", -1), rank);
  const double epsilon = w.Float("epsilon", 1e-5);
  if (!w.ok()) return w.Done();
  const bool known = w.constant(gamma) != nullptr &&
                     (!w.has(2) || w.constant(w.in(2)) != nullptr) &&
                     w.rank(gamma) == 1;
  if (known && axis + 1 == rank && !w.wants(1) && !w.wants(2)) {
    Values inputs = {x, gamma};
    if (w.has(2)) inputs.push_back(w.in(2));
    return w.Done(w.Neutral("LayerNormalization", inputs,
                            {{"epsilon", epsilon}, {"axis", axis}}));
  }
  ValueId mean = kNoValue, scale = kNoValue;
  ValueId y = Moments(w, x, From(axis, rank), epsilon, &mean, &scale);
  y = w.Mul(y, gamma);
  if (w.has(2)) y = w.Add(y, w.in(2));
  w.Set(1, mean);
  w.Set(2, scale);
  return w.Done(y);
}

Status InstanceNormalizationAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  ValueId mean = kNoValue, scale = kNoValue;
  const int64_t rank = w.rank(x);
  const ValueId y =
      Moments(w, x, From(2, rank), w.Float("epsilon", 1e-5), &mean, &scale);
  return w.Done(w.Add(w.Mul(y, PerChannel(w, w.Need(1), rank)),
                      PerChannel(w, w.Need(2), rank)));
}

Status GroupNormalization(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const Dims d = w.Static(x);
  const int64_t groups = w.Int("num_groups", 1);
  if (d.size() < 2 || groups < 1 || d[1] % groups != 0)
    w.Damaged(groups, " groups of ", ToString(d));
  if (!w.ok()) return w.Done();
  int64_t inner = 1;
  for (size_t i = 2; i < d.size(); ++i) inner *= d[i];
  ValueId mean = kNoValue, scale = kNoValue;
  const ValueId y =
      Moments(w, w.Reshape(x, {d[0], groups, d[1] / groups * inner}), {2},
              w.Float("epsilon", 1e-5), &mean, &scale);
  // Before operator set 21 one number for each group, later for each channel.
  const auto parameter = [&](ValueId v) {
    if (w.ok() && w.shape(v) == Dims{groups} && groups != d[1]) {
      const ValueId wide =
          w.Expand(w.Reshape(v, {groups, 1}), {groups, d[1] / groups});
      return w.Reshape(wide, {1, d[1], 1});
    }
    return w.Reshape(v, {1, d[1], 1});
  };
  const ValueId channels = w.Reshape(y, {d[0], d[1], inner});
  return w.Done(w.Reshape(
      w.Add(w.Mul(channels, parameter(w.Need(1))), parameter(w.Need(2))), d));
}

Status MeanVarianceNormalization(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  Int64s axes = w.Ints("axes");
  if (axes.empty()) axes = {0, 2, 3};
  const ValueId mean = w.Reduce("MEAN", x, axes, true);
  const ValueId centered = w.Sub(x, mean);
  const ValueId deviation = w.Unary(
      "Sqrt", w.Reduce("MEAN", w.Unary("Square", centered), axes, true));
  return w.Done(w.Div(centered, w.Add(deviation, 1e-9)));
}

Status LpNormalization(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const int64_t axis = w.Axis(w.Int("axis", -1), w.rank(x));
  const ValueId norm =
      w.Int("p", 2) == 1 ? w.Reduce("SUM", w.Unary("Abs", x), {axis}, true)
                         : w.Unary("Sqrt", w.Reduce("SUM", w.Unary("Square", x),
                                                    {axis}, true));
  return w.Done(w.Div(x, norm));
}

// Over channels around each one.
Status LocalResponse(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const Dims d = w.Static(x);
  const int64_t size = w.Int("size", 1);
  const double alpha = w.Float("alpha", 1e-4), beta = w.Float("beta", 0.75);
  const double bias = w.Float("bias", 1);
  if (d.size() < 2 || size < 1) w.Damaged("an input of shape ", ToString(d));
  if (!w.ok()) return w.Done();
  const int64_t before = (size - 1) / 2, after = size - 1 - before;
  const ValueId squares = w.Unary("Square", x);
  // Channel by channel: sums of neighbors by a product with ones.
  std::vector<float> ones;
  for (int64_t r = 0; r < d[1]; ++r)
    for (int64_t c = 0; c < d[1]; ++c)
      ones.push_back(c >= r - before && c <= r + after ? 1.0f : 0.0f);
  int64_t inner = 1;
  for (size_t i = 2; i < d.size(); ++i) inner *= d[i];
  const ValueId matrix = w.Constant(Tensor::Floats({d[1], d[1]}, ones));
  const ValueId sum = w.Reshape(
      w.Neutral("MatMul", {matrix, w.Reshape(squares, {d[0], d[1], inner})}),
      d);
  const ValueId base =
      w.Add(w.Mul(sum, alpha / static_cast<double>(size)), bias);
  return w.Done(w.Div(x, w.Binary("Pow", base, w.Scalar(beta))));
}

// Running numbers, or in training those of the batch.
Status BatchNormalization(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const double epsilon = w.Float("epsilon", 1e-5);
  const bool training = w.Int("training_mode", 0) != 0;
  const int64_t rank = w.rank(x);
  bool known = !training;
  for (size_t i = 1; i < 5; ++i)
    known = known && w.constant(w.Need(i)) != nullptr;
  if (w.ok() && known)
    return w.Done(
        w.Neutral("BatchNormalization", op.inputs, {{"epsilon", epsilon}}));
  ValueId mean = w.Need(3), variance = w.Need(4);
  if (training) {
    Int64s axes = {0};
    for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
    const double momentum = w.Float("momentum", 0.9);
    const ValueId now = w.Reduce("MEAN", x, axes, true);
    const ValueId spread =
        w.Reduce("MEAN", w.Unary("Square", w.Sub(x, now)), axes, true);
    const Dims flat = {w.ok() ? w.shape(x)[1] : 1};
    const auto running = [&](ValueId before, ValueId v) {
      return w.Add(w.Mul(before, momentum),
                   w.Mul(w.Reshape(v, flat), 1 - momentum));
    };
    w.Set(1, running(mean, now));
    w.Set(2, running(variance, spread));
    mean = w.Reshape(now, flat);
    variance = w.Reshape(spread, flat);
  }
  const ValueId scale =
      w.Mul(w.Unary("Rsqrt", w.Add(PerChannel(w, variance, rank), epsilon)),
            PerChannel(w, w.Need(1), rank));
  return w.Done(w.Add(w.Mul(w.Sub(x, PerChannel(w, mean, rank)), scale),
                      PerChannel(w, w.Need(2), rank)));
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

Status Det(Context& context, const Operator& op) {
  Writer w(context, op);
  return w.Done(w.Custom("MunjaDeterminant", {w.Need(0)}, kF32, {}));
}

}  // namespace munja::foreign::onnx
