// Layers that are written with others: channels in another order, functions of
// one number.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "import/composed.h"
#include "import/ncnn/context.h"
#include "import/ncnn/writer.h"

namespace munja::foreign::ncnn {
namespace {

// The channels in this order.
Result<ValueId> Reorder(Context& context, const Layer& layer,
                        const std::vector<int64_t>& order) {
  const ValueId indices = context.builder.AddConstant(
      layer.name + "/order",
      Tensor::Integers({static_cast<int64_t>(order.size())}, order));
  graph::Attributes a;
  a.Set("axis", int64_t{1});
  return context.Step(layer, "ordered", "Gather",
                      {context.In(layer).value, indices}, std::move(a));
}

ValueId Number(Context& context, const Layer& layer, double value) {
  return context.Constant(layer, "number", {}, {static_cast<float>(value)});
}

}  // namespace

Status ShuffleChannel(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int given, layer.Int(0, 1));
  MUNJA_ASSIGN_OR_RETURN(const int reverse, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t channels, Channels(context, layer));
  if (given < 1 || channels % given != 0)
    return Malformed(layer, ": ", given, " groups of ", channels, " channels");
  const int64_t groups = reverse != 0 ? channels / given : given;
  const int64_t own = channels / groups;
  std::vector<int64_t> order(static_cast<size_t>(channels));
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t c = 0; c < own; ++c)
      order[static_cast<size_t>(groups * c + g)] = own * g + c;
  MUNJA_ASSIGN_OR_RETURN(const ValueId y, Reorder(context, layer, order));
  return context.Set(layer, 0, {y, 3});
}

// Channels of a block are next to each other, or with mode 1 channels of a
// place within blocks.
Status PixelShuffle(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int block, layer.Int(0, 1));
  MUNJA_ASSIGN_OR_RETURN(const int mode, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t channels, Channels(context, layer));
  if (block < 1 || block > 1024 || channels % (int64_t{block} * block) != 0)
    return Malformed(layer, ": blocks of ", block, " of ", channels,
                     " channels");
  ValueId x = context.In(layer).value;
  if (mode == 0) {
    const int64_t places = int64_t{block} * block, own = channels / places;
    std::vector<int64_t> order(static_cast<size_t>(channels));
    for (int64_t p = 0; p < places; ++p)
      for (int64_t c = 0; c < own; ++c)
        order[static_cast<size_t>(p * own + c)] = c * places + p;
    MUNJA_ASSIGN_OR_RETURN(x, Reorder(context, layer, order));
  }
  graph::Attributes a;
  a.Set("blocksize", int64_t{block});
  return context.Emit(layer, "DepthToSpace", {x}, std::move(a), 3);
}

// The places of a block, as channels: those of a channel one after the other,
// or with mode 1 the channels of a place.
Status Reorg(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t block = w.Given(layer.Int(0, 1));
  const int mode = w.Given(layer.Int(1, 0));
  const Dims d = w.Static(w.Map());
  if (w.ok() && (block < 1 || d[2] % block != 0 || d[3] % block != 0))
    w.Damaged("blocks of ", block, " of a map of ", ToString(d));
  if (!w.ok()) return w.Done(kNoValue, 3);
  const int64_t height = d[2] / block, width = d[3] / block;
  const ValueId parts = w.Reshape(w.in(), {d[1], height, block, width, block});
  const ValueId turned = w.Transpose(
      parts, mode == 0 ? Int64s{0, 2, 4, 1, 3} : Int64s{2, 4, 0, 1, 3});
  return w.Done(w.Reshape(turned, {1, d[1] * block * block, height, width}), 3);
}

// The same again along an axis.
Status Tile(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t axis = w.Given(layer.Int(0, 0));
  const int64_t tiles = w.Given(layer.Int(1, 1));
  if (!w.Given(layer.Ints(2)).empty()) w.Refuse("repeats of all axes");
  const int rank = w.in_rank();
  if (axis < 0 || axis >= rank) w.Damaged("axis ", axis);
  if (tiles < 1 || tiles > 1 << 20) w.Damaged(tiles, " tiles");
  if (!w.ok()) return w.Done(kNoValue, rank);
  Int64s times(static_cast<size_t>(w.rank(w.in())), 1);
  times[static_cast<size_t>(axis + 1)] = tiles;
  return w.Done(w.Tflite("TILE", {w.in(), w.List(times)}, kF32), rank);
}

Status Softplus(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      LogOnePlusExp(context, layer, in.value, Number(context, layer, 1)));
  return context.Set(layer, 0, {y, in.rank});
}

// lambda * elu(x)
Status Selu(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const double alpha, layer.Float(0, 1.67326324));
  MUNJA_ASSIGN_OR_RETURN(const double lambda, layer.Float(1, 1.050700987));
  graph::Attributes a;
  a.Set("alpha", alpha);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(layer, "elu", "Elu", {in.value}, std::move(a)));
  return context.Emit(layer, "Mul", {y, Number(context, layer, lambda)}, {},
                      in.rank);
}

Status Mish(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(ValueId y, LogOnePlusExp(context, layer, in.value,
                                                  Number(context, layer, 1)));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(layer, "gate", "Tanh", {y}));
  return context.Emit(layer, "Mul", {in.value, y}, {}, in.rank);
}

// (shift + x * scale) ^ power
Status Power(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const double power, layer.Float(0, 1));
  MUNJA_ASSIGN_OR_RETURN(const double scale, layer.Float(1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double shift, layer.Float(2, 0));
  MUNJA_ASSIGN_OR_RETURN(
      ValueId y, context.Step(layer, "scaled", "Mul",
                              {in.value, Number(context, layer, scale)}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(layer, "moved", "Add",
                                         {y, Number(context, layer, shift)}));
  if (power == 1) return context.Set(layer, 0, {y, in.rank});
  return context.Emit(layer, "Pow", {y, Number(context, layer, power)}, {},
                      in.rank);
}

namespace {

// Parameter 2 + x * parameter 1.
Result<ValueId> Line(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const double scale, layer.Float(1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double shift, layer.Float(2, 0));
  ValueId y = context.In(layer).value;
  if (scale != 1) {
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(layer, "scaled", "Mul",
                                           {y, Number(context, layer, scale)}));
  }
  if (shift == 0) return y;
  return context.Step(layer, "moved", "Add",
                      {y, Number(context, layer, shift)});
}

}  // namespace

// base ^ (shift + x * scale); -1 stands for e.
Status Exponential(Context& context, const Layer& layer) {
  const int rank = context.In(layer).rank;
  MUNJA_ASSIGN_OR_RETURN(const double base, layer.Float(0, -1));
  MUNJA_ASSIGN_OR_RETURN(const ValueId y, Line(context, layer));
  if (base == -1) return context.Emit(layer, "Exp", {y}, {}, rank);
  return context.Emit(layer, "Pow", {Number(context, layer, base), y}, {},
                      rank);
}

// log(shift + x * scale) to that base; -1 stands for e.
Status Logarithm(Context& context, const Layer& layer) {
  const int rank = context.In(layer).rank;
  MUNJA_ASSIGN_OR_RETURN(const double base, layer.Float(0, -1));
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, Line(context, layer));
  if (base == -1) return context.Emit(layer, "Log", {x}, {}, rank);
  if (!(base > 0) || base == 1) return Malformed(layer, ": base ", base);
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         context.Step(layer, "log", "Log", {x}));
  return context.Emit(
      layer, "Mul", {y, Number(context, layer, 1 / std::log(base))}, {}, rank);
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

Status ErrorFunction(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  return context.Emit(layer, "Erf", {in.value}, {}, in.rank);
}

Status Bias(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId bias,
      PerChannel(context, layer, "bias", "the number of biases"));
  return context.Emit(layer, "Add", {in.value, bias}, {}, in.rank);
}

}  // namespace munja::foreign::ncnn
