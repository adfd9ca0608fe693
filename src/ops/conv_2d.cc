// CONV_2D: input, weights [out_c, kernel_h, kernel_w, in_c / groups], bias,
// and the residual of a fusion pass.
#include "kernels/conv_2d.h"

#include <memory>
#include <string>
#include <utility>

#include "ops/float_constant.h"
#include "ops/op.h"
#include "ops/quantized_conv.h"
#include "ops/quantized_linear.h"
#include "ops/residual.h"
#include "ops/window.h"

namespace munja::ops::conv_2d {
namespace {

struct ConvState final : State {
  kernels::Conv2dShape shape;
};

class Conv2dKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    if (in.rank() != 4 || in[0] < 1) {
      return Malformed("the input has shape " + in.ToString() +
                       ", wants four dimensions");
    }
    const int32_t want = shape_.in_c;
    if (in[3] != want) {
      return Malformed("the input has " + std::to_string(in[3]) +
                       " channels, the weights want " + std::to_string(want));
    }
    MUNJA_ASSIGN_OR_RETURN(const Placement place,
                           PlaceWindow(window_, in[1], in[2]));
    auto state = std::make_unique<ConvState>();
    kernels::Conv2dShape& s = state->shape;
    s = shape_;
    s.batch = in[0];
    s.in_h = in[1];
    s.in_w = in[2];
    s.out_h = place.out_h;
    s.out_w = place.out_w;
    s.pad_top = place.pad_top;
    s.pad_left = place.pad_left;
    const Shape out{s.batch, s.out_h, s.out_w, s.out_c};
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (has_residual_) MUNJA_RETURN_IF_ERROR(PrepareResidual(context, out));
    if (!weights_.exists()) {
      MUNJA_ASSIGN_OR_RETURN(const size_t bytes,
                             kernels::Conv2dScratchBytes(s, context.threads()));
      context.RequestScratch(bytes);
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = static_cast<const ConvState*>(context.state())->shape;
    kernels::Epilogue epilogue{bias_.data(), nullptr, activation_};
    if (has_residual_) epilogue.residual = context.input(3).as<float>();
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    if (weights_.exists()) {
      kernels::reference::Conv2d(s, in, weights_.data(), epilogue, out);
    } else {
      kernels::Conv2d(s, in, *packed_, epilogue, out, context.scratch(),
                      context.pool());
    }
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView>,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * shape_.kernel_h * shape_.kernel_w *
           (shape_.in_c / shape_.groups);
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + weights_.bytes() + bias_.bytes();
  }

  Window window_;
  kernels::Activation activation_;
  bool has_residual_ = false;
  kernels::Conv2dShape shape_;  // What the weights and attributes say.
  FloatConstant bias_;
  FloatConstant weights_;  // For the reference kernel only.
  std::unique_ptr<kernels::PackedConv2d> packed_;
};

// The input's channels tell the number of groups. A graph that does not know
// them has one group.
Result<int32_t> CountGroups(const NodeInfo& info, const Shape& weights) {
  const graph::Value& in = *info.input(0);
  if (!in.has_shape || in.shape.rank() != 4 || in.shape[3] == kDynamic)
    return 1;
  const int32_t channels = in.shape[3];
  const int32_t groups = channels / weights[3];
  if (channels < 1 || channels % weights[3] != 0 || weights[0] % groups != 0) {
    return Malformed("weights of shape " + weights.ToString() +
                     " do not divide " + std::to_string(channels) +
                     " input channels into groups");
  }
  return groups;
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (QuantizedLinear::Takes(info, 1)) return MakeQuantizedConv2d(info);
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 4, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<Conv2dKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->window_, ParseWindow(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->has_residual_, ParseResidual(info));
  MUNJA_ASSIGN_OR_RETURN(FloatConstant weights,
                         FloatConstant::Read(info, 1, "weights"));
  const Shape& w = weights.shape();
  if (w.rank() != 4 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want four dimensions");
  }
  kernel->window_.kernel_h = w[1];
  kernel->window_.kernel_w = w[2];
  MUNJA_ASSIGN_OR_RETURN(const int32_t groups, CountGroups(info, w));
  kernels::Conv2dShape& s = kernel->shape_;
  s.in_c = w[3] * groups;
  s.out_c = w[0];
  s.kernel_h = w[1];
  s.kernel_w = w[2];
  s.stride_h = kernel->window_.stride_h;
  s.stride_w = kernel->window_.stride_w;
  s.dilation_h = kernel->window_.dilation_h;
  s.dilation_w = kernel->window_.dilation_w;
  s.groups = groups;
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_,
                         FloatConstant::ReadBias(info, 2, s.out_c));
  if (info.options().use_reference) {
    kernel->weights_ = std::move(weights);
  } else {
    MUNJA_ASSIGN_OR_RETURN(kernels::PackedConv2d packed,
                           kernels::PackedConv2d::Pack(weights.data(), s));
    kernel->packed_ =
        std::make_unique<kernels::PackedConv2d>(std::move(packed));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::conv_2d
