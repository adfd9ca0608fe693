// ADD, SUB, MUL, DIV, MINIMUM, MAXIMUM, SQUARED_DIFFERENCE, PRELU: arithmetic
// of two operands with broadcasting.
#include "kernels/elementwise/binary.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include "ops/op.h"
#include "ops/support/broadcast.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"
#include "ops/support/pointwise_rows.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/quantized/quantized_binary.h"
#include "ops/support/window.h"

namespace munja::ops::binary {
namespace {

using kernels::ActivationKind;
using kernels::BinaryKind;

struct BinaryState : State {
  explicit BinaryState(BroadcastPlan p) : plan(p) {}
  BroadcastPlan plan;
};

// Bounds of a fused activation on integers.
template <class T>
struct Bounds {
  T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
};

bool HasIntegerForm(ActivationKind kind) {
  return kernels::ClampOf(kind).is_whole_activation;
}

// Minimum and maximum work on quantized values, whatever their scale.
bool ComparesOnly(BinaryKind kind) {
  return kind == BinaryKind::kMinimum || kind == BinaryKind::kMaximum;
}

template <class T>
Bounds<T> IntegerBounds(ActivationKind kind) {
  const kernels::ClampBounds clamp = kernels::ClampOf(kind);
  Bounds<T> bounds;
  if (clamp.has_low() && (std::is_signed_v<T> || clamp.low >= 0))
    bounds.low = static_cast<T>(clamp.low);
  if (clamp.has_high()) bounds.high = static_cast<T>(clamp.high);
  return bounds;
}

// Wraps around like the CPU, which C++ only promises for unsigned.
template <BinaryKind kKind, class T>
T Combine(T a, T b) {
  // Not narrower than int, to which C++ would go back.
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  if constexpr (kKind == BinaryKind::kAdd) return static_cast<T>(x + y);
  if constexpr (kKind == BinaryKind::kSub) return static_cast<T>(x - y);
  if constexpr (kKind == BinaryKind::kMul) return static_cast<T>(x * y);
  if constexpr (kKind == BinaryKind::kDiv) {
    // b == 0 was refused; -1 would overflow for the lowest number.
    return b == static_cast<T>(-1) ? static_cast<T>(U{0} - x)
                                   : static_cast<T>(a / b);
  }
  if constexpr (kKind == BinaryKind::kMinimum) return std::min(a, b);
  if constexpr (kKind == BinaryKind::kMaximum) return std::max(a, b);
  if constexpr (kKind == BinaryKind::kSquaredDifference)
    return static_cast<T>((x - y) * (x - y));
  return a;
}

class BinaryKernel final : public Kernel, public RowKernel {
 public:
  BinaryKernel(BinaryKind kind, const kernels::Activation& activation,
               bool reference_kernels)
      : kind_(kind),
        activation_(activation),
        use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& a = context.input(0);
    const TensorView& b = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, b));
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, context.output(0)));
    MUNJA_RETURN_IF_ERROR(CheckInput(a));
    if (a.type != ElementType::kFloat32 && !HasIntegerForm(activation_.kind))
      return Unsupported("this activation has no integer form");
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           BroadcastShapes(a.shape, b.shape));
    if (kind_ == BinaryKind::kPrelu && shape != a.shape) {
      return Malformed("the slopes " + b.shape.ToString() +
                       " do not broadcast to " + a.shape.ToString());
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, shape));
    if (a.shape == shape) context.AllowInPlace(0, 0);
    if (b.shape == shape) context.AllowInPlace(0, 1);
    const Shape operands[] = {a.shape, b.shape};
    context.SetState(
        std::make_unique<BinaryState>(BroadcastPlan(operands, shape)));
    return Status();
  }

  const RowKernel* by_rows() const override {
    return use_reference_ ? nullptr : this;
  }
  // Supports a feature map with another one or with one value per channel.
  bool CanSplitRows(const EvalContext& context) const override {
    return IsFloatRowMap(context.output(0)) && PairHasRows(context);
  }
  bool IsRowInput(const EvalContext& context, int i) const override {
    return IsRowOfPair(context, i);
  }
  RowRange InputRows(const EvalContext&, int, RowRange rows) const override {
    return rows;
  }
  void EvalRows(const RowTask& task) const override {
    kernels::Binary(kind_, activation_,
                    RowsOfPair<float, kernels::BinaryBlock>(task));
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kInt32:
        return EvalIntegers<int32_t>(context);
      case ElementType::kInt64:
        return EvalIntegers<int64_t>(context);
      case ElementType::kInt16:
        return EvalIntegers<int16_t>(context);
      case ElementType::kInt8:
        return Compare<int8_t>(context);
      case ElementType::kUInt8:
        return Compare<uint8_t>(context);
      case ElementType::kUInt32:
        return RunIntegers<BinaryKind::kMul, uint32_t>(context);
      case ElementType::kComplex64:
        return MultiplyComplex(context);
      default:
        EvalFloats(context);
        return Status();
    }
  }

 private:
  Status CheckInput(const TensorView& a) const {
    if (kind_ == BinaryKind::kPrelu)
      return CheckType(a, "the input", {ElementType::kFloat32});
    if (ComparesOnly(kind_)) {
      return CheckType(
          a, "the input",
          {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
           ElementType::kInt16, ElementType::kInt8, ElementType::kUInt8});
    }
    if (kind_ == BinaryKind::kMul) {
      if (a.type == ElementType::kComplex64 &&
          activation_.kind != ActivationKind::kNone)
        return Unsupported("a fused activation of complex numbers");
      return CheckType(
          a, "the input",
          {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
           ElementType::kInt16, ElementType::kUInt32, ElementType::kComplex64});
    }
    return CheckType(a, "the input",
                     {ElementType::kFloat32, ElementType::kInt32,
                      ElementType::kInt64, ElementType::kInt16});
  }

  template <class T>
  Status Compare(EvalContext& context) const {
    return kind_ == BinaryKind::kMinimum
               ? RunIntegers<BinaryKind::kMinimum, T>(context)
               : RunIntegers<BinaryKind::kMaximum, T>(context);
  }

  static Status MultiplyComplex(EvalContext& context) {
    using Complex = std::complex<float>;
    const auto& plan = static_cast<const BinaryState*>(context.state())->plan;
    const auto* a = context.input(0).as<Complex>();
    const auto* b = context.input(1).as<Complex>();
    auto* out = context.output(0).mutable_as<Complex>();
    ForEachPair(plan, context.pool(), a, b, out,
                [](Complex x, Complex y) { return x * y; });
    return Status();
  }

  void EvalFloats(EvalContext& context) const {
    const auto& plan = static_cast<const BinaryState*>(context.state())->plan;
    const float* a = context.input(0).as<float>();
    const float* b = context.input(1).as<float>();
    float* out = context.output(0).mutable_as<float>();
    plan.ForEachBlock(context.pool(), [&](const BroadcastBlock& block) {
      kernels::BinaryBlock k;
      k.a = a + block.offset[0];
      k.b = b + block.offset[1];
      k.out = out + block.out;
      k.rows = block.rows;
      k.cols = block.cols;
      k.a_row_stride = block.row_stride[0];
      k.b_row_stride = block.row_stride[1];
      k.a_repeats = block.col_stride[0] == 0;
      k.b_repeats = block.col_stride[1] == 0;
      if (use_reference_) {
        kernels::reference::Binary(kind_, activation_, k);
      } else {
        kernels::Binary(kind_, activation_, k);
      }
    });
  }

  template <class T>
  Status EvalIntegers(EvalContext& context) const {
    if (kind_ == BinaryKind::kDiv) {
      const TensorView& divisor = context.input(1);
      const T* b = divisor.as<T>();
      if (std::count(b, b + divisor.shape.elements(), T{0}) > 0)
        return InvalidArgument("divides integers by zero");
    }
    switch (kind_) {
      case BinaryKind::kAdd:
        return RunIntegers<BinaryKind::kAdd, T>(context);
      case BinaryKind::kSub:
        return RunIntegers<BinaryKind::kSub, T>(context);
      case BinaryKind::kMul:
        return RunIntegers<BinaryKind::kMul, T>(context);
      case BinaryKind::kDiv:
        return RunIntegers<BinaryKind::kDiv, T>(context);
      case BinaryKind::kMinimum:
        return RunIntegers<BinaryKind::kMinimum, T>(context);
      case BinaryKind::kMaximum:
        return RunIntegers<BinaryKind::kMaximum, T>(context);
      default:
        return RunIntegers<BinaryKind::kSquaredDifference, T>(context);
    }
  }

  template <BinaryKind kKind, class T>
  Status RunIntegers(EvalContext& context) const {
    const auto& plan = static_cast<const BinaryState*>(context.state())->plan;
    const T* a = context.input(0).as<T>();
    const T* b = context.input(1).as<T>();
    T* out = context.output(0).mutable_as<T>();
    const Bounds<T> bounds = IntegerBounds<T>(activation_.kind);
    ForEachPair(plan, context.pool(), a, b, out, [bounds](T x, T y) {
      return std::clamp(Combine<kKind>(x, y), bounds.low, bounds.high);
    });
    return Status();
  }

  BinaryKind kind_;
  kernels::Activation activation_;
  bool use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  const std::string& op = info.node().op;
  const BinaryKind kind = op == "ADD"       ? BinaryKind::kAdd
                          : op == "SUB"     ? BinaryKind::kSub
                          : op == "MUL"     ? BinaryKind::kMul
                          : op == "DIV"     ? BinaryKind::kDiv
                          : op == "MINIMUM" ? BinaryKind::kMinimum
                          : op == "MAXIMUM" ? BinaryKind::kMaximum
                          : op == "PRELU"   ? BinaryKind::kPrelu
                                            : BinaryKind::kSquaredDifference;
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ParseActivation(info.attributes()));
  if (TakesQuantized(info) && !ComparesOnly(kind))
    return MakeQuantizedBinary(info, kind, activation.kind);
  return OnHalves(
      info, std::make_unique<BinaryKernel>(kind, activation,
                                           info.options().reference_kernels));
}

}  // namespace munja::ops::binary
