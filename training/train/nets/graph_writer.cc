#include "train/nets/graph_writer.h"

#include <cstring>
#include <utility>

#include "graph/rewrite/constants.h"

namespace munja::train {
namespace {

using graph::Attributes;
using graph::ValueId;

constexpr double kLeakyAlpha = 0.1;

// A dimension after a window of `kernel` with half of it as padding.
int32_t Slide(int32_t in, int32_t kernel, int stride) {
  if (in == kDynamic) return kDynamic;
  return (in + 2 * (kernel / 2) - kernel) / stride + 1;
}

Attributes NoActivation() {
  Attributes a;
  a.Set("fused_activation_function", std::string("NONE"));
  return a;
}

}  // namespace

GraphWriter::GraphWriter() { graph_.subgraphs.resize(1); }

ValueId GraphWriter::Input(const std::string& name, const Shape& shape) {
  graph::Value value;
  value.name = name;
  value.shape = shape;
  const ValueId v = main().AddValue(std::move(value));
  main().inputs.push_back(v);
  return v;
}

ValueId GraphWriter::Ints(const std::string& name, const Shape& shape,
                          const std::vector<int32_t>& numbers) {
  graph::Value value;
  value.name = name;
  value.type = ElementType::kInt32;
  value.shape = shape;
  std::vector<uint8_t> bytes(numbers.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  value.constant = graph::MakeConstant(std::move(bytes));
  return main().AddValue(std::move(value));
}

ValueId GraphWriter::Step(const std::string& name, const char* op, int version,
                          std::vector<ValueId> inputs, const Shape& shape,
                          Attributes attributes, ElementType type) {
  graph::Value value;
  value.name = name;
  value.type = type;
  value.shape = shape;
  const ValueId v = main().AddValue(std::move(value));
  graph::Node node;
  node.op = op;
  node.version = version;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.outputs = {v};
  node.name = name;
  main().nodes.push_back(std::move(node));
  return v;
}

ValueId GraphWriter::Conv(const std::string& name, ValueId x,
                          const ConvWeights& conv,
                          const ConvPlacement& placement) {
  const int32_t kh = conv.shape[1], kw = conv.shape[2];
  const Shape in = shape(x);
  Attributes a;
  // With stride 1 SAME is just that padding; with more it would begin
  // elsewhere, so the padding is a step of its own, which the runtime fuses.
  const bool is_same = placement.stride_h == 1 && placement.stride_w == 1;
  a.Set("padding", std::string(is_same ? "SAME" : "VALID"));
  if (!is_same) {
    const int32_t h = kh / 2, w = kw / 2;
    Shape padded = in;
    if (padded[1] != kDynamic) padded[1] += 2 * h;
    if (padded[2] != kDynamic) padded[2] += 2 * w;
    const ValueId pads =
        Ints(name + "/paddings", {4, 2}, {0, 0, h, h, w, w, 0, 0});
    x = Step(name + "/padded", "PAD", 1, {x, pads}, padded, {});
  }
  a.Set("stride_h", int64_t{placement.stride_h});
  a.Set("stride_w", int64_t{placement.stride_w});
  a.Set("dilation_h_factor", int64_t{1});
  a.Set("dilation_w_factor", int64_t{1});
  a.Set(
      "fused_activation_function",
      std::string(placement.activation == Activation::kRelu ? "RELU" : "NONE"));
  if (placement.depthwise) a.Set("depth_multiplier", int64_t{1});
  const int32_t channels = conv.shape[placement.depthwise ? 3 : 0];
  const ValueId weights =
      graph::AddFloats(main(), name + "/weights", conv.shape, conv.weights);
  const ValueId bias =
      graph::AddFloats(main(), name + "/bias", {channels}, conv.bias);
  const Shape out = {in[0], Slide(in[1], kh, placement.stride_h),
                     Slide(in[2], kw, placement.stride_w), channels};
  x = Step(name, placement.depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D", 1,
           {x, weights, bias}, out, std::move(a));
  if (placement.activation == Activation::kHardSwish)
    x = Step(name + "/hard_swish", "HARD_SWISH", 1, {x}, out, {});
  if (placement.activation == Activation::kLeakyRelu) {
    Attributes leaky;
    leaky.Set("alpha", kLeakyAlpha);
    x = Step(name + "/leaky_relu", "LEAKY_RELU", 1, {x}, out, std::move(leaky));
  }
  return x;
}

ValueId GraphWriter::Add(const std::string& name, ValueId a, ValueId b) {
  return Step(name, "ADD", 1, {a, b}, shape(a), NoActivation());
}

ValueId GraphWriter::MeanOfHeight(const std::string& name, ValueId x) {
  const ValueId axis = Ints(name + "/axis", {1}, {1});
  Shape out = shape(x);
  out[1] = 1;
  Attributes a;
  a.Set("keep_dims", true);
  return Step(name, "MEAN", 1, {x, axis}, out, std::move(a));
}

ValueId GraphWriter::DropHeight(const std::string& name, ValueId x) {
  const Shape in = shape(x);
  Attributes a;
  a.Set("squeeze_dims", std::vector<int64_t>{1});
  return Step(name, "SQUEEZE", 1, {x}, {in[0], in[2], in[3]}, std::move(a));
}

ValueId GraphWriter::Softmax(const std::string& name, ValueId x) {
  Attributes a;
  a.Set("beta", 1.0);
  return Step(name, "SOFTMAX", 1, {x}, shape(x), std::move(a));
}

ValueId GraphWriter::Logistic(const std::string& name, ValueId x) {
  return Step(name, "LOGISTIC", 1, {x}, shape(x), {});
}

ValueId GraphWriter::DepthToSpace(const std::string& name, ValueId x,
                                  int block) {
  Shape out = shape(x);
  for (const int i : {1, 2})
    if (out[i] != kDynamic) out[i] *= block;
  out[3] /= block * block;
  Attributes a;
  a.Set("block_size", int64_t{block});
  return Step(name, "DEPTH_TO_SPACE", 1, {x}, out, std::move(a));
}

ValueId GraphWriter::ResizeLike(const std::string& name, ValueId x,
                                ValueId like) {
  Attributes a;
  a.Set("out_type", std::string("INT32"));
  const ValueId all = Step(name + "/shape", "SHAPE", 1, {like}, {4},
                           std::move(a), ElementType::kInt32);
  Attributes masks;
  for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask",
                           "new_axis_mask", "shrink_axis_mask"})
    masks.Set(mask, int64_t{0});
  const ValueId size =
      Step(name + "/size", "STRIDED_SLICE", 1,
           {all, Ints(name + "/begin", {1}, {1}), Ints(name + "/end", {1}, {3}),
            Ints(name + "/step", {1}, {1})},
           {2}, std::move(masks), ElementType::kInt32);
  const Shape big = shape(like);
  Attributes resize;
  resize.Set("align_corners", false);
  resize.Set("half_pixel_centers", false);
  return Step(name, "RESIZE_NEAREST_NEIGHBOR", 1, {x, size},
              {big[0], big[1], big[2], shape(x)[3]}, std::move(resize));
}

ValueId GraphWriter::MaxPool(const std::string& name, ValueId x, int kernel,
                             int stride) {
  Shape out = shape(x);
  for (const int i : {1, 2})
    if (stride > 1 && out[i] != kDynamic)
      out[i] = (out[i] - kernel) / stride + 1;
  Attributes a = NoActivation();
  a.Set("padding", std::string(stride == 1 ? "SAME" : "VALID"));
  a.Set("filter_height", int64_t{kernel});
  a.Set("filter_width", int64_t{kernel});
  a.Set("stride_h", int64_t{stride});
  a.Set("stride_w", int64_t{stride});
  return Step(name, "MAX_POOL_2D", 1, {x}, out, std::move(a));
}

ValueId GraphWriter::Concat(const std::string& name,
                            std::vector<ValueId> parts) {
  Shape out = shape(parts[0]);
  out[3] = 0;
  for (const ValueId part : parts) out[3] += shape(part)[3];
  Attributes a = NoActivation();
  a.Set("axis", int64_t{3});
  return Step(name, "CONCATENATION", 1, std::move(parts), out, std::move(a));
}

graph::Graph GraphWriter::Finish(const std::vector<ValueId>& outputs,
                                 std::string description) {
  main().outputs = outputs;
  graph_.description = std::move(description);
  graph::Signature signature;
  signature.key = "serving_default";
  signature.inputs = {{main().values[main().inputs[0]].name, main().inputs[0]}};
  for (const ValueId output : outputs)
    signature.outputs.emplace_back(main().values[output].name, output);
  graph_.signatures = {std::move(signature)};
  return std::move(graph_);
}

}  // namespace munja::train
