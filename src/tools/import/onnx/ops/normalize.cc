// Normalization.
#include "import/onnx/operators.h"
#include "import/onnx/ops/helpers.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

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
  // Before operator set 21 one value per group, later one per channel.
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

// Uses the running statistics, or in training those of the batch.
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

}  // namespace munja::importer::onnx
