// TRANSPOSE_CONV: output shape, weights [out_c, kernel_h, kernel_w, in_c],
// input, bias.
#include "kernels/transpose_conv.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ops/float_constant.h"
#include "ops/op.h"
#include "ops/window.h"

namespace munja::ops::transpose_conv {
namespace {

struct TransposeState final : State {
  kernels::TransposeConvShape shape;
};

// The four int32 of input 0.
Result<Shape> ReadOutputShape(const TensorView& view) {
  if (view.type != ElementType::kInt32 || view.shape.elements() != 4)
    return Malformed("the output shape is not four int32 numbers");
  if (view.data == nullptr) {
    return Unsupported(
        "an output shape that is known only when the model runs is not "
        "implemented");
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

class TransposeConvKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(const Shape out, ReadOutputShape(context.input(0)));
    const Shape& in = context.input(2).shape;
    if (in.rank() != 4 || in.elements() < 1) {
      return Malformed("the input has shape " + in.ToString() +
                       ", wants four dimensions");
    }
    if (in[0] != out[0] || in[3] != shape_.in_c || out[3] != shape_.out_c) {
      return Malformed("input " + in.ToString() + " and output " +
                       out.ToString() + " do not fit weights of " +
                       std::to_string(shape_.in_c) + " to " +
                       std::to_string(shape_.out_c) + " channels");
    }
    auto state = std::make_unique<TransposeState>();
    kernels::TransposeConvShape& s = state->shape;
    s = shape_;
    s.batch = in[0];
    s.in_h = in[1];
    s.in_w = in[2];
    s.out_h = out[1];
    s.out_w = out[2];
    if (window_.padding == PaddingMode::kExplicit) {
      s.pad_top = window_.pad_top;
      s.pad_left = window_.pad_left;
    } else {
      s.pad_top = PadBefore(s.in_h, s.stride_h, s.kernel_h, s.out_h);
      s.pad_left = PadBefore(s.in_w, s.stride_w, s.kernel_w, s.out_w);
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (!weights_.exists()) {
      MUNJA_ASSIGN_OR_RETURN(
          const size_t bytes,
          kernels::TransposeConvScratchBytes(s, context.threads()));
      context.RequestScratch(bytes);
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = static_cast<const TransposeState*>(context.state())->shape;
    const float* in = context.input(2).as<float>();
    float* out = context.output(0).mutable_as<float>();
    if (weights_.exists()) {
      kernels::reference::TransposeConv(s, in, weights_.data(), bias_.data(),
                                        activation_, out);
    } else {
      kernels::TransposeConv(s, in, *packed_, activation_, out,
                             context.scratch(), context.pool());
    }
    return Status();
  }

  int64_t MultiplyAccumulates(std::span<const TensorView> inputs,
                              std::span<const TensorView>) const override {
    return inputs[2].shape.elements() * shape_.kernel_h * shape_.kernel_w *
           shape_.out_c;
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + weights_.bytes() + bias_.bytes();
  }

  Window window_;
  kernels::Activation activation_;
  kernels::TransposeConvShape shape_;  // What weights and attributes say.
  // For the reference kernel only; the packed weights hold the bias, too.
  FloatConstant bias_, weights_;
  std::unique_ptr<kernels::PackedTransposeConv> packed_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 4, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 2, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  if (info.input(0) == nullptr) return Malformed("has no output shape");
  auto kernel = std::make_unique<TransposeConvKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->window_, ParseWindow(info.attributes()));
  if (kernel->window_.dilation_h != 1 || kernel->window_.dilation_w != 1)
    return Unsupported("dilation is not implemented");
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(FloatConstant weights,
                         FloatConstant::Read(info, 1, "weights"));
  const Shape& w = weights.shape();
  if (w.rank() != 4 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want four dimensions");
  }
  kernels::TransposeConvShape& s = kernel->shape_;
  s.out_c = w[0];
  s.kernel_h = w[1];
  s.kernel_w = w[2];
  s.in_c = w[3];
  s.stride_h = kernel->window_.stride_h;
  s.stride_w = kernel->window_.stride_w;
  MUNJA_ASSIGN_OR_RETURN(FloatConstant bias,
                         FloatConstant::ReadBias(info, 3, s.out_c));
  if (info.options().use_reference) {
    kernel->weights_ = std::move(weights);
    kernel->bias_ = std::move(bias);
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        kernels::PackedTransposeConv packed,
        kernels::PackedTransposeConv::Pack(weights.data(), bias.data(), s));
    kernel->packed_ =
        std::make_unique<kernels::PackedTransposeConv>(std::move(packed));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::transpose_conv
