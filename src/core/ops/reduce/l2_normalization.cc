// L2_NORMALIZATION over the last dimension, LOCAL_RESPONSE_NORMALIZATION over
// neighboring channels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/quant/fixed_point_math.h"
#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/window.h"

namespace munja::ops::l2_normalization {
namespace {

constexpr size_t kGrain = size_t{1} << 12;

// Calls row(in, count, out) for each run of the last dimension.
template <class T = float, class F>
void ForEachRow(EvalContext& context, const F& row) {
  const Shape& shape = context.input(0).shape;
  const auto cols = static_cast<size_t>(shape.back());
  if (cols == 0) return;
  const T* in = context.input(0).as<T>();
  T* out = context.output(0).mutable_as<T>();
  context.pool().ParallelFor(static_cast<size_t>(shape.elements()) / cols,
                             std::max<size_t>(1, kGrain / cols),
                             [&](size_t begin, size_t end, int) {
                               for (size_t r = begin; r < end; ++r)
                                 row(in + r * cols, cols, out + r * cols);
                             });
}

Status PrepareFloat(PrepareContext& context) {
  const TensorView& in = context.input(0);
  MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kFloat32}));
  MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
  if (in.shape.rank() < 1) return Malformed("the input is a scalar");
  return context.SetOutputShape(0, in.shape);
}

class L2 final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView &in = context.input(0), &out = context.output(0);
    if (in.type == ElementType::kFloat32) return PrepareFloat(context);
    MUNJA_RETURN_IF_ERROR(CheckType(
        in, "the input",
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUInt8}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, out));
    if (in.shape.rank() < 1) return Malformed("the input is a scalar");
    MUNJA_ASSIGN_OR_RETURN([[maybe_unused]] const Affine from,
                           PerTensor(in, "the input"));
    MUNJA_ASSIGN_OR_RETURN(const Affine to, PerTensor(out, "the output"));
    const int32_t zero = in.type == ElementType::kUInt8 ? 128 : 0;
    if (to.scale != 1.0f / 128 || to.zero != zero)
      return Malformed("the output is not scaled by 1/128");
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kInt8:
        Stored<int8_t>(context, 0);
        break;
      case ElementType::kUInt8:
        Stored<uint8_t>(context, 128);
        break;
      default:
        Real(context);
        break;
    }
    return Status();
  }

 private:
  static void Real(EvalContext& context) {
    ForEachRow(context, [](const float* in, size_t count, float* out) {
      double squares = 0.0;
      for (size_t i = 0; i < count; ++i) squares += double{in[i]} * in[i];
      const double norm = std::max(std::sqrt(squares), 1e-6);
      for (size_t i = 0; i < count; ++i)
        out[i] = static_cast<float>(in[i] / norm);
    });
  }

  // In steps of 1/128: the input's scale cancels out.
  template <class T>
  static void Stored(EvalContext& context, int32_t out_zero) {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const int32_t zero = context.input(0).zero_point();
    ForEachRow<T>(context, [&](const T* in, size_t count, T* out) {
      int64_t squares = 0;
      for (size_t i = 0; i < count; ++i) {
        const int64_t x = in[i] - zero;
        squares += x * x;
      }
      const kernels::Multiplier inverse = kernels::InverseSquareRoot(
          static_cast<int32_t>(std::min(squares, kMost)));
      for (size_t i = 0; i < count; ++i) {
        // Rounding depends on where the factor of 128 goes, and uint8 has it
        // elsewhere than int8.
        const int32_t x = in[i] - zero;
        const int32_t scaled =
            out_zero == 0
                ? kernels::Multiply(x, {inverse.mantissa, inverse.exponent + 7})
                : kernels::Multiply(128 * x, inverse);
        out[i] = static_cast<T>(std::clamp<int32_t>(
            scaled + out_zero, std::numeric_limits<T>::min(),
            std::numeric_limits<T>::max()));
      }
    });
  }
};

class LocalResponse final : public Kernel {
 public:
  LocalResponse(int64_t radius, double bias, double alpha, double beta)
      : radius_(radius), bias_(bias), alpha_(alpha), beta_(beta) {}

  Status Prepare(PrepareContext& context) const override {
    return PrepareFloat(context);
  }

  Status Eval(EvalContext& context) const override {
    ForEachRow(context, [&](const float* in, size_t count, float* out) {
      const auto n = static_cast<int64_t>(count);
      for (int64_t i = 0; i < n; ++i) {
        double squares = 0.0;
        const int64_t first = std::max<int64_t>(0, i - radius_);
        const int64_t last = std::min(n - 1, i + radius_);
        for (int64_t k = first; k <= last; ++k)
          squares += double{in[k]} * in[k];
        out[i] = static_cast<float>(in[i] *
                                    std::pow(bias_ + alpha_ * squares, -beta_));
      }
    });
    return Status();
  }

 private:
  int64_t radius_;
  double bias_, alpha_, beta_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  const graph::Attributes& attributes = info.attributes();
  if (info.node().op == "L2_NORMALIZATION") {
    MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                           ParseActivation(attributes));
    if (activation.kind != kernels::ActivationKind::kNone)
      return Unsupported("a fused activation");
    return std::unique_ptr<Kernel>(std::make_unique<L2>());
  }
  MUNJA_ASSIGN_OR_RETURN(const int64_t radius, attributes.Int("radius", 0));
  MUNJA_ASSIGN_OR_RETURN(const double bias, attributes.Float("bias", 0.0));
  MUNJA_ASSIGN_OR_RETURN(const double alpha, attributes.Float("alpha", 0.0));
  MUNJA_ASSIGN_OR_RETURN(const double beta, attributes.Float("beta", 0.0));
  if (radius < 0 || radius > 1 << 30) return Malformed("the radius");
  return std::unique_ptr<Kernel>(
      std::make_unique<LocalResponse>(radius, bias, alpha, beta));
}

}  // namespace munja::ops::l2_normalization
