// RELU and its kin, LOGISTIC, TANH, HARD_SWISH, GELU, LEAKY_RELU, ELU, and
// HARD_SIGMOID, which fusion makes out of its parts.
#include "kernels/elementwise/activation.h"

#include "graph/op_traits.h"
#include "ops/op.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"
#include "ops/support/pointwise_rows.h"
#include "ops/support/quantized/int16_activation.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/quantized/quantized_activation.h"
#include "ops/support/window.h"

namespace munja::ops::activation {
namespace {

using kernels::Activation;

class ActivationKernel final : public Kernel, public PointwiseRows {
 public:
  ActivationKernel(const Activation& activation, bool reference_kernels)
      : activation_(activation), use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    const auto count = static_cast<size_t>(context.output(0).shape.elements());
    constexpr size_t kGrain = size_t{1} << 13;
    context.pool().ParallelFor(
        count, kGrain, [&](size_t begin, size_t end, int) {
          if (use_reference_) {
            kernels::reference::Activate(activation_, in + begin, end - begin,
                                         out + begin);
          } else {
            kernels::Activate(activation_, in + begin, end - begin,
                              out + begin);
          }
        });
    return Status();
  }

  const RowKernel* by_rows() const override {
    return use_reference_ ? nullptr : this;
  }

 protected:
  void EvalElements(const EvalContext&, const void* in, size_t count,
                    void* out) const override {
    kernels::Activate(activation_, static_cast<const float*>(in), count,
                      static_cast<float*>(out));
  }

 private:
  Activation activation_;
  bool use_reference_;
};

Result<Activation> Parse(const NodeInfo& info) {
  graph::Attributes fused;
  MUNJA_RETURN_IF_ERROR(graph::SetFusedActivation(info.node(), fused));
  return ParseActivation(fused);
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  MUNJA_ASSIGN_OR_RETURN(const Activation activation, Parse(info));
  const bool reference_kernels = info.options().reference_kernels;
  if (TakesQuantized(info)) {
    if (info.input(0)->type == ElementType::kInt16 &&
        IsInt16ThroughReals(activation.kind))
      return MakeInt16Activation(activation, reference_kernels);
    return MakeStoredMap(QuantizedActivation(activation), reference_kernels);
  }
  return OnHalves(
      info, std::make_unique<ActivationKernel>(activation, reference_kernels));
}

}  // namespace munja::ops::activation
