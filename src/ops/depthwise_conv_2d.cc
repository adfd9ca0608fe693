// DEPTHWISE_CONV_2D: input, weights [1, kernel_h, kernel_w, out_c], bias, and
// the residual of a fusion pass. The multiplier follows from the shapes.
#include "kernels/depthwise_conv_2d.h"

#include <memory>
#include <string>
#include <utility>

#include "ops/float_constant.h"
#include "ops/linear_shape.h"
#include "ops/op.h"
#include "ops/quantized_conv.h"
#include "ops/quantized_linear.h"
#include "ops/residual.h"
#include "ops/window.h"
#include "ops/window_rows.h"

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
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = static_cast<const DepthwiseState*>(context.state())->shape;
    kernels::Epilogue epilogue{bias_.data(context), nullptr, activation_};
    if (has_residual_) epilogue.residual = context.input(3).as<float>();
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    // Weights that come with the run are rare: the plain kernel takes them.
    if (!packed_) {
      kernels::reference::DepthwiseConv2d(s, in, weights_.data(context),
                                          epilogue, out);
    } else {
      kernels::DepthwiseConv2d(s, in, *packed_, epilogue, out, context.pool());
    }
    return Status();
  }

  const RowKernel* by_rows() const override { return packed_ ? this : nullptr; }
  bool CanSplitRows(const EvalContext& context) const override {
    return IsRowMap(context.input(0)) && IsRowMap(context.output(0));
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
    kernels::DepthwiseConv2d(ShapeOfRows(whole, task.rows), task.in(0),
                             *packed_, epilogue, task.out(),
                             task.context.pool());
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * inputs[1].shape.elements(1, 3);
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + weights_.bytes() + bias_.bytes();
  }

  Window window_;
  kernels::Activation activation_;
  bool has_residual_ = false;
  FloatOperand bias_;
  FloatOperand weights_;  // Released when packed.
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
  MUNJA_ASSIGN_OR_RETURN(kernel->weights_,
                         FloatOperand::Read(info, 1, "weights", false));
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_,
                         FloatOperand::Read(info, 2, "bias", true));
  if (kernel->weights_.is_constant() && !info.options().use_reference) {
    const Shape& w = kernel->weights_.constant().shape();
    if (w.rank() != 4 || w[0] != 1 || w.elements() < 1) {
      return Malformed("weights have shape " + w.ToString() +
                       ", want 1 x height x width x channels");
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
