// Layers that divide a map by what it, or its surroundings, come to; functions
// of one number that are composed of others.
#include <string>
#include <utility>
#include <vector>

#include "import/ncnn/writer.h"

namespace munja::foreign::ncnn {
// x / the root of the sum of squares, times a number for each channel or all.
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
  if (region != 0) w.Refuse("the places around instead of the channels");
  if (size < 1) w.Damaged("a size of ", size);
  // The sums of neighbors are a 1x1 convolution with ones.
  constexpr int64_t kMostChannels = 2048;
  if (channels > kMostChannels) w.Refuse(channels, " channels");
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

Status Threshold(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const double threshold = w.Given(layer.Float(0, 0));
  const ValueId is_more = w.Compare("GREATER", w.in(), w.Scalar(threshold));
  return w.Done(w.Cast(is_more, kF32), w.in_rank());
}

// max(x, 0) + min(alpha (e^(x / alpha) - 1), 0)
Status Celu(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const double alpha = w.Given(layer.Float(0, 1));
  if (!(alpha > 0)) w.Damaged("alpha is not positive");
  const ValueId x = w.in();
  // What is above 0 could overflow.
  const ValueId low = w.Binary("Min", x, w.Scalar(0));
  const ValueId tail =
      w.Neutral("Elu", {w.Mul(low, 1 / alpha)}, {{"alpha", 1.0}});
  return w.Done(w.Add(w.Binary("Max", x, w.Scalar(0)), w.Mul(tail, alpha)),
                w.in_rank());
}

}  // namespace munja::foreign::ncnn
