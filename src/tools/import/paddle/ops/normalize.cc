// Normalization.
#include <utility>
#include <vector>

#include "import/paddle/context.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {

Status BatchNorm(Context& context, const Operation& op) {
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  MUNJA_ASSIGN_OR_RETURN(const bool test, Flag(op, {"is_test"}, false));
  MUNJA_ASSIGN_OR_RETURN(const bool global,
                         Flag(op, {"use_global_stats"}, false));
  MUNJA_ASSIGN_OR_RETURN(const bool trainable,
                         Flag(op, {"trainable_statistics"}, false));
  MUNJA_ASSIGN_OR_RETURN(const bool fused, Flag(op, {"fuse_with_relu"}, false));
  if ((!test && !global) || (trainable && !global))
    return Unsupported(op, ": a program for training");
  MUNJA_ASSIGN_OR_RETURN(const double epsilon,
                         op.attributes.Float("epsilon", 1e-5));
  std::vector<ValueId> inputs;
  for (const char* name : {"X", "Scale", "Bias", "Mean", "Variance"}) {
    MUNJA_ASSIGN_OR_RETURN(const ValueId v, context.One(op, name));
    if (!inputs.empty() && context.builder.constant(v) == nullptr)
      return Unsupported(op, ": parameters computed at run time");
    inputs.push_back(v);
  }
  graph::Attributes a;
  a.Set("epsilon", epsilon);
  if (!fused)
    return context.Emit(op, "Y", "BatchNormalization", std::move(inputs),
                        std::move(a));
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         context.Step(op, "normal", "BatchNormalization",
                                      std::move(inputs), std::move(a)));
  return context.Emit(op, "Y", "Relu", {y});
}

Status LayerNorm(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double epsilon,
                         op.attributes.Float("epsilon", 1e-5));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis,
                         op.attributes.Int("begin_norm_axis", 1));
  const Dims& shape = context.ShapeOf(x);
  MUNJA_ASSIGN_OR_RETURN(ValueId scale, context.Optional(op, "Scale"));
  MUNJA_ASSIGN_OR_RETURN(const ValueId bias, context.Optional(op, "Bias"));
  if (scale == kNoValue) {
    if (shape.empty() || shape.back() < 0 || shape.back() > (1 << 20))
      return Unsupported(op, ": a row of unknown length");
    scale = context.builder.AddConstant(
        op.name + "/ones",
        Tensor::Floats({shape.back()}, std::vector<float>(shape.back(), 1.0f)));
  }
  graph::Attributes a;
  a.Set("epsilon", epsilon);
  a.Set("axis", axis);
  std::vector<ValueId> inputs = {x, scale};
  if (bias != kNoValue) inputs.push_back(bias);
  return context.Emit(op, "Y", "LayerNormalization", std::move(inputs),
                      std::move(a));
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

// x (k + alpha * the squares of the channels around)^-beta
Status LocalResponse(Context& context, const Operation& op) {
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  Writer w(context, op);
  const int64_t size = w.Given(op.attributes.Int("n", 5));
  const double k = w.Given(op.attributes.Float("k", 2));
  const double alpha = w.Given(op.attributes.Float("alpha", 0.0001));
  const double beta = w.Given(op.attributes.Float("beta", 0.75));
  const ValueId x = w.Need("X");
  if (!w.ok()) return w.Done();
  const int64_t channels = w.rank(x) == 4 ? w.shape(x)[1] : kUnknown;
  constexpr int64_t kMaxChannels = 2048;
  if (channels < 1 || channels > kMaxChannels)
    w.Refuse("a map of shape ", ToString(w.shape(x)));
  if (size < 1) w.Damaged("n ", size);
  if (!w.ok()) return w.Done();
  // The sums of neighbors are a 1x1 convolution with ones.
  const int64_t before = (size - 1) / 2;
  std::vector<float> ones;
  for (int64_t r = 0; r < channels; ++r)
    for (int64_t c = 0; c < channels; ++c)
      ones.push_back(c >= r - before && c < r - before + size ? 1.0f : 0.0f);
  const ValueId sum =
      w.Neutral("Conv", {w.Unary("Square", x),
                         w.Constant(Tensor::Floats({channels, channels, 1, 1},
                                                   std::move(ones)))});
  return w.Done("Out", w.Div(x, w.Binary("Pow", w.Add(w.Mul(sum, alpha), k),
                                         w.Scalar(beta))));
}

}  // namespace munja::importer::paddle
