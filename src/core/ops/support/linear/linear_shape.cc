#include "ops/support/linear/linear_shape.h"

#include <algorithm>
#include <string>

namespace munja::ops {
namespace {

Status CheckFour(const Shape& in, const Shape& weights) {
  if (in.rank() != 4 || in[0] < 1 || in.elements() < 0) {
    return Malformed("the input has shape " + in.ToString() +
                     ", wants four dimensions");
  }
  if (weights.rank() != 4 || weights.elements() < 1) {
    return Malformed("weights have shape " + weights.ToString() +
                     ", want four dimensions");
  }
  return Status();
}

Result<int32_t> Groups(int32_t channels, const Shape& weights) {
  const int32_t groups = channels / weights[3];
  if (channels < 1 || channels % weights[3] != 0 || weights[0] % groups != 0) {
    return Malformed("weights of shape " + weights.ToString() +
                     " do not divide " + std::to_string(channels) +
                     " input channels into groups");
  }
  return groups;
}

// All but the channels.
Result<kernels::Conv2dShape> Place(Window window, const Shape& in,
                                   const Shape& weights) {
  window.kernel_h = weights[1];
  window.kernel_w = weights[2];
  MUNJA_ASSIGN_OR_RETURN(const Placement place,
                         PlaceWindow(window, in[1], in[2]));
  kernels::Conv2dShape s;
  s.batch = in[0];
  s.in_h = in[1];
  s.in_w = in[2];
  s.in_c = in[3];
  s.out_h = place.out_h;
  s.out_w = place.out_w;
  s.kernel_h = window.kernel_h;
  s.kernel_w = window.kernel_w;
  s.stride_h = window.stride_h;
  s.stride_w = window.stride_w;
  s.dilation_h = window.dilation_h;
  s.dilation_w = window.dilation_w;
  s.pad_top = place.pad_top;
  s.pad_left = place.pad_left;
  return s;
}

// The four int32 of input 0.
Result<Shape> ReadOutputShape(const TensorView& view) {
  if (view.type != ElementType::kInt32 || view.shape.elements() != 4)
    return Malformed("the output shape is not four int32 numbers");
  if (view.data == nullptr) {
    return NeedsValues("the output shape is not known before the run");
  }
  const int32_t* dims = view.as<int32_t>();
  const Shape shape(std::span<const int32_t>(dims, 4));
  if (std::any_of(dims, dims + 4, [](int32_t d) { return d < 1; }) ||
      shape.elements() < 0) {
    return Malformed("the output shape " + shape.ToString() +
                     " is not possible");
  }
  return shape;
}

// Pixels cut off before the first output pixel: half of what the output is
// smaller than all that the input reaches.
int32_t PadBefore(int64_t in, int64_t stride, int64_t kernel, int64_t out) {
  const int64_t total = std::max<int64_t>(0, (in - 1) * stride + kernel - out);
  return static_cast<int32_t>(std::min<int64_t>(total / 2, INT32_MAX));
}

}  // namespace

Result<kernels::Conv2dShape> PlaceConv2d(const Window& window, const Shape& in,
                                         const Shape& weights) {
  MUNJA_RETURN_IF_ERROR(CheckFour(in, weights));
  MUNJA_ASSIGN_OR_RETURN(const int32_t groups, Groups(in[3], weights));
  MUNJA_ASSIGN_OR_RETURN(kernels::Conv2dShape s, Place(window, in, weights));
  s.out_c = weights[0];
  s.groups = groups;
  return s;
}

Result<kernels::Conv2dShape> PlaceDepthwise(const Window& window,
                                            const Shape& in,
                                            const Shape& weights) {
  MUNJA_RETURN_IF_ERROR(CheckFour(in, weights));
  if (weights[0] != 1) {
    return Malformed("weights have shape " + weights.ToString() +
                     ", want 1 x height x width x channels");
  }
  if (in[3] < 1 || weights[3] % in[3] != 0) {
    return Malformed("the weights have " + std::to_string(weights[3]) +
                     " channels, not a multiple of the input's " +
                     std::to_string(in[3]));
  }
  MUNJA_ASSIGN_OR_RETURN(kernels::Conv2dShape s, Place(window, in, weights));
  s.out_c = weights[3];
  return s;
}

Result<kernels::Conv2dShape> PlaceTransposeConv(const Window& window,
                                                const TensorView& output_shape,
                                                const Shape& in,
                                                const Shape& weights) {
  MUNJA_ASSIGN_OR_RETURN(const Shape out, ReadOutputShape(output_shape));
  MUNJA_RETURN_IF_ERROR(CheckFour(in, weights));
  if (in.elements() < 1)
    return Malformed("the input has shape " + in.ToString());
  if (in[0] != out[0] || in[3] != weights[3] || out[3] != weights[0]) {
    return Malformed("input " + in.ToString() + " and output " +
                     out.ToString() + " do not fit weights of " +
                     std::to_string(weights[3]) + " to " +
                     std::to_string(weights[0]) + " channels");
  }
  kernels::Conv2dShape s;
  s.batch = in[0];
  s.in_h = in[1];
  s.in_w = in[2];
  s.in_c = in[3];
  s.out_h = out[1];
  s.out_w = out[2];
  s.out_c = out[3];
  s.kernel_h = weights[1];
  s.kernel_w = weights[2];
  s.stride_h = window.stride_h;
  s.stride_w = window.stride_w;
  if (window.padding == PaddingMode::kExplicit) {
    s.pad_top = window.pad_top;
    s.pad_left = window.pad_left;
  } else {
    s.pad_top = PadBefore(s.in_h, s.stride_h, s.kernel_h, s.out_h);
    s.pad_left = PadBefore(s.in_w, s.stride_w, s.kernel_w, s.out_w);
  }
  return s;
}

Result<kernels::Conv2dShape> Conv2dWeightSizes(const NodeInfo& info, int in,
                                               const Window& window,
                                               const Shape& w) {
  if (w.rank() != 4 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want four dimensions");
  }
  kernels::Conv2dShape s;
  const graph::Value& input = *info.input(in);
  if (input.has_shape && input.shape.rank() == 4 &&
      input.shape[3] != kDynamic) {
    MUNJA_ASSIGN_OR_RETURN(s.groups, Groups(input.shape[3], w));
  }
  s.out_c = w[0];
  s.kernel_h = w[1];
  s.kernel_w = w[2];
  s.in_c = w[3] * s.groups;
  s.stride_h = window.stride_h;
  s.stride_w = window.stride_w;
  s.dilation_h = window.dilation_h;
  s.dilation_w = window.dilation_w;
  return s;
}

Shape OutputShape(const kernels::Conv2dShape& s) {
  return Shape{s.batch, s.out_h, s.out_w, s.out_c};
}

Result<Shape> FullyConnectedOutput(const Shape& in, const Shape& weights,
                                   bool keep_dims) {
  if (weights.rank() != 2 || weights[0] < 1 || weights[1] < 0) {
    return Malformed("weights have shape " + weights.ToString() +
                     ", want units x inputs");
  }
  const int32_t units = weights[0], k = weights[1];
  const int64_t elements = in.elements();
  if (elements < 0 || in.rank() < 1 ||
      (k == 0 ? elements != 0 : elements % k != 0)) {
    return Malformed("an input of shape " + in.ToString() + " has no rows of " +
                     std::to_string(k));
  }
  if (keep_dims) {
    if (in.back() != k) {
      return Malformed("the last dimension of the input " + in.ToString() +
                       " is not " + std::to_string(k));
    }
    Shape out = in;
    out[in.rank() - 1] = units;
    return out;
  }
  // Without inputs to add up the rows are those of the first dimensions.
  const int64_t rows = k == 0 ? in.elements(0, in.rank() - 1) : elements / k;
  if (rows < 0 || rows > INT32_MAX)
    return Malformed("the input has too many rows");
  return Shape{static_cast<int32_t>(rows), units};
}

Status CheckBiasShape(const PrepareContext& context, int i, int64_t channels) {
  if (!context.has_input(i)) return Status();
  const Shape& bias = context.input(i).shape;
  if (bias.elements() == channels) return Status();
  return Malformed("the bias has shape " + bias.ToString() + ", want " +
                   std::to_string(channels) + " numbers");
}

}  // namespace munja::ops
