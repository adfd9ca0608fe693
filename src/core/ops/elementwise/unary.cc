// ABS, EXP and the other operators of unaries.def.
#include "kernels/elementwise/unary.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "ops/op.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/quantized/quantized_unary.h"

namespace munja::ops::unary {
namespace {

using kernels::UnaryKind;

// Wraps around like the CPU, which C++ only promises for unsigned.
template <class T>
T IntegerResult(UnaryKind kind, T x) {
  // Not narrower than int, to which C++ would go back.
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  const U u = static_cast<U>(x);
  switch (kind) {
    case UnaryKind::kAbs:
      return static_cast<T>(x < 0 ? U{0} - u : u);
    case UnaryKind::kNeg:
      return static_cast<T>(U{0} - u);
    case UnaryKind::kSquare:
      return static_cast<T>(u * u);
    default:
      return static_cast<T>((x > 0) - (x < 0));
  }
}

class UnaryKernel final : public Kernel {
 public:
  UnaryKernel(UnaryKind kind, bool takes_integers, bool reference_kernels)
      : kind_(kind),
        takes_integers_(takes_integers),
        use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    if (takes_integers_) {
      MUNJA_RETURN_IF_ERROR(CheckType(
          in, "the input",
          {ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt32,
           ElementType::kInt64, ElementType::kInt16}));
    } else {
      MUNJA_RETURN_IF_ERROR(
          CheckType(in, "the input", {ElementType::kFloat32}));
    }
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kInt32:
        Integers<int32_t>(context);
        break;
      case ElementType::kInt64:
        Integers<int64_t>(context);
        break;
      case ElementType::kInt16:
        Integers<int16_t>(context);
        break;
      case ElementType::kFloat64:
        Doubles(context);
        break;
      default:
        Floats(context);
        break;
    }
    return Status();
  }

 private:
  static constexpr size_t kGrain = size_t{1} << 13;

  void Floats(EvalContext& context) const {
    const float* in = context.input(0).as<float>();
    float* out = context.output(0).mutable_as<float>();
    const auto run =
        use_reference_ ? kernels::reference::Unary : kernels::Unary;
    context.pool().ParallelFor(
        static_cast<size_t>(context.output(0).shape.elements()), kGrain,
        [&](size_t begin, size_t end, int) {
          run(kind_, in + begin, end - begin, out + begin);
        });
  }

  void Doubles(EvalContext& context) const {
    const auto* in = context.input(0).as<double>();
    auto* out = context.output(0).mutable_as<double>();
    const int64_t count = context.output(0).shape.elements();
    for (int64_t i = 0; i < count; ++i) {
      const double x = in[i];
      out[i] = kind_ == UnaryKind::kAbs      ? std::abs(x)
               : kind_ == UnaryKind::kNeg    ? -x
               : kind_ == UnaryKind::kSquare ? x * x
               : x != x                      ? x
                                             : (x > 0) - (x < 0);
    }
  }

  template <class T>
  void Integers(EvalContext& context) const {
    const T* in = context.input(0).as<T>();
    T* out = context.output(0).mutable_as<T>();
    const int64_t count = context.output(0).shape.elements();
    for (int64_t i = 0; i < count; ++i) out[i] = IntegerResult(kind_, in[i]);
  }

  UnaryKind kind_;
  bool takes_integers_, use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  for (const kernels::UnaryRow& row : kernels::kUnaryRows) {
    if (row.name != info.node().op) continue;
    const bool reference_kernels = info.options().reference_kernels;
    if (TakesQuantized(info)) return MakeQuantizedUnary(row, reference_kernels);
    return OnHalves(info,
                    std::make_unique<UnaryKernel>(
                        row.kind, row.types == kernels::UnaryRow::kIntegers,
                        reference_kernels));
  }
  return Internal("no unary operator " + info.node().op);
}

}  // namespace munja::ops::unary
