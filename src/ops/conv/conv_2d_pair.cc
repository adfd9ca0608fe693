// CONV_2D_PAIR, which a fusion pass makes: two 1x1 convolutions in a row,
// input, first weights [middle, 1, 1, in_c], first bias, second weights
// [out_c, 1, 1, middle], second bias, residual. fused_activation_function,
// activation_alpha and activation_beta belong to the second, the same names
// with "first_" before them to the first. The middle is never stored.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "kernels/gemm/gemm_pair.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/product.h"
#include "ops/support/linear/residual.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::conv_2d_pair {
namespace {

constexpr int kResidual = 5;

// Weights and bias of one of the two.
struct Half {
  FloatConstant weights, bias;  // Weights only for the reference.
  std::unique_ptr<kernels::PackedMatrix> packed;
  kernels::Activation activation;
  int32_t in_c = 0, out_c = 0;

  kernels::Epilogue epilogue() const {
    return {bias.data(), nullptr, activation};
  }
  size_t bytes() const {
    return weights.bytes() + bias.bytes() + (packed ? packed->bytes() : 0);
  }
};

graph::Attributes FirstActivation(const graph::Attributes& all) {
  graph::Attributes out;
  for (const char* name :
       {"fused_activation_function", "activation_alpha", "activation_beta"}) {
    const graph::AttributeValue* value = all.Find(std::string("first_") + name);
    if (value != nullptr) out.Set(name, *value);
  }
  return out;
}

Result<Half> ReadHalf(const NodeInfo& info, int weights, int bias,
                      const graph::Attributes& attributes) {
  Half half;
  MUNJA_ASSIGN_OR_RETURN(half.activation, ParseActivation(attributes));
  MUNJA_ASSIGN_OR_RETURN(half.weights,
                         FloatConstant::Read(info, weights, "weights"));
  const Shape& w = half.weights.shape();
  if (w.rank() != 4 || w.elements() < 1 || w[1] != 1 || w[2] != 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want out x 1 x 1 x in");
  }
  half.out_c = w[0];
  half.in_c = w[3];
  MUNJA_ASSIGN_OR_RETURN(half.bias,
                         FloatConstant::ReadBias(info, bias, half.out_c));
  return half;
}

Status Pack(Half& half, kernels::Product product) {
  const auto k = static_cast<size_t>(half.in_c);
  MUNJA_ASSIGN_OR_RETURN(kernels::PackedMatrix packed,
                         kernels::PackedMatrix::Pack(
                             half.weights.data(), k,
                             static_cast<size_t>(half.out_c), 1, k, product));
  half.packed = std::make_unique<kernels::PackedMatrix>(std::move(packed));
  half.weights = FloatConstant();
  return Status();
}

// weights[out][in] as the reference wants them: [in][out].
std::vector<float> Transposed(const Half& half) {
  std::vector<float> out(static_cast<size_t>(half.in_c) * half.out_c);
  for (int32_t o = 0; o < half.out_c; ++o) {
    for (int32_t i = 0; i < half.in_c; ++i) {
      out[static_cast<size_t>(i) * half.out_c + o] =
          half.weights.data()[static_cast<size_t>(o) * half.in_c + i];
    }
  }
  return out;
}

class Conv2dPairKernel final : public Kernel, public RowKernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    if (in.rank() != 4 || in[3] != first_.in_c) {
      return Malformed("the input has shape " + in.ToString() +
                       ", want four dimensions, " +
                       std::to_string(first_.in_c) + " channels");
    }
    const Shape out{in[0], in[1], in[2], second_.out_c};
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (has_residual_)
      MUNJA_RETURN_IF_ERROR(PrepareResidual(context, out, kResidual));
    MUNJA_ASSIGN_OR_RETURN(
        const size_t bytes,
        kernels::GemmPairScratchBytes(static_cast<size_t>(first_.out_c),
                                      context.threads()));
    context.RequestScratch(bytes);
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& input = context.input(0);
    const auto in_c = static_cast<size_t>(first_.in_c);
    const auto out_c = static_cast<size_t>(second_.out_c);
    const size_t pixels = static_cast<size_t>(input.shape.elements(0, 3));
    const float* in = input.as<float>();
    float* out = context.output(0).mutable_as<float>();
    kernels::Epilogue last = second_.epilogue();
    if (has_residual_) last.residual = context.input(kResidual).as<float>();
    if (first_.packed == nullptr) {
      kernels::reference::GemmPair(
          in, in_c, pixels, Transposed(first_).data(), in_c,
          static_cast<size_t>(first_.out_c), first_.epilogue(),
          Transposed(second_).data(), out_c, last, out, out_c);
      return Status();
    }
    kernels::GemmPair(in, in_c, pixels,
                      {first_.packed->view(), second_.packed->view(),
                       first_.epilogue(), last},
                      out, out_c, context.scratch(), context.pool());
    return Status();
  }

  const RowKernel* by_rows() const override {
    return first_.packed == nullptr ? nullptr : this;
  }
  bool CanSplitRows(const EvalContext& context) const override {
    return IsFloatRowMap(context.input(0)) && IsFloatRowMap(context.output(0));
  }
  bool IsRowInput(const EvalContext&, int i) const override {
    return i == 0 || (i == kResidual && has_residual_);
  }
  RowRange InputRows(const EvalContext&, int, RowRange rows) const override {
    return rows;
  }
  void EvalRows(const RowTask& task) const override {
    const auto in_c = static_cast<size_t>(first_.in_c);
    const auto out_c = static_cast<size_t>(second_.out_c);
    const size_t pixels = static_cast<size_t>(task.rows.size()) *
                          static_cast<size_t>(task.context.input(0).shape[2]);
    kernels::Epilogue last = second_.epilogue();
    if (has_residual_) last.residual = task.in(kResidual);
    auto* const scratch =
        static_cast<uint8_t*>(task.context.scratch()) +
        *kernels::GemmPairScratchBytes(static_cast<size_t>(first_.out_c), 1) *
            static_cast<size_t>(task.worker);
    kernels::GemmPair(task.in(0), in_c, pixels,
                      {first_.packed->view(), second_.packed->view(),
                       first_.epilogue(), last},
                      task.out(), out_c, scratch, task.context.pool());
  }

  int64_t MultiplyAccumulates(std::span<const TensorView> inputs,
                              std::span<const TensorView>) const override {
    return inputs[0].shape.elements(0, 3) * first_.out_c *
           (int64_t{first_.in_c} + second_.out_c);
  }

  size_t packed_bytes() const override {
    return first_.bytes() + second_.bytes();
  }

  Half first_, second_;
  bool has_residual_ = false;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 6, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<Conv2dPairKernel>();
  MUNJA_ASSIGN_OR_RETURN(
      kernel->first_, ReadHalf(info, 1, 2, FirstActivation(info.attributes())));
  MUNJA_ASSIGN_OR_RETURN(kernel->second_,
                         ReadHalf(info, 3, 4, info.attributes()));
  if (kernel->second_.in_c != kernel->first_.out_c) {
    return Malformed(
        "the second weights take " + std::to_string(kernel->second_.in_c) +
        " channels, the first make " + std::to_string(kernel->first_.out_c));
  }
  kernel->has_residual_ = info.input(kResidual) != nullptr;
  if (kernel->has_residual_)
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, kResidual, "a residual"));
  if (!info.options().use_reference) {
    const kernels::Product product = ProductOf(info, 0);
    MUNJA_RETURN_IF_ERROR(Pack(kernel->first_, product));
    MUNJA_RETURN_IF_ERROR(Pack(kernel->second_, product));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::conv_2d_pair
