// CONV_2D: input, weights [out_c, kernel_h, kernel_w, in_c / groups], bias,
// and the residual of a fusion pass.
#include "kernels/conv/conv_2d.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "kernels/conv/half_line_conv.h"
#include "kernels/conv/winograd.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/int_linear.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/product.h"
#include "ops/support/linear/residual.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::conv_2d {
namespace {

struct ConvState final : State {
  kernels::Conv2dShape shape;
  bool is_packed = false;  // Else the weights are packed into the scratch.
  size_t work = 0;         // Where the kernel's scratch begins.
};

class Conv2dKernel final : public Kernel, public RowKernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    auto state = std::make_unique<ConvState>();
    MUNJA_ASSIGN_OR_RETURN(
        state->shape,
        PlaceConv2d(window_, context.input(0).shape, context.input(1).shape));
    const kernels::Conv2dShape& s = state->shape;
    state->is_packed = is_packed() && s.groups == groups_;
    if (is_packed() && !state->is_packed && knows_channels_) {
      return Malformed("the input has " + std::to_string(s.in_c) +
                       " channels, the weights want " +
                       std::to_string(s.in_c / s.groups * groups_));
    }
    // Groups that the model does not tell: its constants, as they are.
    if (is_packed() && !state->is_packed &&
        context.input(1).type != ElementType::kFloat32)
      return Unsupported("groups that come with the run need float32 weights");
    MUNJA_RETURN_IF_ERROR(CheckBiasShape(context, 2, s.out_c));
    const Shape out = OutputShape(s);
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (has_residual_) MUNJA_RETURN_IF_ERROR(PrepareResidual(context, out));
    if (!use_reference_) {
      MUNJA_ASSIGN_OR_RETURN(size_t bytes, ScratchBytes(s, context.threads()));
      if (!state->is_packed) {
        MUNJA_ASSIGN_OR_RETURN(const size_t packed,
                               kernels::PackedConv2d::Bytes(s));
        state->work = RoundUp(packed, kBufferAlignment);
        if (!CheckedAdd(bytes, state->work, &bytes))
          return OutOfMemory("convolution weights do not fit memory");
      }
      context.RequestScratch(bytes);
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const ConvState*>(context.state());
    const kernels::Conv2dShape& s = state.shape;
    kernels::Epilogue epilogue{bias_.data(context), nullptr, activation_};
    if (has_residual_) epilogue.residual = context.input(3).as<float>();
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    auto* scratch = static_cast<uint8_t*>(context.scratch());
    if (use_reference_) {
      kernels::reference::Conv2d(s, in, weights_.data(context), epilogue, out);
    } else if (winograd_) {
      kernels::WinogradConv2d(s, in, *winograd_, epilogue, out, scratch,
                              context.pool());
    } else if (state.is_packed) {
      kernels::Conv2d(s, in, *packed_, epilogue, out, scratch, context.pool());
    } else {
      kernels::Conv2d(
          s, in,
          kernels::PackedConv2d::PackInto(
              packed_ ? context.input(1).as<float>() : weights_.data(context),
              s, scratch),
          epilogue, out, scratch + state.work, context.pool());
    }
    return Status();
  }

  const RowKernel* by_rows() const override {
    return is_packed() ? this : nullptr;
  }
  bool CanSplitRows(const EvalContext& context) const override {
    return static_cast<const ConvState*>(context.state())->is_packed &&
           IsFloatRowMap(context.input(0)) && IsFloatRowMap(context.output(0));
  }
  bool IsRowInput(const EvalContext&, int i) const override {
    return i == 0 || (i == 3 && has_residual_);
  }
  RowRange InputRows(const EvalContext& context, int i,
                     RowRange rows) const override {
    if (i != 0) return rows;
    return RowsUnder(static_cast<const ConvState*>(context.state())->shape,
                     rows);
  }
  int32_t RowStep(const EvalContext&) const override {
    return winograd_ ? kernels::kWinogradTile : 1;
  }
  void EvalRows(const RowTask& task) const override {
    const auto& whole =
        static_cast<const ConvState*>(task.context.state())->shape;
    const kernels::Conv2dShape s = ShapeOfRows(whole, task.rows);
    kernels::Epilogue epilogue{bias_.data(task.context), nullptr, activation_};
    if (has_residual_) epilogue.residual = task.in(3);
    auto* const scratch =
        static_cast<uint8_t*>(task.context.scratch()) +
        *ScratchBytes(whole, 1) * static_cast<size_t>(task.worker);
    if (winograd_) {
      kernels::WinogradConv2d(s, task.in(0), *winograd_, epilogue, task.out(),
                              scratch, task.context.pool());
      return;
    }
    kernels::Conv2d(s, task.rows_in(0, s.in_c), *packed_, epilogue,
                    task.rows_out(s.out_c), scratch, task.context.pool());
  }
  bool SupportsRowTypes(const EvalContext& context,
                        std::span<const ElementType> inputs,
                        ElementType) const override {
    if (!packed_ || !packed_->is_half()) return false;
    const auto& s = static_cast<const ConvState*>(context.state())->shape;
    return (!IsHalf(inputs[0]) || kernels::TakesHalfMap(s, *packed_)) &&
           (!has_residual_ || !IsHalf(inputs[3]));
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * inputs[1].shape.elements(1, 4);
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) +
           (winograd_ ? winograd_->bytes() : 0) + weights_.bytes() +
           bias_.bytes();
  }

  bool is_packed() const { return packed_ || winograd_; }
  Result<size_t> ScratchBytes(const kernels::Conv2dShape& s,
                              int threads) const {
    return winograd_ ? kernels::WinogradScratchBytes(s, threads)
                     : kernels::Conv2dScratchBytes(s, threads);
  }

  Window window_;
  kernels::Activation activation_;
  bool has_residual_ = false, use_reference_ = false;
  FloatOperand weights_, bias_;
  // One of them for constant weights, which are then released, in so many
  // groups.
  std::unique_ptr<kernels::PackedConv2d> packed_;
  std::unique_ptr<kernels::PackedWinograd> winograd_;
  int32_t groups_ = 1;
  bool knows_channels_ = true;  // The model specifies the input channels.
};

// With integer weights.
Result<std::unique_ptr<Kernel>> MakeInt(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const Window window, ParseWindow(info.attributes()));
  IntLinear node;
  node.rules.hybrid = HybridRule::kByWeights;
  node.geometry.place =
      [window](const PrepareContext& context) -> Result<LinearSizes> {
    MUNJA_ASSIGN_OR_RETURN(
        const kernels::Conv2dShape s,
        PlaceConv2d(window, context.input(0).shape, context.input(1).shape));
    return LinearSizes{s, OutputShape(s)};
  };
  node.geometry.weight_sizes = [window](const NodeInfo& node_info,
                                        const Shape& weights) {
    return Conv2dWeightSizes(node_info, 0, window, weights);
  };
  return MakeIntLinear(info, std::move(node));
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (HasIntWeights(info, 1)) return MakeInt(info);
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 4, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<Conv2dKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->window_, ParseWindow(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->has_residual_, ParseResidual(info));
  kernel->use_reference_ = info.options().reference_kernels;
  MUNJA_ASSIGN_OR_RETURN(kernel->weights_,
                         FloatOperand::Read(info, 1, "weights", false));
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_,
                         FloatOperand::Read(info, 2, "bias", true));
  if (!kernel->weights_.is_constant() || kernel->use_reference_)
    return std::unique_ptr<Kernel>(std::move(kernel));
  MUNJA_ASSIGN_OR_RETURN(
      kernels::Conv2dShape s,
      Conv2dWeightSizes(info, 0, kernel->window_,
                        kernel->weights_.constant().shape()));
  kernel->groups_ = s.groups;
  const graph::Value* const in = info.input(0);
  kernel->knows_channels_ =
      in->has_shape && in->shape.rank() == 4 && in->shape[3] != kDynamic;
  const kernels::Product product = kernels::TakesHalfLines(s)
                                       ? PictureProductOf(info, 0)
                                       : ProductOf(info, 0);
  if (info.options().fewer_products && kernel->knows_channels_ &&
      (product == kernels::Product::kFloat32 || !HasReducedPrecision())) {
    const graph::Value& out = info.output(0);
    const bool has_sizes = out.has_shape && out.shape.rank() == 4;
    s.out_h = has_sizes ? std::max(out.shape[1], 0) : 0;
    s.out_w = has_sizes ? std::max(out.shape[2], 0) : 0;
    if (kernels::SuitsWinograd(s)) {
      MUNJA_ASSIGN_OR_RETURN(
          kernels::PackedWinograd winograd,
          kernels::PackedWinograd::Pack(kernel->weights_.constant().data(), s));
      kernel->winograd_ =
          std::make_unique<kernels::PackedWinograd>(std::move(winograd));
      kernel->weights_.Release();
      return std::unique_ptr<Kernel>(std::move(kernel));
    }
  }
  MUNJA_ASSIGN_OR_RETURN(kernels::PackedConv2d packed,
                         kernels::PackedConv2d::Pack(
                             kernel->weights_.constant().data(), s, product));
  kernel->packed_ = std::make_unique<kernels::PackedConv2d>(std::move(packed));
  kernel->weights_.Release();
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::conv_2d
