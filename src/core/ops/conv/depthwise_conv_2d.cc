// DEPTHWISE_CONV_2D: input, weights [1, kernel_h, kernel_w, out_c], bias, and
// the residual of a fusion pass. The multiplier follows from the shapes.
#include "kernels/depthwise/depthwise_conv_2d.h"

#include <memory>
#include <string>
#include <utility>

#include "kernels/depthwise/half_depthwise.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/product.h"
#include "ops/support/linear/quantized_conv.h"
#include "ops/support/linear/quantized_linear.h"
#include "ops/support/linear/residual.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::depthwise_conv_2d {
namespace {

struct DepthwiseState final : State {
  kernels::Conv2dShape shape;
};

class DepthwiseKernel final : public Kernel, public RowKernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    auto state = std::make_unique<DepthwiseState>();
    MUNJA_ASSIGN_OR_RETURN(state->shape,
                           PlaceDepthwise(window_, context.input(0).shape,
                                          context.input(1).shape));
    const kernels::Conv2dShape& s = state->shape;
    MUNJA_RETURN_IF_ERROR(CheckBiasShape(context, 2, s.out_c));
    const Shape out = OutputShape(s);
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (has_residual_) MUNJA_RETURN_IF_ERROR(PrepareResidual(context, out));
    if (is_half_) {
      MUNJA_ASSIGN_OR_RETURN(
          const size_t bytes,
          kernels::HalfDepthwiseScratchBytes(s, context.threads()));
      context.RequestScratch(bytes);
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = static_cast<const DepthwiseState*>(context.state())->shape;
    kernels::Epilogue epilogue{bias_.data(context), nullptr, activation_};
    if (has_residual_) epilogue.residual = context.input(3).as<float>();
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    // Dynamic weights are rare: the plain kernel handles them.
    if (is_half_) {
      kernels::HalfDepthwiseConv2d(s, {in, 0, false}, half_weights_, epilogue,
                                   {out, 0, false}, context.scratch(),
                                   context.pool());
    } else if (!packed_) {
      kernels::reference::DepthwiseConv2d(s, in, weights_.data(context),
                                          epilogue, out);
    } else {
      kernels::DepthwiseConv2d(s, in, *packed_, epilogue, out, context.pool());
    }
    return Status();
  }

  const RowKernel* by_rows() const override {
    return packed_ || is_half_ ? this : nullptr;
  }
  bool TakesHalfRows(const EvalContext&, int i, bool) const override {
    return i == 0 && is_half_;
  }
  bool MakesHalfRows(const EvalContext&, uint32_t) const override {
    return is_half_;
  }
  bool CanSplitRows(const EvalContext& context) const override {
    return IsFloatRowMap(context.input(0)) && IsFloatRowMap(context.output(0));
  }
  bool IsRowInput(const EvalContext&, int i) const override {
    return i == 0 || (i == 3 && has_residual_);
  }
  RowRange InputRows(const EvalContext& context, int i,
                     RowRange rows) const override {
    if (i != 0) return rows;
    return RowsUnder(static_cast<const DepthwiseState*>(context.state())->shape,
                     rows);
  }
  void EvalRows(const RowTask& task) const override {
    const auto& whole =
        static_cast<const DepthwiseState*>(task.context.state())->shape;
    kernels::Epilogue epilogue{bias_.data(task.context), nullptr, activation_};
    if (has_residual_) epilogue.residual = task.in(3);
    const kernels::Conv2dShape s = ShapeOfRows(whole, task.rows);
    if (is_half_) {
      auto* const scratch = static_cast<uint8_t*>(task.context.scratch()) +
                            *kernels::HalfDepthwiseScratchBytes(whole, 1) *
                                static_cast<size_t>(task.worker);
      kernels::HalfDepthwiseConv2d(s, task.rows_in(0, s.in_c), half_weights_,
                                   epilogue, task.rows_out(s.out_c), scratch,
                                   task.context.pool());
      return;
    }
    kernels::DepthwiseConv2d(s, task.in(0), *packed_, epilogue, task.out(),
                             task.context.pool());
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * inputs[1].shape.elements(1, 3);
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + half_weights_.size() +
           weights_.bytes() + bias_.bytes();
  }

  // Where the session asks for reduced precision and the kernel has it.
  bool TakesHalves(const NodeInfo& info) const {
    const Shape& w = weights_.constant().shape();
    const graph::Value* const in = info.input(0);
    if (ProductOf(info, 0) != kernels::Product::kHalf || has_residual_ ||
        !in->has_shape || in->shape.rank() != 4 || in->shape[3] != w[3])
      return false;
    return kernels::TakesHalfDepthwise(Sizes(), activation_);
  }
  kernels::Conv2dShape Sizes() const {
    const Shape& w = weights_.constant().shape();
    kernels::Conv2dShape s;
    s.kernel_h = w[1];
    s.kernel_w = w[2];
    s.in_c = s.out_c = w[3];
    s.stride_h = window_.stride_h;
    s.stride_w = window_.stride_w;
    s.dilation_h = window_.dilation_h;
    s.dilation_w = window_.dilation_w;
    return s;
  }

  Window window_;
  kernels::Activation activation_;
  bool has_residual_ = false;
  FloatOperand bias_;
  FloatOperand weights_;  // Released when packed.
  std::unique_ptr<kernels::PackedDepthwise> packed_;
  Buffer half_weights_;  // Instead of packed_ when is_half_.
  bool is_half_ = false;
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
  MUNJA_ASSIGN_OR_RETURN(kernel->weights_,
                         FloatOperand::Read(info, 1, "weights", false));
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_,
                         FloatOperand::Read(info, 2, "bias", true));
  if (kernel->weights_.is_constant() && !info.options().reference_kernels) {
    const Shape& w = kernel->weights_.constant().shape();
    if (w.rank() != 4 || w[0] != 1 || w.elements() < 1) {
      return Malformed("weights have shape " + w.ToString() +
                       ", want 1 x height x width x channels");
    }
    kernel->is_half_ = kernel->TakesHalves(info);
    if (kernel->is_half_) {
      MUNJA_ASSIGN_OR_RETURN(
          kernel->half_weights_,
          kernels::PackHalfDepthwise(kernel->Sizes(),
                                     kernel->weights_.constant().data()));
      kernel->weights_.Release();
      return std::unique_ptr<Kernel>(std::move(kernel));
    }
    MUNJA_ASSIGN_OR_RETURN(
        kernels::PackedDepthwise packed,
        kernels::PackedDepthwise::Pack(kernel->weights_.constant().data(),
                                       static_cast<size_t>(w.elements(1, 3)),
                                       static_cast<size_t>(w[3])));
    kernel->packed_ =
        std::make_unique<kernels::PackedDepthwise>(std::move(packed));
    kernel->weights_.Release();
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::depthwise_conv_2d
