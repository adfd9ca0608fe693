// Normalization.
#include <utility>
#include <vector>

#include "import/compose/composed.h"
#include "import/ncnn/context.h"
#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {
namespace {

// LayerNorm over planes, each for itself.
Status NormalizePlanes(Context& context, const Layer& layer, int64_t count,
                       double epsilon, bool affine) {
  Writer w(context, layer);
  const ValueId x = w.Map();
  const Dims d = w.Static(x);
  if (w.ok() && d[2] * d[3] != count && (affine || count != 0))
    w.Refuse(count, " factors for planes of ", ToString(d));
  if (!w.ok()) return w.Done(kNoValue, 3);
  const ValueId moved = w.Sub(x, w.Reduce("MEAN", x, {2, 3}, true));
  const ValueId variance =
      w.Reduce("MEAN", w.Unary("Square", moved), {2, 3}, true);
  ValueId y = w.Mul(moved, w.Unary("Rsqrt", w.Add(variance, epsilon)));
  if (affine) {
    y = w.Mul(y, w.Constant(Tensor::Floats({d[2], d[3]}, w.Weights(count))));
    y = w.Add(y, w.Constant(Tensor::Floats({d[2], d[3]}, w.Weights(count))));
  }
  return w.Done(y, 3);
}

}  // namespace

Status BatchNorm(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int channels, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const double epsilon, layer.Float(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t n,
                         Positive(layer, channels, "the channel count"));
  // In the file: slope, mean, variance, bias.
  ValueId parts[4];
  static constexpr const char* kNames[] = {"slope", "mean", "variance", "bias"};
  for (int i = 0; i < 4; ++i) {
    MUNJA_ASSIGN_OR_RETURN(std::vector<float> values,
                           context.weights.Untagged(n).With(layer));
    parts[i] = context.Constant(layer, kNames[i], {n}, std::move(values));
  }
  graph::Attributes a;
  a.Set("epsilon", epsilon);
  return context.Emit(layer, "BatchNormalization",
                      {in.value, parts[0], parts[3], parts[1], parts[2]},
                      std::move(a), in.rank);
}

Status Scale(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int size, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int bias, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t n,
                         Positive(layer, size, "the channel count"));
  Dims shape(in.rank == 2 ? 3 : 4, 1);
  shape[1] = n;
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> factors,
                         context.weights.Untagged(n).With(layer));
  const ValueId scale =
      context.Constant(layer, "scale", shape, std::move(factors));
  if (bias == 0)
    return context.Emit(layer, "Mul", {in.value, scale}, {}, in.rank);
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> offsets,
                         context.weights.Untagged(n).With(layer));
  const ValueId offset =
      context.Constant(layer, "bias", shape, std::move(offsets));
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId product,
      context.Step(layer, "product", "Mul", {in.value, scale}));
  return context.Emit(layer, "Add", {product, offset}, {}, in.rank);
}

Status LayerNorm(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int size, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const double epsilon, layer.Float(1, 0.001));
  MUNJA_ASSIGN_OR_RETURN(const int affine, layer.Int(2, 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t n,
                         Positive(layer, size, "the row length"));
  const Dims& shape = context.ShapeOf(in);
  if (n > (1 << 20)) return Malformed(layer, ": the row length");
  if (in.rank == 3 && shape.back() >= 0 && shape.back() != n)
    return NormalizePlanes(context, layer, n, epsilon, affine != 0);
  if (in.rank == 1 || (shape.back() >= 0 && shape.back() != n))
    return Unsupported(layer, ": normalization over more than the last axis");
  std::vector<float> scale(n, 1.0f), offset(n, 0.0f);
  if (affine != 0) {
    MUNJA_ASSIGN_OR_RETURN(scale, context.weights.Untagged(n).With(layer));
    MUNJA_ASSIGN_OR_RETURN(offset, context.weights.Untagged(n).With(layer));
  }
  graph::Attributes a;
  a.Set("axis", int64_t{-1});
  a.Set("epsilon", epsilon);
  return context.Emit(
      layer, "LayerNormalization",
      {in.value, context.Constant(layer, "scale", {n}, std::move(scale)),
       context.Constant(layer, "bias", {n}, std::move(offset))},
      std::move(a), in.rank);
}

namespace {

// `affine`: a factor and an offset for each channel follow in the weights.
Status Normalized(Context& context, const Layer& layer, int given, int groups,
                  double epsilon, bool affine) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t channels, Channels(context, layer));
  if ((affine && given != channels) || groups < 1 || channels % groups != 0)
    return Malformed(layer, ": ", groups, " groups of ", given, " channels, ",
                     channels, " are there");
  ValueId both[2] = {kNoValue, kNoValue};
  for (const int i : {0, 1}) {
    if (!affine) break;
    MUNJA_ASSIGN_OR_RETURN(std::vector<float> numbers,
                           context.weights.Untagged(channels).With(layer));
    both[i] = context.Constant(layer, i == 0 ? "scale" : "bias",
                               {channels, 1, 1}, std::move(numbers));
  }
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      NormalizeGroups(context, layer, context.In(layer).value, channels,
                      channels / groups, Number(context, layer, epsilon),
                      both[0], both[1]));
  return context.Set(layer, 0, {y, 3});
}

}  // namespace

// Each channel for itself.
Status InstanceNorm(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int given, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const double epsilon, layer.Float(1, 0.001));
  MUNJA_ASSIGN_OR_RETURN(const int affine, layer.Int(2, 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t channels, Channels(context, layer));
  return Normalized(context, layer, given, static_cast<int>(channels), epsilon,
                    affine != 0);
}

Status GroupNorm(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int groups, layer.Int(0, 1));
  MUNJA_ASSIGN_OR_RETURN(const int given, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const double epsilon, layer.Float(2, 0.001));
  MUNJA_ASSIGN_OR_RETURN(const int affine, layer.Int(3, 1));
  return Normalized(context, layer, given, groups, epsilon, affine != 0);
}

// x / sqrt(sum of squares), times one factor per channel or one for all.
Status Normalize(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const bool across_places = w.Given(layer.Int(0, 0)) != 0;
  const bool is_shared = w.Given(layer.Int(1, 0)) != 0;
  const double epsilon = w.Given(layer.Float(2, 0.0001));
  const int64_t count = w.Given(layer.Int(3, 0));
  const bool across_channels = w.Given(layer.Int(4, 1)) != 0;
  const int mode = w.Given(layer.Int(9, 0));
  const ValueId x = w.in();
  const int64_t channels = w.Given(Channels(context, layer));
  if (w.ok() && count != (is_shared ? 1 : channels))
    w.Damaged(count, " factors");
  // Over nothing it leaves all as it is, its factors too.
  if (!across_places && !across_channels) w.Refuse("a norm over nothing");
  Int64s axes;
  if (across_channels) axes.push_back(1);
  if (across_places) axes.insert(axes.end(), {2, 3});
  const std::vector<float> factors = w.Weights(count);
  if (!w.ok()) return w.Done(kNoValue, 3);
  const ValueId sum = w.Reduce("SUM", w.Unary("Square", x), axes, true);
  const ValueId least = w.Scalar(epsilon);
  ValueId y = kNoValue;
  if (mode == 0)
    y = w.Mul(x, w.Unary("Rsqrt", w.Add(sum, least)));
  else if (mode == 1)
    y = w.Div(x, w.Binary("Max", w.Unary("Sqrt", sum), least));
  else
    y = w.Mul(x, w.Unary("Rsqrt", w.Binary("Max", sum, least)));
  return w.Done(w.Mul(y, w.PerChannel(factors)), 3);
}

// x (bias + alpha / size * the squares of the channels around)^-beta
Status LocalResponse(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int region = w.Given(layer.Int(0, 0));
  const int64_t size = w.Given(layer.Int(1, 5));
  const double alpha = w.Given(layer.Float(2, 1));
  const double beta = w.Given(layer.Float(3, 0.75));
  const double bias = w.Given(layer.Float(4, 1));
  const ValueId x = w.in();
  const int64_t channels = w.Given(Channels(context, layer));
  if (region != 0) w.Refuse("normalization over neighbors instead of channels");
  if (size < 1) w.Damaged("a size of ", size);
  // The sums of neighbors are a 1x1 convolution with ones.
  constexpr int64_t kMaxChannels = 2048;
  if (channels > kMaxChannels) w.Refuse(channels, " channels");
  if (!w.ok()) return w.Done(kNoValue, 3);
  const int64_t around = size / 2;
  std::vector<float> ones;
  for (int64_t r = 0; r < channels; ++r)
    for (int64_t c = 0; c < channels; ++c)
      ones.push_back(c >= r - around && c <= r + around ? 1.0f : 0.0f);
  const ValueId sum =
      w.Neutral("Conv", {w.Unary("Square", x),
                         w.Constant(Tensor::Floats({channels, channels, 1, 1},
                                                   std::move(ones)))});
  const ValueId base =
      w.Add(w.Mul(sum, alpha / static_cast<double>(size)), bias);
  return w.Done(w.Div(x, w.Binary("Pow", base, w.Scalar(beta))), 3);
}

// x / the root of the mean square, of rows or of whole planes.
Status RmsNorm(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t count = w.Given(layer.Int(0, 0));
  const double epsilon = w.Given(layer.Float(1, 0.001));
  const bool affine = w.Given(layer.Int(2, 1)) != 0;
  const int rank = w.in_rank();
  const ValueId x = w.in();
  if (!w.ok()) return w.Done(kNoValue, rank);
  const Dims& d = w.shape(x);
  Int64s axes = {w.rank(x) - 1};
  Dims of = {count};
  if (rank == 1) {
    axes = {1};
    of = {count, 1, 1};
  } else if (rank == 3 && d[3] != count) {
    if (d[2] < 0 || d[3] < 0) w.Refuse("planes of unknown size");
    axes = {2, 3};
    of = {d[2], d[3]};
  }
  int64_t expected = 1;
  for (const int64_t a : axes) expected *= d[static_cast<size_t>(a)];
  if (w.ok() && expected >= 0 && (count != 0 || affine) && expected != count)
    w.Damaged(count, " factors for ", expected, " values");
  const ValueId mean = w.Reduce("MEAN", w.Unary("Square", x), axes, true);
  ValueId y = w.Mul(x, w.Unary("Rsqrt", w.Add(mean, epsilon)));
  if (affine) y = w.Mul(y, w.Constant(Tensor::Floats(of, w.Weights(count))));
  return w.Done(y, rank);
}

}  // namespace munja::importer::ncnn
