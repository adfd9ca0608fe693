// TRANSPOSE_CONV: output shape, weights [out_c, kernel_h, kernel_w, in_c],
// input, bias.
#include "kernels/conv/transpose_conv.h"

#include <memory>
#include <string>
#include <utility>

#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/product.h"
#include "ops/support/linear/quantized_conv.h"
#include "ops/support/linear/quantized_linear.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::transpose_conv {
namespace {

struct TransposeState final : State {
  kernels::TransposeConvShape shape;
};

class TransposeConvKernel final : public Kernel, public RowKernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(
        const kernels::Conv2dShape placed,
        PlaceTransposeConv(window_, context.input(0), context.input(2).shape,
                           context.input(1).shape));
    auto state = std::make_unique<TransposeState>();
    kernels::TransposeConvShape& s = state->shape;
    s.in_c = placed.in_c;
    s.out_c = placed.out_c;
    s.kernel_h = placed.kernel_h;
    s.kernel_w = placed.kernel_w;
    s.stride_h = placed.stride_h;
    s.stride_w = placed.stride_w;
    s.batch = placed.batch;
    s.in_h = placed.in_h;
    s.in_w = placed.in_w;
    s.out_h = placed.out_h;
    s.out_w = placed.out_w;
    s.pad_top = placed.pad_top;
    s.pad_left = placed.pad_left;
    const Shape out = OutputShape(placed);
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    MUNJA_RETURN_IF_ERROR(CheckBiasShape(context, 3, s.out_c));
    if (packed_) {
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
    // Dynamic operands are rare: the plain kernel handles them.
    if (!packed_) {
      kernels::reference::TransposeConv(s, in, weights_.data(context),
                                        bias_.data(context), activation_, out);
    } else {
      kernels::TransposeConv(s, in, *packed_, activation_, out,
                             context.scratch(), context.pool());
    }
    return Status();
  }

  const RowKernel* by_rows() const override {
    return packed_ == nullptr ? nullptr : this;
  }
  // Output rows come from one input row each, and none is cut off.
  bool CanSplitRows(const EvalContext& context) const override {
    const auto& s = static_cast<const TransposeState*>(context.state())->shape;
    return IsFloatRowMap(context.input(2)) &&
           IsFloatRowMap(context.output(0)) && s.kernel_h == s.stride_h &&
           s.pad_top == 0 && int64_t{s.in_h} * s.stride_h == s.out_h;
  }
  bool IsRowInput(const EvalContext&, int i) const override { return i == 2; }
  RowRange InputRows(const EvalContext& context, int,
                     RowRange rows) const override {
    const int32_t stride = RowStep(context);
    return {rows.begin / stride, (rows.end - 1) / stride + 1};
  }
  int32_t RowStep(const EvalContext& context) const override {
    return static_cast<const TransposeState*>(context.state())->shape.stride_h;
  }
  void EvalRows(const RowTask& task) const override {
    const kernels::TransposeConvShape& whole =
        static_cast<const TransposeState*>(task.context.state())->shape;
    kernels::TransposeConvShape s = whole;
    s.in_h = InputRows(task.context, 2, task.rows).size();
    s.out_h = task.rows.size();
    auto* const scratch = static_cast<uint8_t*>(task.context.scratch()) +
                          *kernels::TransposeConvScratchBytes(whole, 1) *
                              static_cast<size_t>(task.worker);
    kernels::TransposeConv(s, task.rows_in(2, s.in_c), *packed_, activation_,
                           task.rows_out(s.out_c), scratch,
                           task.context.pool());
  }
  bool TakesHalfRows(const EvalContext& context, int i, bool) const override {
    return i == 2 &&
           kernels::TakesHalfMap(
               static_cast<const TransposeState*>(context.state())->shape,
               *packed_);
  }
  bool MakesHalfRows(const EvalContext& context, uint32_t) const override {
    return kernels::MakesHalfMap(
        static_cast<const TransposeState*>(context.state())->shape, *packed_);
  }

  int64_t MultiplyAccumulates(std::span<const TensorView> inputs,
                              std::span<const TensorView>) const override {
    return inputs[2].shape.elements() * inputs[1].shape.elements(0, 3);
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + weights_.bytes() + bias_.bytes();
  }

  Window window_;
  kernels::Activation activation_;
  FloatOperand bias_, weights_;
  // Holds the bias, too; both are then released.
  std::unique_ptr<kernels::PackedTransposeConv> packed_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (QuantizedLinear::Takes(info, 1)) return MakeQuantizedTransposeConv(info);
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
  MUNJA_ASSIGN_OR_RETURN(kernel->weights_,
                         FloatOperand::Read(info, 1, "weights", false));
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_,
                         FloatOperand::Read(info, 3, "bias", true));
  const bool has_bias = info.input(3) != nullptr;
  if (!kernel->weights_.is_constant() || info.options().reference_kernels ||
      (has_bias && !kernel->bias_.is_constant()))
    return std::unique_ptr<Kernel>(std::move(kernel));
  const Shape& w = kernel->weights_.constant().shape();
  if (w.rank() != 4 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want four dimensions");
  }
  if (has_bias && kernel->bias_.constant().shape().elements() != w[0])
    return Malformed("the bias does not have " + std::to_string(w[0]) +
                     " numbers");
  kernels::TransposeConvShape s;
  s.out_c = w[0];
  s.kernel_h = w[1];
  s.kernel_w = w[2];
  s.in_c = w[3];
  s.stride_h = kernel->window_.stride_h;
  s.stride_w = kernel->window_.stride_w;
  MUNJA_ASSIGN_OR_RETURN(
      kernels::PackedTransposeConv packed,
      kernels::PackedTransposeConv::Pack(kernel->weights_.constant().data(),
                                         kernel->bias_.constant().data(), s,
                                         ProductOf(info, 2)));
  kernel->packed_ =
      std::make_unique<kernels::PackedTransposeConv>(std::move(packed));
  kernel->weights_.Release();
  kernel->bias_.Release();
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::transpose_conv
