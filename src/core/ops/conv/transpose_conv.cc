// TRANSPOSE_CONV: output shape, weights [out_c, kernel_h, kernel_w, in_c],
// input, bias.
#include "kernels/conv/transpose_conv.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "kernels/int_conv/int_transpose_conv.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/int_linear.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/product.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::transpose_conv {
namespace {

Result<Window> ParseTransposeWindow(const NodeInfo& info) {
  if (info.input(0) == nullptr) return Malformed("has no output shape");
  MUNJA_ASSIGN_OR_RETURN(const Window window, ParseWindow(info.attributes()));
  if (window.dilation_h != 1 || window.dilation_w != 1)
    return Unsupported("dilation is not implemented");
  return window;
}

// The sizes of constant weights and the strides, and nothing else.
Result<kernels::Conv2dShape> WeightSizes(const Window& window, const Shape& w) {
  if (w.rank() != 4 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want four dimensions");
  }
  kernels::Conv2dShape s;
  s.out_c = w[0];
  s.kernel_h = w[1];
  s.kernel_w = w[2];
  s.in_c = w[3];
  s.stride_h = window.stride_h;
  s.stride_w = window.stride_w;
  return s;
}

struct TransposeState final : State {
  kernels::Conv2dShape shape;
};

class TransposeConvKernel final : public Kernel, public RowKernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    auto state = std::make_unique<TransposeState>();
    MUNJA_ASSIGN_OR_RETURN(
        state->shape,
        PlaceTransposeConv(window_, context.input(0), context.input(2).shape,
                           context.input(1).shape));
    const kernels::Conv2dShape& s = state->shape;
    const Shape out = OutputShape(s);
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
  bool CanSplitRows(const EvalContext& context) const override {
    const auto& s = static_cast<const TransposeState*>(context.state())->shape;
    return IsFloatRowMap(context.input(2)) &&
           IsFloatRowMap(context.output(0)) && SpreadsWholeRows(s);
  }
  bool IsRowInput(const EvalContext&, int i) const override { return i == 2; }
  RowRange InputRows(const EvalContext& context, int,
                     RowRange rows) const override {
    return RowsSpread(
        static_cast<const TransposeState*>(context.state())->shape, rows);
  }
  int32_t RowStep(const EvalContext& context) const override {
    return static_cast<const TransposeState*>(context.state())->shape.stride_h;
  }
  void EvalRows(const RowTask& task) const override {
    const auto& whole =
        static_cast<const TransposeState*>(task.context.state())->shape;
    const kernels::Conv2dShape s = ShapeOfSpreadRows(whole, task.rows);
    auto* const scratch = static_cast<uint8_t*>(task.context.scratch()) +
                          *kernels::TransposeConvScratchBytes(whole, 1) *
                              static_cast<size_t>(task.worker);
    kernels::TransposeConv(s, task.rows_in(2, s.in_c), *packed_, activation_,
                           task.rows_out(s.out_c), scratch,
                           task.context.pool());
  }
  bool SupportsRowTypes(const EvalContext& context,
                        std::span<const ElementType> inputs,
                        ElementType output) const override {
    const auto& s = static_cast<const TransposeState*>(context.state())->shape;
    return (!IsHalf(inputs[2]) || kernels::TakesHalfMap(s, *packed_)) &&
           (!IsHalf(output) || kernels::MakesHalfMap(s, *packed_));
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

constexpr IntEngine kIntEngine = {
    kernels::IntTransposeConvWeightBytes, kernels::PackIntTransposeConv,
    kernels::IntTransposeConvScratchBytes,
    [](const IntRun& run) {
      kernels::IntTransposeConv(run.shape, run.in, run.format, run.weights,
                                run.image_scales, run.epilogue, run.scratch,
                                run.pool);
    },
    [](const IntRun& run) {
      kernels::reference::IntTransposeConv(
          run.shape, run.centered, static_cast<const int16_t*>(run.weights),
          run.image_scales, run.epilogue);
    }};

Result<std::unique_ptr<Kernel>> MakeInt(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const Window window, ParseTransposeWindow(info));
  IntLinear node;
  node.operands.input = 2;
  node.operands.bias = 3;
  node.rules.is_narrow_without_bias = true;
  node.geometry.is_transposed = true;
  node.geometry.place =
      [window](const PrepareContext& context) -> Result<LinearSizes> {
    MUNJA_ASSIGN_OR_RETURN(
        const kernels::Conv2dShape s,
        PlaceTransposeConv(window, context.input(0), context.input(2).shape,
                           context.input(1).shape));
    return LinearSizes{s, OutputShape(s)};
  };
  node.geometry.weight_sizes = [window](const NodeInfo&, const Shape& weights) {
    return WeightSizes(window, weights);
  };
  node.engine = &kIntEngine;
  return MakeIntLinear(info, std::move(node));
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (HasIntWeights(info, 1)) return MakeInt(info);
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 4, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 2, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<TransposeConvKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->window_, ParseTransposeWindow(info));
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
  MUNJA_ASSIGN_OR_RETURN(
      const kernels::Conv2dShape s,
      WeightSizes(kernel->window_, kernel->weights_.constant().shape()));
  if (has_bias && kernel->bias_.constant().shape().elements() != s.out_c)
    return Malformed("the bias does not have " + std::to_string(s.out_c) +
                     " numbers");
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
