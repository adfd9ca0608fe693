// Pooling, resizing, sampling and blocks of pixels.
#include <string>
#include <utility>
#include <vector>

#include "import/compose/pool_parts.h"
#include "import/compose/resample.h"
#include "import/ncnn/context.h"
#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

Status Pooling(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int type, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int kw, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(int kh, layer.Int(11, kw));
  MUNJA_ASSIGN_OR_RETURN(const int sw, layer.Int(2, 1));
  MUNJA_ASSIGN_OR_RETURN(int sh, layer.Int(12, sw));
  MUNJA_ASSIGN_OR_RETURN(const int left, layer.Int(3, 0));
  MUNJA_ASSIGN_OR_RETURN(const int right, layer.Int(14, left));
  MUNJA_ASSIGN_OR_RETURN(int top, layer.Int(13, left));
  MUNJA_ASSIGN_OR_RETURN(int bottom, layer.Int(15, top));
  MUNJA_ASSIGN_OR_RETURN(const int global, layer.Int(4, 0));
  MUNJA_ASSIGN_OR_RETURN(const int mode, layer.Int(5, 0));
  MUNJA_ASSIGN_OR_RETURN(const int include_pad, layer.Int(6, 0));
  MUNJA_ASSIGN_OR_RETURN(const int adaptive, layer.Int(7, 0));
  MUNJA_ASSIGN_OR_RETURN(const int out_w, layer.Int(8, 0));
  MUNJA_ASSIGN_OR_RETURN(int out_h, layer.Int(18, out_w));
  if (type != 0 && type != 1) return Malformed(layer, ": type ", type);
  const bool rows = IsOneDimensional(layer);
  if (in.rank != (rows ? 2 : 3))
    return Unsupported(layer, ": an input of rank ", in.rank);
  if (rows) {
    kh = sh = out_h = 1;
    top = bottom = 0;
  }
  ValueId x = in.value;
  if (rows) {
    MUNJA_ASSIGN_OR_RETURN(x, AsMap(context, layer, x));
  }
  graph::Attributes a;
  if (global == 0 && adaptive != 0 && (rows || out_w != 1 || out_h != 1)) {
    Writer w(context, layer);
    const bool is_max = type == 0;
    // -233: as many as there are.
    if (out_h != -233) x = PoolParts(w, x, 2, out_h, is_max);
    if (out_w != -233) x = PoolParts(w, x, 3, out_w, is_max);
    return rows ? w.Done(w.Squeeze(x, {2}), 2) : w.Done(x, 3);
  }
  if (global != 0 || adaptive != 0) {
    a.Set("axes", Ints{2, 3});
    a.Set("keepdims", int64_t{1});
    return context.Emit(layer, type == 0 ? "ReduceMax" : "ReduceMean", {x},
                        std::move(a), global != 0 ? 1 : 3);
  }
  if (kw < 1 || kh < 1) return Malformed(layer, ": no kernel");
  a.Set("kernel_shape", Ints{kh, kw});
  a.Set("strides", Ints{sh, sw});
  if (mode == 2 || mode == 3)
    a.Set("auto_pad", std::string(mode == 2 ? "SAME_UPPER" : "SAME_LOWER"));
  else
    a.Set("pads", Ints{top, left, bottom, right});
  // Mode 0 covers every input element, mode 1 drops a rest.
  if (mode == 0) a.Set("ceil_mode", int64_t{1});
  if (type == 1) a.Set("count_include_pad", int64_t{include_pad != 0});
  const char* const op = type == 0 ? "MaxPool" : "AveragePool";
  if (!rows) return context.Emit(layer, op, {x}, std::move(a), 3);
  MUNJA_ASSIGN_OR_RETURN(x,
                         context.Step(layer, "pooled", op, {x}, std::move(a)));
  a = graph::Attributes();
  a.Set("axes", Ints{2});
  return context.Emit(layer, "Squeeze", {x}, std::move(a), 2);
}

Status Interp(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int type, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const double scale_h, layer.Float(1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double scale_w, layer.Float(2, 1));
  MUNJA_ASSIGN_OR_RETURN(const int height, layer.Int(3, 0));
  MUNJA_ASSIGN_OR_RETURN(const int width, layer.Int(4, 0));
  MUNJA_ASSIGN_OR_RETURN(const int align, layer.Int(6, 0));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 5, "a size computed at run time"));
  if (in.rank == 3 && type == 3) {
    Writer w(context, layer);
    const Dims d = w.Static(in.value);
    if (!w.ok()) return w.Done(kNoValue, 3);
    const bool has_size = height > 0 && width > 0;
    const double wanted[2] = {
        has_size ? height : static_cast<double>(d[2]) * scale_h,
        has_size ? width : static_cast<double>(d[3]) * scale_w};
    Sampling s;
    s.mode = "cubic";
    s.coordinates = align != 0 ? "align_corners" : "half_pixel";
    ValueId x = in.value;
    for (size_t i = 0; i < 2; ++i) {
      if (!(wanted[i] >= 1) || wanted[i] > (1 << 20))
        w.Damaged("a size of ", wanted[i]);
      if (!w.ok()) break;
      Line line;
      line.in = d[2 + i];
      line.out = static_cast<int64_t>(wanted[i]);
      line.scale = static_cast<double>(line.out) / static_cast<double>(line.in);
      if (line.in != line.out)
        x = ResizeAxis(w, x, static_cast<int64_t>(2 + i), s, line);
    }
    return w.Done(x, 3);
  }
  if (in.rank != 3 || (type != 1 && type != 2))
    return Unsupported(layer, ": interpolation of type ", type, " on rank ",
                       in.rank);
  graph::Attributes a;
  a.Set("mode", std::string(type == 1 ? "nearest" : "linear"));
  a.Set("coordinates", std::string(type == 1    ? "asymmetric"
                                   : align != 0 ? "align_corners"
                                                : "half_pixel"));
  a.Set("rounding", std::string("floor"));
  if (height > 0 && width > 0) {
    a.Set("sizes", Ints{height, width});
  } else {
    a.Set("scale_h", scale_h);
    a.Set("scale_w", scale_w);
  }
  return context.Emit(layer, "Resize", {in.value}, std::move(a), 3);
}

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

// The channels of a block are adjacent, or, with mode 1, those of one position
// in all blocks.
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

// The positions of a block become channels, grouped by channel, or, with mode
// 1, by position.
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

namespace {

// Kernel geometry in pixels: size, dilation, stride and padding.
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

// Places of a map, given from -1 to 1.
Status GridSample(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int type = w.Given(layer.Int(0, 1));
  const int padding = w.Given(layer.Int(1, 1));
  const int align = w.Given(layer.Int(2, 0));
  const bool turned = w.Given(layer.Int(3, 0)) != 0;
  // At ties ncnn rounds up, the operator to even; ncnn reflects once, the
  // operator as often as needed.
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

// The taps of a kernel, as rows grouped by channel; a column for each position
// of the kernel.
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

// Inputs: the map, the offset of each tap (down, then to the right), and its
// weight.
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

}  // namespace munja::importer::ncnn
