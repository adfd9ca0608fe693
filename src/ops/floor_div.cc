// FLOOR_DIV, FLOOR_MOD, POW: arithmetic that is rare enough for plain loops.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "ops/broadcast.h"
#include "ops/op.h"
#include "ops/operands.h"

namespace munja::ops::floor_div {
namespace {

enum class Kind { kFloorDiv, kFloorMod, kPow };

struct FloorDivState : State {
  explicit FloorDivState(BroadcastPlan p) : plan(p) {}
  BroadcastPlan plan;
};

// Of integers: b != 0 for the first two, b >= 0 for the power; wraps around.
template <class T>
T Compute(Kind kind, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (kind == Kind::kFloorDiv) return std::floor(a / b);
    if (kind == Kind::kPow) return std::pow(a, b);
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    using U = std::make_unsigned_t<T>;
    if (kind == Kind::kPow) {
      U result = 1, base = static_cast<U>(a);
      for (T left = b; left > 0; left /= 2, base *= base)
        if (left % 2 != 0) result *= base;
      return static_cast<T>(result);
    }
    if (b == -1)  // The lowest number divided by -1 would overflow.
      return kind == Kind::kFloorDiv ? static_cast<T>(U{0} - static_cast<U>(a))
                                     : T{0};
    const T rest = a % b;
    const bool down = rest != 0 && (rest < 0) != (b < 0);
    if (kind == Kind::kFloorDiv) return a / b - (down ? 1 : 0);
    return down ? rest + b : rest;
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
    MUNJA_RETURN_IF_ERROR(CheckType(
        a, "the input",
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64}));
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           BroadcastShapes(a.shape, b.shape));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, shape));
    const Shape operands[] = {a.shape, b.shape};
    context.SetState(
        std::make_unique<FloorDivState>(BroadcastPlan(operands, shape)));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Run<float>(context);
      case ElementType::kInt32:
        return Run<int32_t>(context);
      default:
        return Run<int64_t>(context);
    }
  }

 private:
  template <class T>
  Status Run(EvalContext& context) const {
    const auto& plan = static_cast<const FloorDivState*>(context.state())->plan;
    const T* a = context.input(0).as<T>();
    const T* b = context.input(1).as<T>();
    const int64_t divisors = context.input(1).shape.elements();
    if constexpr (std::is_integral_v<T>) {
      const bool is_pow = kind_ == Kind::kPow;
      const bool bad = std::any_of(
          b, b + divisors, [&](T v) { return is_pow ? v < 0 : v == 0; });
      if (bad) {
        return InvalidArgument(is_pow ? "raises an integer to a negative power"
                                      : "divides integers by zero");
      }
    }
    T* out = context.output(0).mutable_as<T>();
    plan.ForEachBlock(context.pool(), [&](const BroadcastBlock& block) {
      for (size_t r = 0; r < block.rows; ++r) {
        const T* x = a + block.offset[0] + r * block.row_stride[0];
        const T* y = b + block.offset[1] + r * block.row_stride[1];
        T* to = out + block.out + r * block.cols;
        for (size_t c = 0; c < block.cols; ++c)
          to[c] = Compute<T>(kind_, x[c * block.col_stride[0]],
                             y[c * block.col_stride[1]]);
      }
    });
    return Status();
  }

  Kind kind_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  const std::string& op = info.node().op;
  const Kind kind = op == "FLOOR_DIV"   ? Kind::kFloorDiv
                    : op == "FLOOR_MOD" ? Kind::kFloorMod
                                        : Kind::kPow;
  return std::unique_ptr<Kernel>(std::make_unique<FloorDivKernel>(kind));
}

}  // namespace munja::ops::floor_div
