// DEPTHWISE_CONV_2D: input, weights [1, kernel_h, kernel_w, out_c], bias, and
// the residual of a fusion pass. The multiplier follows from the shapes.
#include "kernels/depthwise_conv_2d.h"

#include <memory>
#include <string>
#include <utility>

#include "ops/float_constant.h"
#include "ops/op.h"
#include "ops/quantized_conv.h"
#include "ops/quantized_linear.h"
#include "ops/residual.h"
#include "ops/window.h"

namespace munja::ops::depthwise_conv_2d {
namespace {

struct DepthwiseState final : State {
  kernels::Conv2dShape shape;
};

class DepthwiseKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    if (in.rank() != 4 || in[0] < 1) {
      return Malformed("the input has shape " + in.ToString() +
                       ", wants four dimensions");
    }
    if (in[3] < 1 || out_c_ % in[3] != 0) {
      return Malformed("the weights have " + std::to_string(out_c_) +
                       " channels, not a multiple of the input's " +
                       std::to_string(in[3]));
    }
    MUNJA_ASSIGN_OR_RETURN(const Placement place,
                           PlaceWindow(window_, in[1], in[2]));
    auto state = std::make_unique<DepthwiseState>();
    kernels::Conv2dShape& s = state->shape;
    s.batch = in[0];
    s.in_h = in[1];
    s.in_w = in[2];
    s.in_c = in[3];
    s.out_h = place.out_h;
    s.out_w = place.out_w;
    s.out_c = out_c_;
    s.kernel_h = window_.kernel_h;
    s.kernel_w = window_.kernel_w;
    s.stride_h = window_.stride_h;
    s.stride_w = window_.stride_w;
    s.dilation_h = window_.dilation_h;
    s.dilation_w = window_.dilation_w;
    s.pad_top = place.pad_top;
    s.pad_left = place.pad_left;
    const Shape out{s.batch, s.out_h, s.out_w, s.out_c};
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (has_residual_) MUNJA_RETURN_IF_ERROR(PrepareResidual(context, out));
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = static_cast<const DepthwiseState*>(context.state())->shape;
    kernels::Epilogue epilogue{bias_.data(), nullptr, activation_};
    if (has_residual_) epilogue.residual = context.input(3).as<float>();
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    if (weights_.exists()) {
      kernels::reference::DepthwiseConv2d(s, in, weights_.data(), epilogue,
                                          out);
    } else {
      kernels::DepthwiseConv2d(s, in, *packed_, epilogue, out, context.pool());
    }
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView>,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * window_.kernel_h * window_.kernel_w;
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + weights_.bytes() + bias_.bytes();
  }

  Window window_;
  kernels::Activation activation_;
  bool has_residual_ = false;
  int32_t out_c_ = 0;
  FloatConstant bias_;
  FloatConstant weights_;  // For the reference kernel only.
  std::unique_ptr<kernels::PackedDepthwise> packed_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (QuantizedLinear::Takes(info, 1)) return MakeQuantizedDepthwise(info);
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 4, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<DepthwiseKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->window_, ParseWindow(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->has_residual_, ParseResidual(info));
  MUNJA_ASSIGN_OR_RETURN(FloatConstant weights,
                         FloatConstant::Read(info, 1, "weights"));
  const Shape& w = weights.shape();
  if (w.rank() != 4 || w[0] != 1 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want 1 x height x width x channels");
  }
  kernel->window_.kernel_h = w[1];
  kernel->window_.kernel_w = w[2];
  kernel->out_c_ = w[3];
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_, FloatConstant::ReadBias(info, 2, w[3]));
  if (info.options().use_reference) {
    kernel->weights_ = std::move(weights);
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        kernels::PackedDepthwise packed,
        kernels::PackedDepthwise::Pack(weights.data(),
                                       static_cast<size_t>(w.elements(1, 3)),
                                       static_cast<size_t>(w[3])));
    kernel->packed_ =
        std::make_unique<kernels::PackedDepthwise>(std::move(packed));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::depthwise_conv_2d
