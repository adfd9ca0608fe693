// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND,
// LOGICAL_OR, LOGICAL_NOT: what gives true or false.
#include <functional>
#include <memory>

#include "ops/broadcast.h"
#include "ops/op.h"
#include "ops/operands.h"

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
};

class CompareKernel final : public Kernel {
 public:
  explicit CompareKernel(Kind kind) : kind_(kind) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& a = context.input(0);
    const TensorView& b = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, b));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kBool}));
    if (kind_ == Kind::kAnd || kind_ == Kind::kOr) {
      MUNJA_RETURN_IF_ERROR(CheckType(a, "the input", {ElementType::kBool}));
    } else {
      MUNJA_RETURN_IF_ERROR(CheckType(
          a, "the input",
          {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
           ElementType::kInt16, ElementType::kInt8, ElementType::kUInt8,
           ElementType::kBool}));
    }
    if (!SameQuantization(a, b))
      return Unsupported("the inputs are quantized differently");
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           BroadcastShapes(a.shape, b.shape));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, shape));
    const Shape operands[] = {a.shape, b.shape};
    context.SetState(
        std::make_unique<CompareState>(BroadcastPlan(operands, shape)));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        Dispatch<float>(context);
        break;
      case ElementType::kInt64:
        Dispatch<int64_t>(context);
        break;
      case ElementType::kInt32:
        Dispatch<int32_t>(context);
        break;
      case ElementType::kInt16:
        Dispatch<int16_t>(context);
        break;
      case ElementType::kInt8:
        Dispatch<int8_t>(context);
        break;
      default:  // uint8 and bool
        Dispatch<uint8_t>(context);
        break;
    }
    return Status();
  }

 private:
  template <class T>
  void Dispatch(EvalContext& context) const {
    switch (kind_) {
      case Kind::kEqual:
        return Run<T>(context, std::equal_to<T>());
      case Kind::kNotEqual:
        return Run<T>(context, std::not_equal_to<T>());
      case Kind::kLess:
        return Run<T>(context, std::less<T>());
      case Kind::kLessEqual:
        return Run<T>(context, std::less_equal<T>());
      case Kind::kGreater:
        return Run<T>(context, std::greater<T>());
      case Kind::kGreaterEqual:
        return Run<T>(context, std::greater_equal<T>());
      case Kind::kAnd:
        return Run<T>(context, std::logical_and<T>());
      case Kind::kOr:
        return Run<T>(context, std::logical_or<T>());
    }
  }

  template <class T, class F>
  static void Run(EvalContext& context, const F& compare) {
    const auto& plan = static_cast<const CompareState*>(context.state())->plan;
    const T* a = context.input(0).as<T>();
    const T* b = context.input(1).as<T>();
    bool* out = context.output(0).mutable_as<bool>();
    plan.ForEachBlock(context.pool(), [&](const BroadcastBlock& block) {
      for (size_t r = 0; r < block.rows; ++r) {
        const T* x = a + block.offset[0] + r * block.row_stride[0];
        const T* y = b + block.offset[1] + r * block.row_stride[1];
        bool* to = out + block.out + r * block.cols;
        for (size_t c = 0; c < block.cols; ++c)
          to[c] =
              compare(x[c * block.col_stride[0]], y[c * block.col_stride[1]]);
      }
    });
  }

  Kind kind_;
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
  return std::unique_ptr<Kernel>(std::make_unique<CompareKernel>(kind));
}

}  // namespace munja::ops::compare
