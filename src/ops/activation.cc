// RELU and its kin, LOGISTIC, TANH, HARD_SWISH, GELU, LEAKY_RELU, ELU, and
// HARD_SIGMOID, which fusion makes out of its parts.
#include "kernels/activation.h"

#include <string>

#include "ops/half_adapter.h"
#include "ops/int16_activation.h"
#include "ops/op.h"
#include "ops/operands.h"
#include "ops/quantized.h"
#include "ops/quantized_activation.h"

namespace munja::ops::activation {
namespace {

using kernels::Activation;
using kernels::ActivationKind;

class ActivationKernel final : public Kernel {
 public:
  ActivationKernel(const Activation& activation, bool use_reference)
      : activation_(activation), use_reference_(use_reference) {}

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

 private:
  Activation activation_;
  bool use_reference_;
};

Result<Activation> Parse(const NodeInfo& info) {
  const std::string& op = info.node().op;
  const graph::Attributes& attributes = info.attributes();
  if (op == "RELU") return Activation{ActivationKind::kRelu};
  if (op == "RELU6") return Activation{ActivationKind::kRelu6};
  if (op == "RELU_N1_TO_1") return Activation{ActivationKind::kReluN1To1};
  if (op == "RELU_0_TO_1") return Activation{ActivationKind::kRelu0To1};
  if (op == "LOGISTIC") return Activation{ActivationKind::kSigmoid};
  if (op == "TANH") return Activation{ActivationKind::kTanh};
  if (op == "HARD_SWISH") return Activation{ActivationKind::kHardSwish};
  if (op == "ELU") return Activation{ActivationKind::kElu};
  if (op == "GELU") {
    MUNJA_ASSIGN_OR_RETURN(const bool approximate,
                           attributes.Bool("approximate", false));
    return Activation{approximate ? ActivationKind::kGeluTanh
                                  : ActivationKind::kGelu};
  }
  if (op == "LEAKY_RELU") {
    MUNJA_ASSIGN_OR_RETURN(const double alpha, attributes.Float("alpha", 0.0));
    return Activation{ActivationKind::kLeakyRelu, static_cast<float>(alpha)};
  }
  if (op == "HARD_SIGMOID") {
    MUNJA_ASSIGN_OR_RETURN(const double alpha,
                           attributes.Float("activation_alpha", 1.0 / 6.0));
    MUNJA_ASSIGN_OR_RETURN(const double beta,
                           attributes.Float("activation_beta", 0.5));
    return Activation{ActivationKind::kHardSigmoid, static_cast<float>(alpha),
                      static_cast<float>(beta)};
  }
  return Internal("no activation " + op);
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  MUNJA_ASSIGN_OR_RETURN(const Activation activation, Parse(info));
  const bool use_reference = info.options().use_reference;
  if (TakesQuantized(info)) {
    if (info.input(0)->type == ElementType::kInt16 &&
        IsInt16ThroughReals(activation.kind))
      return MakeInt16Activation(activation, use_reference);
    return MakeStoredMap(QuantizedActivation(activation), use_reference);
  }
  return OnHalves(
      info, std::make_unique<ActivationKernel>(activation, use_reference));
}

}  // namespace munja::ops::activation
