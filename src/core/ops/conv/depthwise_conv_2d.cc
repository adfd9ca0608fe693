// DEPTHWISE_CONV_2D: input, weights [1, kernel_h, kernel_w, out_c], bias, and
// the residual of a fusion pass. The multiplier follows from the shapes.
#include "kernels/depthwise/depthwise_conv_2d.h"

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "kernels/depthwise/half_depthwise.h"
#include "kernels/depthwise/int_depthwise.h"
#include "kernels/depthwise/line_depthwise.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/int_linear.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/product.h"
#include "ops/support/linear/residual.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::depthwise_conv_2d {
namespace {

// The sizes of constant weights and of their window, and nothing else.
Result<kernels::Conv2dShape> WeightSizes(const Window& window, const Shape& w) {
  if (w.rank() != 4 || w[0] != 1 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want 1 x height x width x channels");
  }
  kernels::Conv2dShape s;
  s.kernel_h = w[1];
  s.kernel_w = w[2];
  s.in_c = s.out_c = w[3];
  s.stride_h = window.stride_h;
  s.stride_w = window.stride_w;
  s.dilation_h = window.dilation_h;
  s.dilation_w = window.dilation_w;
  return s;
}

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
      kernels::HalfDepthwiseConv2d(s, {in, 0}, half_weights_, epilogue,
                                   {out, 0}, context.scratch(), context.pool());
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
  // Nodes with a residual have no 16-bit weights.
  bool SupportsRowTypes(const EvalContext&, std::span<const ElementType>,
                        ElementType) const override {
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
  bool TakesHalves(const NodeInfo& info, const kernels::Conv2dShape& s) const {
    const graph::Value* const in = info.input(0);
    if (ProductOf(info, 0) != kernels::Product::kHalf || has_residual_ ||
        !in->has_shape || in->shape.rank() != 4 || in->shape[3] != s.out_c)
      return false;
    return kernels::TakesHalfDepthwise(s, activation_);
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

// Integer weights are kept as stored and in the order of LineDepthwise: the
// input says which of the two kernels it will be.
size_t StoredBytes(const kernels::Conv2dShape& s) {
  return RoundUp(static_cast<size_t>(s.kernel_h) * s.kernel_w *
                     static_cast<size_t>(s.out_c) * sizeof(int16_t),
                 kBufferAlignment);
}

size_t IntBytes(const kernels::Conv2dShape& s, kernels::IntFormat format) {
  return StoredBytes(s) + kernels::LineDepthwiseWeightBytes(s, format);
}

void PackInt(const int16_t* weights, const kernels::Conv2dShape& s,
             kernels::IntFormat format, void* packed) {
  auto* memory = static_cast<uint8_t*>(packed);
  std::memcpy(memory, weights,
              static_cast<size_t>(s.kernel_h) * s.kernel_w *
                  static_cast<size_t>(s.out_c) * sizeof(int16_t));
  kernels::PackLineDepthwise(weights, s, format, memory + StoredBytes(s));
}

size_t IntScratchBytes(const kernels::Conv2dShape& s, kernels::IntFormat format,
                       int threads) {
  if (!kernels::IsLineDepthwise(s)) return 0;
  return kernels::LineDepthwiseScratchBytes(s, format, threads);
}

void RunIntReference(const IntRun& run) {
  kernels::reference::IntDepthwise(run.shape, run.centered,
                                   static_cast<const int16_t*>(run.weights),
                                   run.image_scales, run.epilogue);
}

void RunInt(const IntRun& run) {
  const kernels::Conv2dShape& s = run.shape;
  // Sums of fewer taps have 32 bits.
  constexpr int64_t kExactTaps = 128;
  if (run.epilogue.is_wide && int64_t{s.kernel_h} * s.kernel_w >= kExactTaps) {
    RunIntReference(run);
  } else if (kernels::IsLineDepthwise(s)) {
    kernels::LineDepthwise(
        s, run.in, run.format,
        static_cast<const uint8_t*>(run.weights) + StoredBytes(s),
        run.image_scales, run.epilogue, run.scratch, run.pool);
  } else {
    kernels::IntDepthwise(s, run.centered,
                          static_cast<const int16_t*>(run.weights),
                          run.image_scales, run.epilogue, run.pool);
  }
}

constexpr IntEngine kIntEngine = {
    IntBytes,
    PackInt,
    IntScratchBytes,
    RunInt,
    RunIntReference,
    [](const kernels::Conv2dShape& s) { return !kernels::IsLineDepthwise(s); }};

Result<std::unique_ptr<Kernel>> MakeInt(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const Window window, ParseWindow(info.attributes()));
  IntLinear node;
  node.operands.channel_axis = 3;
  node.rules.is_always_wide = true;
  node.geometry.place =
      [window](const PrepareContext& context) -> Result<LinearSizes> {
    MUNJA_ASSIGN_OR_RETURN(
        const kernels::Conv2dShape s,
        PlaceDepthwise(window, context.input(0).shape, context.input(1).shape));
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
    const float* const weights = kernel->weights_.constant().data();
    MUNJA_ASSIGN_OR_RETURN(
        const kernels::Conv2dShape s,
        WeightSizes(kernel->window_, kernel->weights_.constant().shape()));
    kernel->is_half_ = kernel->TakesHalves(info, s);
    if (kernel->is_half_) {
      MUNJA_ASSIGN_OR_RETURN(kernel->half_weights_,
                             kernels::PackHalfDepthwise(s, weights));
    } else {
      MUNJA_ASSIGN_OR_RETURN(
          kernels::PackedDepthwise packed,
          kernels::PackedDepthwise::Pack(
              weights, static_cast<size_t>(s.kernel_h) * s.kernel_w,
              static_cast<size_t>(s.out_c)));
      kernel->packed_ =
          std::make_unique<kernels::PackedDepthwise>(std::move(packed));
    }
    kernel->weights_.Release();
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::depthwise_conv_2d
