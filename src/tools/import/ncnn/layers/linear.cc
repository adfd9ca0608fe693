// Convolutions and matrix products.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kMaxGrouped = 1 << 24;  // Weights, zeros included.

bool IsTransposed(const Layer& layer) {
  return layer.type == "Deconvolution" ||
         layer.type == "DeconvolutionDepthWise";
}

struct ConvolutionShape {
  int64_t filters = 0, kernel_h = 0, kernel_w = 0, group = 1;
  int64_t depth = 0;  // Input channels that one filter reads.
  bool bias = false;
};

// Kernel, stride, dilation, padding (as attributes) and weight counts; the
// numbering is the same for convolutions and transposed ones.
Status ReadConvolution(const Layer& layer, ConvolutionShape* shape,
                       graph::Attributes* a) {
  MUNJA_ASSIGN_OR_RETURN(const int filters, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int kw, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(int kh, layer.Int(11, kw));
  MUNJA_ASSIGN_OR_RETURN(const int dw, layer.Int(2, 1));
  MUNJA_ASSIGN_OR_RETURN(int dh, layer.Int(12, dw));
  MUNJA_ASSIGN_OR_RETURN(const int sw, layer.Int(3, 1));
  MUNJA_ASSIGN_OR_RETURN(int sh, layer.Int(13, sw));
  MUNJA_ASSIGN_OR_RETURN(const int left, layer.Int(4, 0));
  MUNJA_ASSIGN_OR_RETURN(const int right, layer.Int(15, left));
  MUNJA_ASSIGN_OR_RETURN(int top, layer.Int(14, left));
  MUNJA_ASSIGN_OR_RETURN(int bottom, layer.Int(16, top));
  if (IsOneDimensional(layer)) {
    kh = dh = sh = 1;
    top = bottom = 0;
  }
  MUNJA_ASSIGN_OR_RETURN(const int bias, layer.Int(5, 0));
  MUNJA_ASSIGN_OR_RETURN(const int count, layer.Int(6, 0));
  MUNJA_ASSIGN_OR_RETURN(const int group, layer.Int(7, 1));
  MUNJA_ASSIGN_OR_RETURN(const double pad_value, layer.Float(18, 0));
  if (!IsTransposed(layer) && pad_value != 0)
    return Unsupported(layer, ": padding with ", pad_value);
  if (filters < 1 || kw < 1 || kh < 1 || kw > 1024 || kh > 1024 || count < 1 ||
      group < 1 || filters % group != 0)
    return Malformed(layer, ": the kernel's sizes");
  const int64_t position =
      static_cast<int64_t>(kh) * kw;  // At most 2^20: filters * it fits.
  if (count % (filters * position) != 0)
    return Malformed(layer, ": ", count, " weights for ", filters,
                     " filters of ", position);
  *shape = {filters, kh, kw, group, count / (filters * position), bias != 0};
  a->Set("kernel_shape", Ints{kh, kw});
  a->Set("strides", Ints{sh, sw});
  a->Set("dilations", Ints{dh, dw});
  if (left == -233 || left == -234)
    a->Set("auto_pad", std::string(left == -233 ? "SAME_UPPER" : "SAME_LOWER"));
  else
    a->Set("pads", Ints{top, left, bottom, right});
  return {};
}

// A layer whose weights are integers of 8 bits, by one scale for each filter or
// group, and that rounds its input to such integers, too.
class Integers {
 public:
  // `term` (parameter 8): 0: they are not; above 100: the output is rounded.
  Integers(Context& context, const Layer& layer, int term)
      : context_(context), layer_(layer), term_(term) {}

  bool* Wanted() { return term_ != 0 ? &is_int8_ : nullptr; }
  // The scales follow the bias. The dequantized values replace the integers in
  // `weights`.
  Status ReadScales(int64_t count, std::vector<float>* weights) {
    if (term_ == 0) return {};
    if (!is_int8_) return Unsupported(layer_, ": scales of weights in float");
    const auto read = [&](int64_t n) {
      return context_.weights.Untagged(static_cast<size_t>(n)).With(layer_);
    };
    MUNJA_ASSIGN_OR_RETURN(const std::vector<float> scales, read(count));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<float> input, read(1));
    input_ = static_cast<double>(input[0]);
    if (term_ > 100) {
      MUNJA_ASSIGN_OR_RETURN(const std::vector<float> output, read(1));
      output_ = static_cast<double>(output[0]);
    }
    for (const double scale : {input_, output_})
      if (!(scale > 0) || !std::isfinite(scale))
        return Malformed(layer_, ": a scale of ", scale);
    const size_t each = weights->size() / static_cast<size_t>(count);
    for (size_t i = 0; i < weights->size(); ++i) {
      const float scale = scales[i / each];
      (*weights)[i] = scale == 0 ? 0.0f : (*weights)[i] / scale;
    }
    return {};
  }
  Result<ValueId> RoundInput(ValueId x) const {
    if (term_ == 0) return x;
    return Round(x, input_);
  }
  // After the layer has set its output.
  Status RoundOutput() const {
    if (term_ <= 100) return {};
    Blob& blob = context_.blobs.at(layer_.outputs[0]);
    MUNJA_ASSIGN_OR_RETURN(blob.value, Round(blob.value, output_));
    return {};
  }

 private:
  Result<ValueId> Round(ValueId x, double scale) const {
    Writer w(context_, layer_);
    const ValueId y = w.Stepped(x, scale);
    if (!w.ok()) return w.Done(y, 3);
    return y;
  }

  Context& context_;
  const Layer& layer_;
  const int term_;
  bool is_int8_ = false;
  double input_ = 1, output_ = 1;
};

// Weights and bias behind the data input.
Status ReadWeights(Context& context, const Layer& layer,
                   const ConvolutionShape& shape, std::vector<ValueId>* inputs,
                   Integers* integers, int64_t scales) {
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<float> weights,
      context.weights
          .Tagged(shape.filters * shape.depth * shape.kernel_h * shape.kernel_w,
                  integers->Wanted())
          .With(layer));
  std::vector<float> bias;
  if (shape.bias) {
    MUNJA_ASSIGN_OR_RETURN(bias,
                           context.weights.Untagged(shape.filters).With(layer));
  }
  MUNJA_RETURN_IF_ERROR(integers->ReadScales(scales, &weights));
  if (IsTransposed(layer)) {
    // Stored as [O, I, kh, kw]; the neutral order is [I, O, kh, kw]. A filter
    // of a group reads the inputs of that group: its weights for all others are
    // zero, as there is no operator for groups.
    const int64_t group =
        layer.type == "DeconvolutionDepthWise" ? shape.group : 1;
    const int64_t depth = shape.depth * group;
    const int64_t run = shape.kernel_h * shape.kernel_w;
    if (depth * shape.filters * run > kMaxGrouped && group > 1)
      return Unsupported(layer, ": too many groups");
    std::vector<float> turned(weights.size() * static_cast<size_t>(group));
    for (int64_t o = 0; o < shape.filters; ++o) {
      const int64_t first = o / (shape.filters / group) * shape.depth;
      for (int64_t i = 0; i < shape.depth; ++i)
        std::copy_n(weights.begin() + (o * shape.depth + i) * run, run,
                    turned.begin() + ((first + i) * shape.filters + o) * run);
    }
    inputs->push_back(
        context.Constant(layer, "weights",
                         {depth, shape.filters, shape.kernel_h, shape.kernel_w},
                         std::move(turned)));
  } else {
    inputs->push_back(context.Constant(
        layer, "weights",
        {shape.filters, shape.depth, shape.kernel_h, shape.kernel_w},
        std::move(weights)));
  }
  if (shape.bias)
    inputs->push_back(
        context.Constant(layer, "bias", {shape.filters}, std::move(bias)));
  return {};
}

Result<ValueId> AsRows(Context& context, const Layer& layer, ValueId map) {
  graph::Attributes a;
  a.Set("axes", Ints{2});
  return context.Step(layer, "rows", "Squeeze", {map}, std::move(a));
}

}  // namespace

Status Convolution(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  ConvolutionShape shape;
  graph::Attributes a;
  MUNJA_RETURN_IF_ERROR(ReadConvolution(layer, &shape, &a));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 19, "weights computed at run time"));
  MUNJA_ASSIGN_OR_RETURN(const int term, layer.Int(8, 0));
  Integers integers(context, layer, term);
  const bool grouped = layer.type.starts_with("ConvolutionDepthWise");
  const bool rows = IsOneDimensional(layer);
  if ((in.rank == 2) != rows ||
      (in.rank == 1 && (grouped || shape.kernel_h != 1 || shape.kernel_w != 1)))
    return Unsupported(layer, ": an input of rank ", in.rank);
  a.Set("group", grouped ? shape.group : int64_t{1});
  std::vector<ValueId> inputs = {in.value};
  if (rows) {
    MUNJA_ASSIGN_OR_RETURN(inputs[0], AsMap(context, layer, in.value));
  }
  // Groups may share one scale.
  const int64_t scales = !grouped          ? shape.filters
                         : term % 100 == 2 ? int64_t{1}
                                           : shape.group;
  MUNJA_RETURN_IF_ERROR(
      ReadWeights(context, layer, shape, &inputs, &integers, scales));
  MUNJA_ASSIGN_OR_RETURN(inputs[0], integers.RoundInput(inputs[0]));
  MUNJA_ASSIGN_OR_RETURN(ValueId value,
                         context.Step(layer, "convolution", "Conv",
                                      std::move(inputs), std::move(a)));
  if (rows) {
    MUNJA_ASSIGN_OR_RETURN(value, AsRows(context, layer, value));
  }
  MUNJA_RETURN_IF_ERROR(context.Finish(layer, value, in.rank));
  return integers.RoundOutput();
}

Status Deconvolution(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  ConvolutionShape shape;
  graph::Attributes a;
  MUNJA_RETURN_IF_ERROR(ReadConvolution(layer, &shape, &a));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 20, "a fixed output width"));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 21, "a fixed output height"));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 28, "weights computed at run time"));
  MUNJA_ASSIGN_OR_RETURN(const int right, layer.Int(18, 0));
  MUNJA_ASSIGN_OR_RETURN(const int bottom, layer.Int(19, right));
  if (in.rank != 3) return Unsupported(layer, ": a flat input");
  if (right != 0 || bottom != 0) a.Set("output_padding", Ints{bottom, right});
  std::vector<ValueId> inputs = {in.value};
  Integers none(context, layer, 0);
  MUNJA_RETURN_IF_ERROR(ReadWeights(context, layer, shape, &inputs, &none, 1));
  MUNJA_ASSIGN_OR_RETURN(const ValueId value,
                         context.Step(layer, "convolution", "ConvTranspose",
                                      std::move(inputs), std::move(a)));
  return context.Finish(layer, value, in.rank);
}

Status InnerProduct(Context& context, const Layer& layer) {
  Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int filters_given, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int bias, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int count, layer.Int(2, 0));
  MUNJA_ASSIGN_OR_RETURN(const int term, layer.Int(8, 0));
  Integers integers(context, layer, term);
  MUNJA_ASSIGN_OR_RETURN(const int64_t filters,
                         Positive(layer, filters_given, "the output size"));
  const int64_t depth = count / filters;
  if (depth < 1 || count % filters != 0)
    return Malformed(layer, ": ", count, " weights for ", filters, " outputs");
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<float> weights,
      context.weights.Tagged(count, integers.Wanted()).With(layer));
  std::vector<float> offsets;
  if (bias != 0) {
    MUNJA_ASSIGN_OR_RETURN(offsets,
                           context.weights.Untagged(filters).With(layer));
  }
  MUNJA_RETURN_IF_ERROR(integers.ReadScales(filters, &weights));
  MUNJA_ASSIGN_OR_RETURN(in.value, integers.RoundInput(in.value));
  const Dims& shape = context.ShapeOf(in);
  if (in.rank == 2 && (shape[2] < 0 || shape[2] == depth)) {
    // One product for each row.
    std::vector<float> turned(weights.size());
    for (int64_t o = 0; o < filters; ++o)
      for (int64_t i = 0; i < depth; ++i)
        turned[i * filters + o] = weights[o * depth + i];
    const ValueId b =
        context.Constant(layer, "weights", {depth, filters}, std::move(turned));
    MUNJA_ASSIGN_OR_RETURN(
        ValueId value, context.Step(layer, "matmul", "MatMul", {in.value, b}));
    if (bias != 0) {
      const ValueId c =
          context.Constant(layer, "bias", {filters}, std::move(offsets));
      MUNJA_ASSIGN_OR_RETURN(value,
                             context.Step(layer, "sum", "Add", {value, c}));
    }
    return context.Finish(layer, value, 2);
  }
  // All elements together: a 1x1 convolution on a vector.
  ValueId x = in.value;
  if (in.rank == 2 || shape[1] != depth || shape[2] != 1 || shape[3] != 1) {
    graph::Attributes a;
    a.Set("shape", Ints{1, depth, 1, 1});
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(layer, "flat", "Reshape", {x}, std::move(a)));
  }
  std::vector<ValueId> inputs = {
      x, context.Constant(layer, "weights", {filters, depth, 1, 1},
                          std::move(weights))};
  if (bias != 0)
    inputs.push_back(
        context.Constant(layer, "bias", {filters}, std::move(offsets)));
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId value,
      context.Step(layer, "product", "Conv", std::move(inputs)));
  return context.Finish(layer, value, 1);
}

Status Gemm(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const double alpha, layer.Float(0, 1));
  MUNJA_ASSIGN_OR_RETURN(const double beta, layer.Float(1, 1));
  MUNJA_ASSIGN_OR_RETURN(const int turn_a, layer.Int(2, 0));
  MUNJA_ASSIGN_OR_RETURN(const int turn_b, layer.Int(3, 0));
  MUNJA_ASSIGN_OR_RETURN(const int constant_b, layer.Int(5, 0));
  MUNJA_ASSIGN_OR_RETURN(const int constant_c, layer.Int(6, 0));
  MUNJA_ASSIGN_OR_RETURN(const int given_n, layer.Int(8, 0));
  MUNJA_ASSIGN_OR_RETURN(const int given_k, layer.Int(9, 0));
  MUNJA_ASSIGN_OR_RETURN(const int c_form, layer.Int(10, 0));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 4, "a constant left operand"));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 11, "output form N1M"));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 13, "an element type of the output"));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 14, "a transposed output"));
  MUNJA_RETURN_IF_ERROR(Refuse(layer, 18, "int8 weights"));
  if (constant_b == 0 || in.rank != 2)
    return Unsupported(layer,
                       ": only a plane times constant weights is supported");
  MUNJA_ASSIGN_OR_RETURN(const int64_t n, Positive(layer, given_n, "N"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t k, Positive(layer, given_k, "K"));
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> b,
                         context.weights.Tagged(n * k).With(layer));
  // The result is alpha * (A * B + beta * C).
  std::vector<float> right(b.size());
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j)
      right[i * n + j] =
          static_cast<float>(alpha * b[turn_b != 0 ? j * k + i : i * n + j]);
  ValueId x = in.value;
  if (turn_a != 0) {
    graph::Attributes a;
    a.Set("perm", Ints{0, 2, 1});
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(layer, "turned", "Transpose", {x}, std::move(a)));
  }
  const ValueId w = context.Constant(layer, "weights", {k, n}, right);
  if (constant_c == 0 || c_form == -1)
    return context.Emit(layer, "MatMul", {x, w}, {}, 2);
  if (c_form != 0 && c_form != 4)
    return Unsupported(layer, ": addend of form ", c_form);
  const int64_t count = c_form == 0 ? 1 : n;
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> c,
                         context.weights.Tagged(count).With(layer));
  for (float& v : c) v = static_cast<float>(alpha * beta * v);
  MUNJA_ASSIGN_OR_RETURN(const ValueId product,
                         context.Step(layer, "matmul", "MatMul", {x, w}));
  const ValueId bias = context.Constant(layer, "bias", {count}, std::move(c));
  return context.Emit(layer, "Add", {product, bias}, {}, 2);
}

Status MatMul(Context& context, const Layer& layer) {
  const Blob a = context.In(layer), b = context.In(layer, 1);
  MUNJA_ASSIGN_OR_RETURN(const int turn_b, layer.Int(0, 0));
  if (a.rank != b.rank || a.rank < 2)
    return Unsupported(layer, ": operands of rank ", a.rank, " and ", b.rank);
  ValueId right = b.value;
  if (turn_b != 0) {
    graph::Attributes attributes;
    attributes.Set("perm", a.rank == 2 ? Ints{0, 2, 1} : Ints{0, 1, 3, 2});
    MUNJA_ASSIGN_OR_RETURN(right, context.Step(layer, "turned", "Transpose",
                                               {right}, std::move(attributes)));
  }
  return context.Emit(layer, "MatMul", {a.value, right}, {}, a.rank);
}

}  // namespace munja::importer::ncnn
