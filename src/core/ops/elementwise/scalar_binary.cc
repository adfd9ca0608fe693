// FLOOR_DIV, FLOOR_MOD, POW, ATAN2, BITWISE_XOR, RIGHT_SHIFT: arithmetic that
// is rare enough for plain loops.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "ops/op.h"
#include "ops/support/broadcast.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::scalar_binary {
namespace {

enum class Kind { kFloorDiv, kFloorMod, kPow, kAtan2, kXor, kShift };

struct ScalarBinaryState : State {
  explicit ScalarBinaryState(BroadcastPlan p) : plan(p) {}
  BroadcastPlan plan;
};

// Bits of a by b to the right; what b asks beyond the width is the width - 1.
template <class T>
T ShiftRight(T a, T b) {
  constexpr int64_t kMost = 8 * sizeof(T) - 1;
  return static_cast<T>(a >> std::clamp<int64_t>(b, 0, kMost));
}

// Integers need b != 0 for the first two, b >= 0 for the power, and wrap
// around.
template <class T>
T Compute(Kind kind, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (kind == Kind::kFloorDiv) return std::floor(a / b);
    if (kind == Kind::kPow) return std::pow(a, b);
    if (kind == Kind::kAtan2) return std::atan2(a, b);
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (kind == Kind::kXor) return static_cast<T>(a ^ b);
    if (kind == Kind::kShift) return ShiftRight(a, b);
    // Not narrower than int, to which C++ would go back.
    using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    if (kind == Kind::kPow) {
      U result = 1, base = static_cast<U>(a);
      for (T left = b; left > 0; left /= 2, base *= base)
        if (left % 2 != 0) result *= base;
      return static_cast<T>(result);
    }
    if (b ==
        static_cast<T>(-1))  // The lowest number divided by -1 would overflow.
      return kind == Kind::kFloorDiv ? static_cast<T>(U{0} - static_cast<U>(a))
                                     : T{0};
    const T rest = static_cast<T>(a % b);
    const bool down = rest != 0 && (rest < 0) != (b < 0);
    if (kind == Kind::kFloorDiv) return static_cast<T>(a / b - (down ? 1 : 0));
    return static_cast<T>(down ? rest + b : rest);
  }
}

class FloorDivKernel final : public Kernel {
 public:
  explicit FloorDivKernel(Kind kind) : kind_(kind) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& a = context.input(0);
    const TensorView& b = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, b));
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, context.output(0)));
    MUNJA_RETURN_IF_ERROR(CheckInput(a));
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           BroadcastShapes(a.shape, b.shape));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, shape));
    const Shape operands[] = {a.shape, b.shape};
    context.SetState(
        std::make_unique<ScalarBinaryState>(BroadcastPlan(operands, shape)));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    return ByType<float, double, int8_t, int16_t, int32_t, uint8_t, uint16_t,
                  uint32_t, int64_t>(
        context.input(0).type, [&]<class T>() { return Run<T>(context); });
  }

 private:
  Status CheckInput(const TensorView& a) const {
    switch (kind_) {
      case Kind::kAtan2:
        return CheckType(a, "the input",
                         {ElementType::kFloat32, ElementType::kFloat64});
      case Kind::kXor:
      case Kind::kShift:
        return CheckType(
            a, "the input",
            {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16,
             ElementType::kUInt16, ElementType::kInt32, ElementType::kUInt32});
      case Kind::kPow:
        return CheckType(
            a, "the input",
            {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64});
      default:
        return CheckType(
            a, "the input",
            {ElementType::kFloat32, ElementType::kInt8, ElementType::kInt16,
             ElementType::kInt32, ElementType::kInt64});
    }
  }

  template <class T>
  Status Run(EvalContext& context) const {
    const auto& plan =
        static_cast<const ScalarBinaryState*>(context.state())->plan;
    const T* a = context.input(0).as<T>();
    const T* b = context.input(1).as<T>();
    const int64_t divisors = context.input(1).shape.elements();
    if constexpr (std::is_integral_v<T>) {
      const bool is_pow = kind_ == Kind::kPow;
      const bool divides = kind_ == Kind::kFloorDiv || kind_ == Kind::kFloorMod;
      const bool bad = std::any_of(b, b + divisors, [&](T v) {
        return (is_pow && v < T{0}) || (divides && v == 0);
      });
      if (bad) {
        return InvalidArgument(is_pow ? "raises an integer to a negative power"
                                      : "divides integers by zero");
      }
    }
    T* out = context.output(0).mutable_as<T>();
    ForEachPair(plan, context.pool(), a, b, out,
                [this](T x, T y) { return Compute<T>(kind_, x, y); });
    return Status();
  }

  Kind kind_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  const std::string& op = info.node().op;
  const Kind kind = op == "FLOOR_DIV"     ? Kind::kFloorDiv
                    : op == "FLOOR_MOD"   ? Kind::kFloorMod
                    : op == "POW"         ? Kind::kPow
                    : op == "ATAN2"       ? Kind::kAtan2
                    : op == "BITWISE_XOR" ? Kind::kXor
                                          : Kind::kShift;
  return std::unique_ptr<Kernel>(std::make_unique<FloorDivKernel>(kind));
}

}  // namespace munja::ops::scalar_binary
