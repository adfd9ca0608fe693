// FULLY_CONNECTED: input of any rank, weights [units, k], bias, and the
// residual of a fusion pass. Weights may come with the input.
#include <memory>
#include <string>
#include <utility>

#include "kernels/gemm/gemm.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/int_linear.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/product.h"
#include "ops/support/linear/residual.h"
#include "ops/support/window.h"

namespace munja::ops::fully_connected {
namespace {

Result<bool> ParseKeepDims(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const bool keep_dims,
                         info.attributes().Bool("keep_num_dims", false));
  MUNJA_ASSIGN_OR_RETURN(const auto format,
                         info.attributes().Text("weights_format", "DEFAULT"));
  if (format != "DEFAULT")
    return Unsupported("weights of format " + format + " are not implemented");
  return keep_dims;
}

struct MatrixState final : State {
  size_t m = 0, k = 0, n = 0;
};

class FullyConnectedKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& weights = context.input(1).shape;
    MUNJA_ASSIGN_OR_RETURN(
        const Shape out,
        FullyConnectedOutput(context.input(0).shape, weights, keep_dims_));
    const int32_t units = weights[0], k = weights[1];
    MUNJA_RETURN_IF_ERROR(CheckBiasShape(context, 2, units));
    auto state = std::make_unique<MatrixState>();
    state->m = static_cast<size_t>(out.elements() / units);
    state->k = static_cast<size_t>(k);
    state->n = static_cast<size_t>(units);
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (has_residual_) MUNJA_RETURN_IF_ERROR(PrepareResidual(context, out));
    if (!packed_ && !use_reference_) {
      context.RequestScratch(
          kernels::PackedMatrixBytes({nullptr, state->k, state->n}));
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const MatrixState*>(context.state());
    kernels::Epilogue epilogue{bias_.data(), nullptr, activation_};
    if (!bias_.exists() && context.has_input(2))
      epilogue.bias = context.input(2).as<float>();
    if (has_residual_) epilogue.residual = context.input(3).as<float>();
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    const float* weights = weights_.exists() ? weights_.data()
                           : packed_         ? nullptr
                                             : context.input(1).as<float>();
    if (use_reference_) {
      kernels::reference::Gemm(in, s.k, s.m, weights, s.k, s.n, 1, s.k,
                               epilogue, out, s.n);
      return Status();
    }
    kernels::MatrixView matrix{context.scratch(), s.k, s.n};
    if (packed_)
      matrix = packed_->view();
    else
      kernels::PackMatrix(weights, matrix, 1, s.k, context.scratch());
    kernels::Gemm(in, s.k, s.m, matrix, epilogue, out, s.n, context.pool());
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * inputs[1].shape.back();
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + weights_.bytes() + bias_.bytes();
  }

  kernels::Activation activation_;
  bool keep_dims_ = false, has_residual_ = false, use_reference_ = false;
  FloatConstant bias_;
  FloatConstant weights_;  // Constant ones, for the reference kernel only.
  std::unique_ptr<kernels::PackedMatrix> packed_;  // Packed constant weights.
};

// With integer weights: a convolution of images of one pixel.
Result<std::unique_ptr<Kernel>> MakeInt(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(
      const bool is_asymmetric,
      info.attributes().Bool("asymmetric_quantize_inputs", false));
  MUNJA_ASSIGN_OR_RETURN(const bool keep_dims, ParseKeepDims(info));
  IntLinear node;
  node.rules.rounds_product = true;
  node.rules.hybrid =
      is_asymmetric ? HybridRule::kAsymmetric : HybridRule::kSymmetric;
  node.geometry.place =
      [keep_dims](const PrepareContext& context) -> Result<LinearSizes> {
    const Shape& weights = context.input(1).shape;
    MUNJA_ASSIGN_OR_RETURN(
        const Shape out,
        FullyConnectedOutput(context.input(0).shape, weights, keep_dims));
    const int64_t rows = out.elements() / weights[0];
    if (rows > INT32_MAX) return Malformed("the input has too many rows");
    kernels::Conv2dShape s;
    s.batch = static_cast<int32_t>(rows);
    s.in_c = weights[1];
    s.out_c = weights[0];
    return LinearSizes{s, out};
  };
  node.geometry.weight_sizes =
      [](const NodeInfo&, const Shape& w) -> Result<kernels::Conv2dShape> {
    if (w.rank() != 2 || w[0] < 1 || w.elements() < 0) {
      return Malformed("weights have shape " + w.ToString() +
                       ", want units x inputs");
    }
    kernels::Conv2dShape s;
    s.out_c = w[0];
    s.in_c = w[1];
    return s;
  };
  return MakeIntLinear(info, std::move(node));
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (HasIntWeights(info, 1)) return MakeInt(info);
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 4, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<FullyConnectedKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->keep_dims_, ParseKeepDims(info));
  MUNJA_ASSIGN_OR_RETURN(kernel->has_residual_, ParseResidual(info));
  kernel->use_reference_ = info.options().reference_kernels;
  if (info.input(1) == nullptr) return Malformed("has no weights");
  // A bias that is not constant is read when the model runs.
  if (info.input(2) != nullptr && !info.input(2)->constant) {
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 2, "a bias"));
  } else {
    const Shape& shape = info.input(1)->shape;
    const bool known = shape.rank() > 0 && shape[0] != kDynamic;
    if (info.input(2) != nullptr) {
      MUNJA_ASSIGN_OR_RETURN(
          kernel->bias_,
          FloatConstant::ReadBias(
              info, 2, known ? shape[0] : info.input(2)->shape.elements()));
    }
  }
  if (!info.input(1)->constant) {
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 1, "a weight matrix"));
    return std::unique_ptr<Kernel>(std::move(kernel));
  }
  MUNJA_ASSIGN_OR_RETURN(FloatConstant weights,
                         FloatConstant::Read(info, 1, "weights"));
  const Shape& w = weights.shape();
  if (w.rank() != 2) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want units x inputs");
  }
  if (kernel->use_reference_) {
    kernel->weights_ = std::move(weights);
  } else {
    const size_t k = static_cast<size_t>(w[1]);
    MUNJA_ASSIGN_OR_RETURN(kernels::PackedMatrix packed,
                           kernels::PackedMatrix::Pack(
                               weights.data(), k, static_cast<size_t>(w[0]), 1,
                               k, ProductOf(info, 0)));
    kernel->packed_ =
        std::make_unique<kernels::PackedMatrix>(std::move(packed));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::fully_connected
