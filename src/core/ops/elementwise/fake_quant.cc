// FAKE_QUANT: floats rounded to what a quantized tensor could hold.
#include <algorithm>
#include <cmath>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::fake_quant {
namespace {

// The range moved so that a real zero is one of the steps.
struct Steps {
  float scale = 1.0f, low = 0.0f, high = 0.0f;
};

Steps Nudge(float min, float max, float lowest, float highest) {
  Steps steps;
  steps.scale = (max - min) / (highest - lowest);
  const float zero =
      std::round(std::clamp(lowest - min / steps.scale, lowest, highest));
  steps.low = (lowest - zero) * steps.scale;
  steps.high = (highest - zero) * steps.scale;
  return steps;
}

class FakeQuantKernel final : public Kernel {
 public:
  explicit FakeQuantKernel(const Steps& steps) : steps_(steps) {}

  Status Prepare(PrepareContext& context) const override {
    for (const TensorView* view : {&context.input(0), &context.output(0)})
      MUNJA_RETURN_IF_ERROR(
          CheckType(*view, "the operand", {ElementType::kFloat32}));
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, context.input(0).shape);
  }

  Status Eval(EvalContext& context) const override {
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    const float inverse = 1.0f / steps_.scale;
    context.pool().ParallelFor(
        static_cast<size_t>(context.output(0).shape.elements()),
        size_t{1} << 14, [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            const float x = std::clamp(in[i], steps_.low, steps_.high);
            out[i] = std::round((x - steps_.low) * inverse) * steps_.scale +
                     steps_.low;
          }
        });
    return Status();
  }

 private:
  Steps steps_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double min, info.attributes().Float("min", 0.0));
  MUNJA_ASSIGN_OR_RETURN(const double max, info.attributes().Float("max", 0.0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t bits,
                         info.attributes().Int("num_bits", 0));
  MUNJA_ASSIGN_OR_RETURN(const bool is_narrow,
                         info.attributes().Bool("narrow_range", false));
  if (bits < 2 || bits > 16)
    return Malformed("quantizes to " + std::to_string(bits) + " bits");
  if (!(min <= 0.0) || !(max >= 0.0) || !(min < max) || !std::isfinite(min) ||
      !std::isfinite(max)) {
    return Malformed("the range " + std::to_string(min) + " to " +
                     std::to_string(max) + " does not hold 0");
  }
  const Steps steps = Nudge(static_cast<float>(min), static_cast<float>(max),
                            is_narrow ? 1.0f : 0.0f,
                            static_cast<float>((int64_t{1} << bits) - 1));
  if (!(steps.scale > 0.0f) || !std::isfinite(steps.scale))
    return Malformed("the range has no steps that a float can tell apart");
  return std::unique_ptr<Kernel>(std::make_unique<FakeQuantKernel>(steps));
}

}  // namespace munja::ops::fake_quant
