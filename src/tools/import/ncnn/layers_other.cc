// Layers that networks for vision use besides: normalization by the mean
// square, gates, sampling at computed places, parts put together.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "import/ncnn/writer.h"

namespace munja::foreign::ncnn {
namespace {

// The axis behind the batch: of a vector, its channels.
int64_t AxisOf(Writer& w, int axis) { return 1 + w.Axis(axis, w.in_rank()); }

// What a kernel of a map sees, in pixels: its size, the way from one of its
// places to the next, and from one of its positions to the next, and what is
// added around the map.
struct Kernel {
  int64_t width, height, step_x, step_y, stride_x, stride_y;
  int64_t left, top, right, bottom;
};

Kernel ReadKernel(Writer& w, const Layer& layer) {
  const auto read = [&](int key, int64_t otherwise) -> int64_t {
    return w.Given(layer.Int(key, static_cast<int>(otherwise)));
  };
  Kernel k;
  k.width = read(1, 0);
  k.height = read(11, k.width);
  k.step_x = read(2, 1);
  k.step_y = read(12, k.step_x);
  k.stride_x = read(3, 1);
  k.stride_y = read(13, k.stride_x);
  k.left = read(4, 0);
  k.right = read(15, k.left);
  k.top = read(14, k.left);
  k.bottom = read(16, k.top);
  return k;
}

}  // namespace

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
    w.Damaged(count, " factors for ", expected, " numbers");
  const ValueId mean = w.Reduce("MEAN", w.Unary("Square", x), axes, true);
  ValueId y = w.Mul(x, w.Unary("Rsqrt", w.Add(mean, epsilon)));
  if (affine) y = w.Mul(y, w.Constant(Tensor::Floats(of, w.Weights(count))));
  return w.Done(y, rank);
}

Status CumulativeSum(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int rank = w.in_rank();
  const int given = w.Given(layer.Int(0, 0));
  // Of a vector there is one axis only, whatever is said.
  const int64_t axis = rank == 1 ? 1 : AxisOf(w, given);
  return w.Done(
      w.Tflite("CUMSUM", {w.in(), w.Scalar(static_cast<double>(axis), kI32)},
               kF32, {{"exclusive", false}, {"reverse", false}}),
      rank);
}

// The first half times the logistic function of the second.
Status Glu(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int rank = w.in_rank();
  const int given = w.Given(layer.Int(0, 0));
  const int64_t axis = rank == 1 ? 1 : AxisOf(w, given);
  if (!w.ok()) return w.Done(kNoValue, rank);
  const int64_t size = w.shape(w.in())[static_cast<size_t>(axis)];
  if (size < 0) w.Refuse("an axis of unknown size");
  if (w.ok() && size % 2 != 0) w.Damaged("halves of ", size);
  const ValueId gate =
      w.Unary("Sigmoid", w.Slice(w.in(), axis, size / 2, size));
  return w.Done(w.Mul(w.Slice(w.in(), axis, 0, size / 2), gate), rank);
}

// What is near 0 becomes 0, and the rest comes nearer.
Status Shrink(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const double bias = w.Given(layer.Float(0, 0));
  const double lambda = w.Given(layer.Float(1, 0.5));
  const ValueId x = w.in();
  const ValueId above = w.Select(w.Compare("GREATER", x, w.Scalar(lambda)),
                                 w.Add(x, -bias), w.Mul(x, 0.0));
  return w.Done(
      w.Select(w.Compare("LESS", x, w.Scalar(-lambda)), w.Add(x, bias), above),
      w.in_rank());
}

// How numbers lie in memory, or their type, changes: all are float here.
Status Same(Context& context, const Layer& layer) {
  return context.Set(layer, 0, context.In(layer));
}

// Places of a map, given from -1 to 1.
Status GridSample(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int type = w.Given(layer.Int(0, 1));
  const int padding = w.Given(layer.Int(1, 1));
  const int align = w.Given(layer.Int(2, 0));
  const bool turned = w.Given(layer.Int(3, 0)) != 0;
  // At halves ncnn takes the place above, the operator the even one; ncnn
  // reflects once, the operator as often as needed.
  if (type != 1 && type != 3) w.Refuse("sample type ", type);
  if (padding != 1 && padding != 2) w.Refuse("padding mode ", padding);
  graph::Attributes options;
  options.Set("mode", std::string(type == 1 ? "linear" : "cubic"));
  options.Set("padding", std::string(padding == 1 ? "zeros" : "border"));
  options.Set("align_corners", int64_t{align != 0});
  ValueId grid = w.Map(1);
  if (turned) grid = w.Transpose(grid, {0, 2, 3, 1});
  return w.Done(w.Custom("MunjaGridSample", {w.Map(0), grid}, kF32, options),
                3);
}

// The places that a kernel sees, as rows: those of a channel one after the
// other, a column for each position of the kernel.
Status Unfold(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const Kernel k = ReadKernel(w, layer);
  const double value = w.Given(layer.Float(18, 0));
  constexpr int64_t kMost = 256;
  if (k.width < 1 || k.height < 1 || k.step_x < 1 || k.step_y < 1 ||
      k.stride_x < 1 || k.stride_y < 1 || k.left < 0 || k.top < 0 ||
      k.right < 0 || k.bottom < 0)
    w.Damaged("the kernel's sizes");
  if (k.width > kMost || k.height > kMost || k.width * k.height > kMost)
    w.Refuse("so large a kernel");
  ValueId x = w.Map();
  if (w.ok() && (k.left > 0 || k.top > 0 || k.right > 0 || k.bottom > 0))
    x = w.Neutral(
        "Pad", {x},
        {{"pads", Int64s{0, 0, k.top, k.left, 0, 0, k.bottom, k.right}},
         {"value", value},
         {"mode", std::string("constant")}});
  const Dims d = w.Static(x);
  if (!w.ok()) return w.Done(kNoValue, 2);
  const int64_t height = d[2] - k.step_y * (k.height - 1),
                width = d[3] - k.step_x * (k.width - 1);
  if (height < 1 || width < 1) w.Damaged("a kernel larger than the map");
  if (!w.ok()) return w.Done(kNoValue, 2);
  Values parts;
  for (int64_t y = 0; y < k.height; ++y)
    for (int64_t i = 0; i < k.width; ++i)
      parts.push_back(
          w.Reshape(w.Slice(x, {2, 3}, {y * k.step_y, i * k.step_x},
                            {y * k.step_y + height, i * k.step_x + width},
                            {k.stride_y, k.stride_x}),
                    {1, d[1], 1, -1}));
  return w.Done(
      w.Reshape(w.Concat(parts, 2), {1, d[1] * k.height * k.width, -1}), 2);
}

// The second blob in the place of a part of the first.
Status CopyTo(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int rank = w.in_rank();
  Int64s offsets = {w.Given(layer.Int(2, 0)), w.Given(layer.Int(1, 0)),
                    w.Given(layer.Int(0, 0))};
  offsets.erase(offsets.begin(), offsets.end() - std::min(rank, 3));
  const Int64s starts = w.Given(layer.Ints(9));
  Int64s axes = w.Given(layer.Ints(11));
  if (w.Given(layer.Int(13, 0)) != 0) w.Refuse("an offset in depth");
  if (w.in_rank(1) != rank) w.Refuse("blobs of different rank");
  if (!w.ok()) return w.Done(kNoValue, rank);
  const Dims into = w.Static(w.in(0)), part = w.Static(w.in(1));
  if (!w.ok()) return w.Done(kNoValue, rank);
  if (into == part) return context.Set(layer, 0, context.In(layer, 1));
  if (!starts.empty()) {
    std::fill(offsets.begin(), offsets.end(), 0);
    if (axes.empty())
      for (size_t i = 0; i < starts.size(); ++i)
        axes.push_back(static_cast<int64_t>(i));
    if (axes.size() != starts.size()) w.Damaged("starts without their axes");
    for (size_t i = 0; i < starts.size() && w.ok(); ++i) {
      const int64_t axis = w.Axis(axes[i], rank);
      if (!w.ok()) break;
      const int64_t size = into[static_cast<size_t>(axis + 1)];
      offsets[static_cast<size_t>(axis)] = starts[i] == -233 ? 0
                                           : starts[i] < 0   ? size + starts[i]
                                                             : starts[i];
    }
  }
  Int64s pads(2 * into.size(), 0);
  for (size_t i = 0; i < offsets.size() && w.ok(); ++i) {
    const int64_t rest = into[i + 1] - part[i + 1] - offsets[i];
    if (offsets[i] < 0 || rest < 0) w.Damaged("a part that reaches beyond");
    pads[i + 1] = offsets[i];
    pads[into.size() + i + 1] = rest;
  }
  if (!w.ok()) return w.Done(kNoValue, rank);
  const auto pad = [&](ValueId v) {
    return w.Neutral(
        "Pad", {v},
        {{"pads", pads}, {"value", 0.0}, {"mode", std::string("constant")}});
  };
  int64_t count = 1;
  for (const int64_t n : part) count *= n;
  constexpr int64_t kMostElements = 1 << 24;
  if (count > kMostElements) w.Refuse("so large a part");
  if (!w.ok()) return w.Done(kNoValue, rank);
  const ValueId is_part = pad(w.Constant(Tensor::Floats(
      part, std::vector<float>(static_cast<size_t>(count), 1.0f))));
  return w.Done(w.Select(w.Compare("GREATER", is_part, w.Scalar(0.5)),
                         pad(w.in(1)), w.in(0)),
                rank);
}

// Inputs: the map, how far each place of the kernel moves (down, then to the
// right), and what it counts.
Status DeformableConvolution(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t filters = w.Given(layer.Int(0, 0));
  const Kernel k = ReadKernel(w, layer);
  const bool has_bias = w.Given(layer.Int(5, 0)) != 0;
  const int64_t count = w.Given(layer.Int(6, 0));
  const size_t inputs = layer.inputs.size();
  if (inputs < 2 || inputs > 3) w.Damaged(inputs, " inputs");
  if (filters < 1 || k.width < 1 || k.height < 1 || k.width > 1024 ||
      k.height > 1024 || count < 1 ||
      count % (filters * k.width * k.height) != 0)
    w.Damaged("the kernel's sizes");
  if (!w.ok()) return w.Done(kNoValue, 3);
  for (size_t i = 0; i < inputs; ++i) w.Map(i);
  graph::Attributes options;
  options.Set("strides", Int64s{k.stride_y, k.stride_x});
  options.Set("dilations", Int64s{k.step_y, k.step_x});
  options.Set("pads", Int64s{k.top, k.left, k.bottom, k.right});
  options.Set("group", int64_t{1});
  options.Set("offset_group", int64_t{1});
  const ValueId weights = w.Constant(Tensor::Floats(
      {filters, count / (filters * k.width * k.height), k.height, k.width},
      w.Tagged(count)));
  Values all = {w.in(0), weights, w.in(1)};
  // The operator has a bias before the mask.
  if (has_bias)
    all.push_back(w.Constant(Tensor::Floats({filters}, w.Weights(filters))));
  else if (inputs == 3)
    all.push_back(kNoValue);
  if (inputs == 3) all.push_back(w.in(2));
  return w.Activated(w.Custom("MunjaDeformConv", std::move(all), kF32, options),
                     3);
}

}  // namespace munja::foreign::ncnn
