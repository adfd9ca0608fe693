#include "delegates/sample/step.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "ops/support/broadcast.h"
#include "ops/support/window.h"

namespace munja::delegates::sample {
namespace {

using graph::kNoValue;
using graph::Node;
using graph::Subgraph;
using Function = float (*)(float);
using Function2 = float (*)(float, float);

float Identity(float x) { return x; }
float Relu(float x) { return std::max(x, 0.0f); }
float Relu6(float x) { return std::clamp(x, 0.0f, 6.0f); }
float Logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float Tanh(float x) { return std::tanh(x); }

Status ReadActivation(const Node& node, Function* activation) {
  // Not moved out of the result: GCC 12 takes the copy for uninitialized.
  auto text = node.attributes.Text("fused_activation_function", "NONE");
  if (!text.ok()) return std::move(text).TakeStatus();
  const std::string& name = *text;
  if (name == "NONE") {
    *activation = Identity;
  } else if (name == "RELU") {
    *activation = Relu;
  } else if (name == "RELU6") {
    *activation = Relu6;
  } else {
    return Unsupported("the fused activation " + name + " is not supported");
  }
  return Status();
}

class Unary final : public Step {
 public:
  explicit Unary(Function function) : function_(function) {}
  Result<Shape> OutputShape(std::span<const Shape> inputs) const override {
    return inputs[0];
  }
  void Run(std::span<const Operand> inputs, const Shape& out_shape,
           float* out) const override {
    for (int64_t i = 0; i < out_shape.elements(); ++i)
      out[i] = function_(inputs[0].data[i]);
  }

 private:
  Function function_;
};

class Binary final : public Step {
 public:
  Binary(Function2 function, Function activation)
      : function_(function), activation_(activation) {}
  Result<Shape> OutputShape(std::span<const Shape> inputs) const override {
    return ops::BroadcastShapes(inputs[0], inputs[1]);
  }
  void Run(std::span<const Operand> inputs, const Shape& out_shape,
           float* out) const override {
    for (int64_t i = 0; i < out_shape.elements(); ++i) {
      const float a = inputs[0].data[Source(inputs[0].shape, out_shape, i)];
      const float b = inputs[1].data[Source(inputs[1].shape, out_shape, i)];
      out[i] = activation_(function_(a, b));
    }
  }

 private:
  // The element that broadcasts to element i of the result.
  static int64_t Source(const Shape& shape, const Shape& out, int64_t i) {
    int64_t source = 0, stride = 1;
    for (int d = out.rank() - 1, s = shape.rank() - 1; s >= 0; --d, --s) {
      if (shape[s] != 1) source += i % out[d] * stride;
      i /= out[d];
      stride *= shape[s];
    }
    return source;
  }

  Function2 function_;
  Function activation_;
};

class Conv2d final : public Step {
 public:
  Conv2d(const ops::Window& window, Function activation)
      : window_(window), activation_(activation) {}
  Result<Shape> OutputShape(std::span<const Shape> inputs) const override {
    const Shape& in = inputs[0];
    const Shape& weights = inputs[1];
    if (in.rank() != 4 || in[3] != weights[3])
      return Malformed("weights of shape " + weights.ToString() +
                       " do not fit an input of shape " + in.ToString());
    MUNJA_ASSIGN_OR_RETURN(const ops::Placement place,
                           ops::PlaceWindow(window_, in[1], in[2]));
    return Shape{in[0], place.out_h, place.out_w, weights[0]};
  }
  void Run(std::span<const Operand> inputs, const Shape& out_shape,
           float* out) const override {
    const Shape& in = inputs[0].shape;
    const auto place = ops::PlaceWindow(window_, in[1], in[2]);
    const float* bias = inputs.size() > 2 ? inputs[2].data : nullptr;
    for (int b = 0; b < out_shape[0]; ++b) {
      for (int y = 0; y < out_shape[1]; ++y) {
        for (int x = 0; x < out_shape[2]; ++x) {
          for (int c = 0; c < out_shape[3]; ++c) {
            const float sum =
                SumAt(inputs, b, y * window_.stride_h - place->pad_top,
                      x * window_.stride_w - place->pad_left, c);
            *out++ = activation_(sum + (bias ? bias[c] : 0.0f));
          }
        }
      }
    }
  }

 private:
  // Of the window whose first pixel is (top, left), perhaps outside.
  float SumAt(std::span<const Operand> inputs, int b, int top, int left,
              int channel) const {
    const Shape& in = inputs[0].shape;
    const int64_t depth = in[3];
    float sum = 0;
    for (int i = 0; i < window_.kernel_h; ++i) {
      const int64_t y = top + int64_t{i} * window_.dilation_h;
      for (int j = 0; j < window_.kernel_w; ++j) {
        const int64_t x = left + int64_t{j} * window_.dilation_w;
        if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
        const float* pixel =
            inputs[0].data + ((b * int64_t{in[1]} + y) * in[2] + x) * depth;
        const float* weights =
            inputs[1].data +
            ((channel * int64_t{window_.kernel_h} + i) * window_.kernel_w + j) *
                depth;
        for (int64_t k = 0; k < depth; ++k) sum += pixel[k] * weights[k];
      }
    }
    return sum;
  }

  ops::Window window_;
  Function activation_;
};

class Mean final : public Step {
 public:
  Mean(std::vector<int32_t> axes, bool keeps_dims)
      : axes_(std::move(axes)), keeps_dims_(keeps_dims) {}
  Result<Shape> OutputShape(std::span<const Shape> inputs) const override {
    const int rank = inputs[0].rank();
    for (const int32_t axis : axes_) {
      if (axis < -rank || axis >= rank)
        return Malformed("axis " + std::to_string(axis) + " of shape " +
                         inputs[0].ToString());
    }
    std::vector<int32_t> dims;
    for (int d = 0; d < rank; ++d) {
      if (!IsReduced(d, rank)) dims.push_back(inputs[0][d]);
      if (IsReduced(d, rank) && inputs[0][d] == 0)
        return Unsupported("the mean of nothing");
      if (IsReduced(d, rank) && keeps_dims_) dims.push_back(1);
    }
    return Shape(std::span<const int32_t>(dims));
  }
  void Run(std::span<const Operand> inputs, const Shape& out_shape,
           float* out) const override {
    const Shape& in = inputs[0].shape;
    const int64_t results = out_shape.elements();
    if (results == 0) return;
    std::vector<double> sums(static_cast<size_t>(results));
    for (int64_t i = 0; i < in.elements(); ++i) {
      int64_t rest = i, target = 0, stride = 1;
      for (int d = in.rank() - 1; d >= 0; --d) {
        if (!IsReduced(d, in.rank())) {
          target += rest % in[d] * stride;
          stride *= in[d];
        }
        rest /= in[d];
      }
      sums[static_cast<size_t>(target)] += inputs[0].data[i];
    }
    const double count =
        static_cast<double>(in.elements()) / static_cast<double>(results);
    for (int64_t i = 0; i < results; ++i)
      out[i] = static_cast<float>(sums[static_cast<size_t>(i)] / count);
  }

 private:
  bool IsReduced(int d, int rank) const {
    return std::any_of(axes_.begin(), axes_.end(), [&](int32_t axis) {
      return (axis < 0 ? axis + rank : axis) == d;
    });
  }

  std::vector<int32_t> axes_;
  bool keeps_dims_;
};

using Made = Result<std::unique_ptr<Step>>;

template <Function kFunction>
Made MakeUnary(const Subgraph&, const Node&) {
  return std::unique_ptr<Step>(std::make_unique<Unary>(kFunction));
}

template <char kOperator>
Made MakeBinary(const Subgraph&, const Node& node) {
  Function activation = nullptr;
  MUNJA_RETURN_IF_ERROR(ReadActivation(node, &activation));
  Function2 function = [](float a, float b) { return a + b; };
  if (kOperator == '-') function = [](float a, float b) { return a - b; };
  if (kOperator == '*') function = [](float a, float b) { return a * b; };
  return std::unique_ptr<Step>(std::make_unique<Binary>(function, activation));
}

Made MakeConv2d(const Subgraph& subgraph, const Node& node) {
  Function activation = nullptr;
  MUNJA_RETURN_IF_ERROR(ReadActivation(node, &activation));
  MUNJA_ASSIGN_OR_RETURN(ops::Window window, ops::ParseWindow(node.attributes));
  const graph::Value& in = subgraph.values[node.inputs[0]];
  const graph::Value& weights = subgraph.values[node.inputs[1]];
  if (!weights.constant) return Unsupported("its weights are not constant");
  if (weights.shape.rank() != 4 || weights.shape.elements() < 1)
    return Malformed("its weights have shape " + weights.shape.ToString());
  if (!in.has_shape || in.shape.rank() != 4 || in.shape[3] != weights.shape[3])
    return Unsupported("convolutions in groups are not supported");
  if (node.inputs.size() > 2 && node.inputs[2] != kNoValue &&
      (!subgraph.values[node.inputs[2]].constant ||
       subgraph.values[node.inputs[2]].shape.elements() != weights.shape[0]))
    return Unsupported("its bias is not a constant for each channel");
  window.kernel_h = weights.shape[1];
  window.kernel_w = weights.shape[2];
  return std::unique_ptr<Step>(std::make_unique<Conv2d>(window, activation));
}

Made MakeMean(const Subgraph& subgraph, const Node& node) {
  const graph::Value& axes = subgraph.values[node.inputs[1]];
  if (!axes.constant || axes.type != ElementType::kInt32)
    return Unsupported("its axes are not constant");
  MUNJA_ASSIGN_OR_RETURN(const bool keeps_dims,
                         node.attributes.Bool("keep_dims", false));
  std::vector<int32_t> list(axes.constant->bytes.size() / sizeof(int32_t));
  if (!list.empty())
    std::memcpy(list.data(), axes.constant->bytes.data(),
                list.size() * sizeof(int32_t));
  return std::unique_ptr<Step>(
      std::make_unique<Mean>(std::move(list), keeps_dims));
}

struct Row {
  std::string_view op;
  size_t min_inputs, max_inputs;
  Made (*make)(const Subgraph&, const Node&);
};

constexpr Row kRows[] = {
    {"ADD", 2, 2, MakeBinary<'+'>},          {"CONV_2D", 2, 3, MakeConv2d},
    {"LOGISTIC", 1, 1, MakeUnary<Logistic>}, {"MEAN", 2, 2, MakeMean},
    {"MUL", 2, 2, MakeBinary<'*'>},          {"RELU", 1, 1, MakeUnary<Relu>},
    {"RELU6", 1, 1, MakeUnary<Relu6>},       {"SUB", 2, 2, MakeBinary<'-'>},
    {"TANH", 1, 1, MakeUnary<Tanh>},
};

const Row* FindRow(std::string_view op) {
  for (const Row& row : kRows)
    if (row.op == op) return &row;
  return nullptr;
}

}  // namespace

bool HasStep(std::string_view op) { return FindRow(op) != nullptr; }

Result<std::unique_ptr<Step>> MakeStep(const Subgraph& subgraph,
                                       const Node& node) {
  const Row* const row = node.is_custom ? nullptr : FindRow(node.op);
  if (row == nullptr) return Unsupported("the operator is not supported");
  if (node.inputs.size() < row->min_inputs ||
      node.inputs.size() > row->max_inputs || node.outputs.size() != 1)
    return Unsupported("the number of its inputs is not supported");
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const graph::ValueId v = node.inputs[i];
    if (v == kNoValue && i >= row->min_inputs) continue;
    if (v == kNoValue) return Malformed("an input is absent");
    // The axes of MEAN are integers.
    if (i == 1 && node.op == "MEAN") continue;
    if (subgraph.values[v].type != ElementType::kFloat32)
      return Unsupported("an input is " +
                         std::string(ElementTypeName(subgraph.values[v].type)));
  }
  const graph::ValueId out = node.outputs[0];
  if (out == kNoValue || subgraph.values[out].type != ElementType::kFloat32)
    return Unsupported("its output is not float32");
  return row->make(subgraph, node);
}

}  // namespace munja::delegates::sample
