#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/window.h"
#include "import/lower/lowering_context.h"

namespace munja::importer {
namespace {

const Layout kImage = {0, 2, 3, 1};

// Whether the window's padding along one axis equals SAME, for every input size
// (`input` is kUnknown) or for that one.
bool IsSame(const Window& w, int axis, int64_t input) {
  const int64_t stride = w.stride[axis], extent = w.Extent(axis);
  if (w.pad_mode == PadMode::kSameUpper) return true;
  Window same = w;
  same.pad_mode = PadMode::kSameUpper;
  if (stride == 1 && w.pad_mode == PadMode::kExplicit)
    return w.before[axis] == (extent - 1) / 2 &&
           w.before[axis] + w.after[axis] == extent - 1;
  if (w.pad_mode == PadMode::kSameLower && stride == 1) return extent % 2 == 1;
  if (w.ceil_mode && input < 0) {
    // ceil(in / stride) with at most one element of padding, which goes after.
    return stride == extent && extent <= 2 && w.before[axis] == 0 &&
           w.after[axis] == 0;
  }
  if (input < 0) return false;
  const Result<int64_t> mine = w.OutputSize(axis, input);
  const Result<int64_t> theirs = same.OutputSize(axis, input);
  return mine.ok() && theirs.ok() && *mine == *theirs &&
         w.PadBefore(axis, input) == same.PadBefore(axis, input);
}

bool IsValid(const Window& w, int axis, int64_t input) {
  if (w.pad_mode != PadMode::kExplicit)
    return w.Extent(axis) == 1 || (input >= 0 && input % w.stride[axis] == 0 &&
                                   w.Extent(axis) <= w.stride[axis]);
  if (w.before[axis] != 0) return false;
  if (w.after[axis] != 0) {
    // Padding that no window reaches.
    return input >= w.Extent(axis) &&
           (input - w.Extent(axis)) % w.stride[axis] + w.after[axis] <
               w.stride[axis] &&
           !w.ceil_mode;
  }
  if (!w.ceil_mode || w.stride[axis] == 1) return true;
  return input >= w.Extent(axis) &&
         (input - w.Extent(axis)) % w.stride[axis] == 0;
}

// How a window pads: by the operator itself, or by a PAD before it.
struct Padding {
  std::string name = "VALID";
  bool explicit_pad = false;
  std::vector<int64_t> before, after;  // Height, width.
};

Result<Padding> Choose(const Window& w, const Dims& x) {
  Padding p;
  if (IsValid(w, 0, x[2]) && IsValid(w, 1, x[3])) return p;
  if (IsSame(w, 0, x[2]) && IsSame(w, 1, x[3])) {
    p.name = "SAME";
    return p;
  }
  p.explicit_pad = true;
  for (int i = 0; i < 2; ++i) {
    const int64_t in = x[2 + i];
    if (w.pad_mode == PadMode::kExplicit && !w.ceil_mode) {
      p.before.push_back(w.before[i]);
      p.after.push_back(w.after[i]);
      continue;
    }
    if (in < 0 && w.stride[i] != 1)
      return Unsupported(
          "padding that depends on the input's size in a way that .tflite "
          "cannot say (a fixed input shape helps)");
    const int64_t size = in < 0 ? w.Extent(i) : in;
    MUNJA_ASSIGN_OR_RETURN(const int64_t out, w.OutputSize(i, size));
    const int64_t before = w.PadBefore(i, size);
    const int64_t total =
        std::max<int64_t>((out - 1) * w.stride[i] + w.Extent(i) - size, before);
    p.before.push_back(before);
    p.after.push_back(total - before);
  }
  return p;
}

// A PAD or PADV2 of height and width.
graph::ValueId PadImage(LoweringContext& context, const Node& node,
                        graph::ValueId in, const Dims& x, const Padding& p,
                        float value) {
  Dims dims = Arrange(x, kImage);
  for (int i = 0; i < 2; ++i)
    if (dims[1 + i] >= 0) dims[1 + i] += p.before[i] + p.after[i];
  const std::string name = node.name + "/paddings";
  const graph::ValueId pads = context.Ints(
      name, {0, 0, p.before[0], p.after[0], p.before[1], p.after[1], 0, 0});
  context.subgraph.values[pads].shape = Shape({4, 2});
  std::vector<graph::ValueId> inputs = {in, pads};
  if (value != 0)
    inputs.push_back(context.Floats(node.name + "/padding", {1}, {value}));
  return context.Step(node, "padded", value != 0 ? "PADV2" : "PAD",
                      std::move(inputs), dims);
}

void SetWindow(const Window& w, const std::string& padding,
               graph::Attributes* a) {
  a->Set("padding", padding);
  a->Set("stride_h", w.stride[0]);
  a->Set("stride_w", w.stride[1]);
  a->Set("fused_activation_function", std::string("NONE"));
}

graph::ValueId Bias(LoweringContext& context, const Node& node, int64_t count) {
  if (node.inputs.size() > 2 && node.inputs[2] != kNoValue)
    return context.BroadcastConstant(node.inputs[2], 1, {0});
  return context.Floats(node.name + "/bias", {count},
                        std::vector<float>(count, 0.0f));
}

}  // namespace

Status LowerConv(LoweringContext& context, const Node& node) {
  const Dims& x = context.ShapeOf(node.inputs[0]);
  const Tensor* w = context.constant(node.inputs[1]);
  if (w == nullptr) return Unsupported("weights computed at run time");
  if (node.inputs.size() > 2 && node.inputs[2] != kNoValue &&
      context.constant(node.inputs[2]) == nullptr)
    return Unsupported("a bias computed at run time");
  MUNJA_ASSIGN_OR_RETURN(Window window, ReadWindow(node.attributes));
  window.kernel = {w->shape[2], w->shape[3]};
  MUNJA_ASSIGN_OR_RETURN(const int64_t group, node.attributes.Int("group", 1));
  MUNJA_ASSIGN_OR_RETURN(const Padding padding, Choose(window, x));
  MUNJA_ASSIGN_OR_RETURN(graph::ValueId in, context.In(node.inputs[0], kImage));
  if (padding.explicit_pad) in = PadImage(context, node, in, x, padding, 0.0f);
  const bool depthwise = w->shape[1] == 1 && group == x[1] && group > 1;
  // [O, 1, kh, kw] -> [1, kh, kw, O]; [O, I, kh, kw] -> [O, kh, kw, I].
  MUNJA_ASSIGN_OR_RETURN(
      const graph::ValueId weights,
      context.In(node.inputs[1], depthwise ? Layout{1, 2, 3, 0} : kImage));
  graph::Attributes a;
  SetWindow(window, padding.name, &a);
  a.Set("dilation_h_factor", window.dilation[0]);
  a.Set("dilation_w_factor", window.dilation[1]);
  if (depthwise) a.Set("depth_multiplier", w->shape[0] / group);
  const graph::ValueId bias = Bias(context, node, w->shape[0]);
  const bool dilated = window.dilation[0] != 1 || window.dilation[1] != 1;
  graph::Node& out =
      context.EmitTo(node, depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D",
                     {in, weights, bias}, kImage, std::move(a));
  if (depthwise && dilated) out.version = 2;
  if (!depthwise && group > 1) out.version = 6;
  return {};
}

Status LowerConvTranspose(LoweringContext& context, const Node& node) {
  const Dims& x = context.ShapeOf(node.inputs[0]);
  const Dims& y = context.ShapeOf(node.outputs[0]);
  const Tensor* w = context.constant(node.inputs[1]);
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != kNoValue;
  if (w == nullptr || (has_bias && context.constant(node.inputs[2]) == nullptr))
    return Unsupported("weights computed at run time");
  MUNJA_ASSIGN_OR_RETURN(Window window, ReadWindow(node.attributes));
  MUNJA_ASSIGN_OR_RETURN(Dims extra, node.attributes.Ints("output_padding"));
  if (extra.empty()) extra = {0, 0};
  window.kernel = {w->shape[2], w->shape[3]};
  if (window.dilation[0] != 1 || window.dilation[1] != 1)
    return Unsupported("a dilated transposed convolution");
  // out = in * stride + grow. SAME is grow = 0 with the padding split its way.
  bool valid = true, same = true;
  int64_t grow[2];
  for (int i = 0; i < 2; ++i) {
    const int64_t kernel = window.kernel[i], stride = window.stride[i];
    const int64_t before = window.before[i], after = window.after[i];
    grow[i] = kernel - stride + extra[i] - before - after;
    valid = valid && before == 0 && after == 0 && extra[i] == 0;
    same = same && grow[i] == 0 && kernel >= stride &&
           before == (kernel - stride) / 2;
  }
  if (!valid && !same)
    return Unsupported(
        "a transposed convolution whose padding is neither SAME nor VALID");
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in,
                         context.In(node.inputs[0], kImage));
  std::vector<RuntimeSize> sizes(4);
  const auto runtime = [&](int axis, int64_t factor, int64_t offset) {
    return RuntimeSize{in, axis, factor, offset, 0};
  };
  const auto number = [](int64_t n) {
    return RuntimeSize{graph::kNoValue, 0, 1, 0, n};
  };
  sizes[0] = x[0] >= 0 ? number(x[0]) : runtime(0, 1, 0);
  for (int i = 0; i < 2; ++i)
    sizes[1 + i] = y[2 + i] >= 0 ? number(y[2 + i])
                                 : runtime(1 + i, window.stride[i], grow[i]);
  sizes[3] = number(y[1]);
  const graph::ValueId shape = context.SizeVector(node, "output_shape", sizes);
  // [I, O, kh, kw] -> [O, kh, kw, I].
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId weights,
                         context.In(node.inputs[1], Layout{1, 2, 3, 0}));
  std::vector<graph::ValueId> inputs = {shape, weights, in};
  if (has_bias) inputs.push_back(Bias(context, node, y[1]));
  graph::Attributes a;
  SetWindow(window, valid ? "VALID" : "SAME", &a);
  graph::Node& out = context.EmitTo(node, "TRANSPOSE_CONV", std::move(inputs),
                                    kImage, std::move(a));
  out.version = has_bias ? 3 : 1;
  return {};
}

Status LowerPool(LoweringContext& context, const Node& node) {
  const Dims& x = context.ShapeOf(node.inputs[0]);
  const bool is_max = node.op == "MaxPool";
  MUNJA_ASSIGN_OR_RETURN(const Window window, ReadWindow(node.attributes));
  MUNJA_ASSIGN_OR_RETURN(const int64_t include_pad,
                         node.attributes.Int("count_include_pad", 0));
  if (window.dilation[0] != 1 || window.dilation[1] != 1)
    return Unsupported("a dilated pooling window");
  MUNJA_ASSIGN_OR_RETURN(Padding padding, Choose(window, x));
  if (!is_max && padding.name == "SAME" && include_pad != 0 &&
      window.pad_mode == PadMode::kExplicit) {
    // SAME leaves the padding out of the mean; here it counts.
    if (window.ceil_mode)
      return Unsupported("ceil_mode with count_include_pad");
    padding = {"VALID",
               true,
               {window.before[0], window.before[1]},
               {window.after[0], window.after[1]}};
  } else if (!is_max && (padding.explicit_pad || padding.name == "SAME") &&
             include_pad != 0 &&
             (window.pad_mode != PadMode::kExplicit || window.ceil_mode)) {
    return Unsupported("automatic padding with count_include_pad");
  } else if (!is_max && padding.explicit_pad && include_pad == 0) {
    return Unsupported("an average that leaves out padding which is not SAME");
  }
  MUNJA_ASSIGN_OR_RETURN(graph::ValueId in, context.In(node.inputs[0], kImage));
  if (padding.explicit_pad)
    in = PadImage(context, node, in, x, padding,
                  is_max ? std::numeric_limits<float>::lowest() : 0.0f);
  graph::Attributes a;
  SetWindow(window, padding.name, &a);
  a.Set("filter_height", window.kernel[0]);
  a.Set("filter_width", window.kernel[1]);
  context.EmitTo(node, is_max ? "MAX_POOL_2D" : "AVERAGE_POOL_2D", {in}, kImage,
                 std::move(a));
  return {};
}

}  // namespace munja::importer
