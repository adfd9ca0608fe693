// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND,
// LOGICAL_OR, LOGICAL_NOT: what gives true or false.
#include <functional>
#include <memory>
#include <type_traits>

#include "kernels/quant/fixed_point.h"
#include "ops/op.h"
#include "ops/support/broadcast.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "tensor/strings.h"

namespace munja::ops::compare {
namespace {

enum class Kind {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
};

struct CompareState : State {
  explicit CompareState(BroadcastPlan p) : plan(p) {}
  BroadcastPlan plan;
  // Used for quantized operands.
  Affine a, b;
  kernels::Multiplier a_scale, b_scale;
};

// The dequantized value times 256, as an integer: two of them compare as in
// TensorFlow Lite, equal where they are close.
int32_t Comparable(int32_t stored, const Affine& affine,
                   kernels::Multiplier scale) {
  return kernels::Multiply((stored - affine.zero) * 256, scale);
}

class CompareKernel final : public Kernel {
 public:
  CompareKernel(Kind kind, bool is_quantized)
      : kind_(kind), is_quantized_(is_quantized) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& a = context.input(0);
    const TensorView& b = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, b));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kBool}));
    if (kind_ == Kind::kAnd || kind_ == Kind::kOr) {
      MUNJA_RETURN_IF_ERROR(CheckType(a, "the input", {ElementType::kBool}));
    } else if (a.type != ElementType::kString ||
               (kind_ != Kind::kEqual && kind_ != Kind::kNotEqual)) {
      MUNJA_RETURN_IF_ERROR(CheckType(
          a, "the input",
          {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
           ElementType::kInt16, ElementType::kInt8, ElementType::kUInt8,
           ElementType::kBool}));
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           BroadcastShapes(a.shape, b.shape));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, shape));
    const Shape operands[] = {a.shape, b.shape};
    auto state = std::make_unique<CompareState>(BroadcastPlan(operands, shape));
    if (is_quantized_) {
      MUNJA_ASSIGN_OR_RETURN(state->a, PerTensor(a, "input 0"));
      MUNJA_ASSIGN_OR_RETURN(state->b, PerTensor(b, "input 1"));
      state->a_scale = kernels::QuantizeMultiplier(state->a.scale);
      state->b_scale = kernels::QuantizeMultiplier(state->b.scale);
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const ElementType type = context.input(0).type;
    if (type == ElementType::kString) {
      CompareStrings(context);
    } else {  // The last type: uint8 and bool.
      ByType<float, int64_t, int32_t, int16_t, int8_t, uint8_t>(
          type, [&]<class T>() {
            if constexpr (sizeof(T) <= 2) {
              if (is_quantized_) return RunQuantized<T>(context);
            }
            Dispatch<T>(context);
          });
    }
    return Status();
  }

 private:
  template <class T>
  void Dispatch(EvalContext& context) const {
    switch (kind_) {
      case Kind::kEqual:
        return Run<T>(context, std::equal_to<>());
      case Kind::kNotEqual:
        return Run<T>(context, std::not_equal_to<>());
      case Kind::kLess:
        return Run<T>(context, std::less<>());
      case Kind::kLessEqual:
        return Run<T>(context, std::less_equal<>());
      case Kind::kGreater:
        return Run<T>(context, std::greater<>());
      case Kind::kGreaterEqual:
        return Run<T>(context, std::greater_equal<>());
      case Kind::kAnd:
      case Kind::kOr:
        if constexpr (std::is_same_v<T, uint8_t>) {  // bool
          if (kind_ == Kind::kAnd)
            return Run<T>(context, std::logical_and<T>());
          return Run<T>(context, std::logical_or<T>());
        }
        return;
    }
  }

  // Whether an order of two elements, -1, 0 or 1, makes the output true: bits
  // 0, 1 and 2.
  uint32_t TrueOrders() const {
    switch (kind_) {
      case Kind::kEqual:
        return 0b010;
      case Kind::kNotEqual:
        return 0b101;
      case Kind::kLess:
        return 0b001;
      case Kind::kLessEqual:
        return 0b011;
      case Kind::kGreater:
        return 0b100;
      default:
        return 0b110;
    }
  }

  // One loop for all kinds: the products take most of its time.
  template <class T>
  void RunQuantized(EvalContext& context) const {
    const auto& state = *static_cast<const CompareState*>(context.state());
    const uint32_t orders = TrueOrders();
    ForEachPair(state.plan, context.pool(), context.input(0).as<T>(),
                context.input(1).as<T>(), context.output(0).mutable_as<bool>(),
                [&](T a, T b) {
                  const int32_t x = Comparable(a, state.a, state.a_scale);
                  const int32_t y = Comparable(b, state.b, state.b_scale);
                  return (orders >> (1 + (x > y) - (x < y)) & 1) != 0;
                });
  }

  // Inputs were checked to hold strings when they came into the session.
  void CompareStrings(EvalContext& context) const {
    const auto& plan = static_cast<const CompareState*>(context.state())->plan;
    const TensorView& a = context.input(0);
    const TensorView& b = context.input(1);
    bool* out = context.output(0).mutable_as<bool>();
    const bool wants = kind_ == Kind::kEqual;
    plan.ForEachBlock(context.pool(), [&](const BroadcastBlock& block) {
      for (size_t i = 0; i < block.rows * block.cols; ++i) {
        const size_t r = i / block.cols, c = i % block.cols;
        size_t at[2];
        for (int k = 0; k < 2; ++k)
          at[k] = block.offset[k] + r * block.row_stride[k] +
                  c * block.col_stride[k];
        out[block.out + i] =
            (StringAt(a, at[0]) == StringAt(b, at[1])) == wants;
      }
    });
  }

  template <class T, class F>
  void Run(EvalContext& context, const F& compare) const {
    const auto& plan = static_cast<const CompareState*>(context.state())->plan;
    ForEachPair(plan, context.pool(), context.input(0).as<T>(),
                context.input(1).as<T>(), context.output(0).mutable_as<bool>(),
                compare);
  }

  Kind kind_;
  bool is_quantized_;
};

class NotKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    for (const TensorView* view : {&context.input(0), &context.output(0)})
      MUNJA_RETURN_IF_ERROR(
          CheckType(*view, "the operand", {ElementType::kBool}));
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, context.input(0).shape);
  }
  Status Eval(EvalContext& context) const override {
    const auto* in = context.input(0).as<uint8_t>();
    auto* out = context.output(0).mutable_as<uint8_t>();
    const int64_t count = context.output(0).shape.elements();
    for (int64_t i = 0; i < count; ++i) out[i] = in[i] == 0;
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const std::string& op = info.node().op;
  if (op == "LOGICAL_NOT") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
    return std::unique_ptr<Kernel>(std::make_unique<NotKernel>());
  }
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  const Kind kind = op == "EQUAL"           ? Kind::kEqual
                    : op == "NOT_EQUAL"     ? Kind::kNotEqual
                    : op == "LESS"          ? Kind::kLess
                    : op == "LESS_EQUAL"    ? Kind::kLessEqual
                    : op == "GREATER"       ? Kind::kGreater
                    : op == "GREATER_EQUAL" ? Kind::kGreaterEqual
                    : op == "LOGICAL_AND"   ? Kind::kAnd
                                            : Kind::kOr;
  const graph::Value* input = info.input(0);
  const bool is_quantized =
      TakesQuantized(info) && input->quantization.is_quantized();
  return std::unique_ptr<Kernel>(
      std::make_unique<CompareKernel>(kind, is_quantized));
}

}  // namespace munja::ops::compare
