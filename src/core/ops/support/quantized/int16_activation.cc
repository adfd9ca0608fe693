#include "ops/support/quantized/int16_activation.h"

#include <algorithm>

#include "kernels/quant/quantize.h"
#include "ops/support/operands.h"
#include "ops/support/pointwise_rows.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops {
namespace {

using kernels::Activation;
using kernels::ActivationKind;

struct Int16State final : State {
  Affine in, out;
};

class Int16ActivationKernel final : public Kernel, public PointwiseRows {
 public:
  Int16ActivationKernel(const Activation& activation, bool reference_kernels)
      : activation_(activation), use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView &in = context.input(0), &out = context.output(0);
    MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kInt16}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, out));
    auto state = std::make_unique<Int16State>();
    MUNJA_ASSIGN_OR_RETURN(state->in, PerTensor(in, "the input"));
    MUNJA_ASSIGN_OR_RETURN(state->out, PerTensor(out, "the output"));
    context.SetState(std::move(state));
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const Int16State*>(context.state());
    const int16_t* in = context.input(0).as<int16_t>();
    int16_t* out = context.output(0).mutable_as<int16_t>();
    const auto count = static_cast<size_t>(context.output(0).shape.elements());
    constexpr size_t kGrain = size_t{1} << 13;
    context.pool().ParallelFor(
        count, kGrain, [&](size_t begin, size_t end, int) {
          Run(state, in + begin, end - begin, out + begin);
        });
    return Status();
  }

  const RowKernel* by_rows() const override {
    return use_reference_ ? nullptr : this;
  }

 protected:
  void EvalElements(const EvalContext& context, const void* in, size_t count,
                    void* out) const override {
    Run(*static_cast<const Int16State*>(context.state()),
        static_cast<const int16_t*>(in), count, static_cast<int16_t*>(out));
  }

 private:
  void Run(const Int16State& state, const int16_t* in, size_t count,
           int16_t* out) const {
    // Stays in the first-level cache.
    constexpr size_t kChunk = 1024;
    float reals[kChunk];
    const Affine &from = state.in, &to = state.out;
    for (size_t i = 0; i < count; i += kChunk) {
      const size_t n = std::min(kChunk, count - i);
      kernels::Dequantize(in + i, n, from.scale, from.zero, reals);
      if (use_reference_) {
        kernels::reference::Activate(activation_, reals, n, reals);
        kernels::reference::Quantize(reals, n, to.scale, to.zero, out + i);
      } else {
        kernels::Activate(activation_, reals, n, reals);
        kernels::Quantize(reals, n, to.scale, to.zero, out + i);
      }
    }
  }

  Activation activation_;
  bool use_reference_;
};

}  // namespace

bool IsInt16ThroughReals(ActivationKind kind) {
  return kind == ActivationKind::kGelu || kind == ActivationKind::kGeluTanh ||
         kind == ActivationKind::kHardSwish || kind == ActivationKind::kElu;
}

std::unique_ptr<Kernel> MakeInt16Activation(const Activation& activation,
                                            bool reference_kernels) {
  return std::make_unique<Int16ActivationKernel>(activation, reference_kernels);
}

}  // namespace munja::ops
