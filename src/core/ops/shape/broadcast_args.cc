// BROADCAST_ARGS: the shape to which tensors of two shapes broadcast, as data.
#include <algorithm>
#include <cstdint>
#include <string>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::broadcast_args {
namespace {

class BroadcastArgsKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& a = context.input(0);
    const TensorView& b = context.input(1);
    MUNJA_RETURN_IF_ERROR(
        CheckType(a, "a shape", {ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, b));
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, context.output(0)));
    if (a.shape.rank() != 1 || b.shape.rank() != 1)
      return Malformed("a shape is no vector");
    return context.SetOutputShape(0, Shape{std::max(a.shape[0], b.shape[0])});
  }
  Status Eval(EvalContext& context) const override {
    return context.input(0).type == ElementType::kInt32 ? Run<int32_t>(context)
                                                        : Run<int64_t>(context);
  }

 private:
  template <class T>
  static Status Run(EvalContext& context) {
    const T* a = context.input(0).as<T>();
    const T* b = context.input(1).as<T>();
    T* out = context.output(0).mutable_as<T>();
    const int32_t a_rank = context.input(0).shape[0];
    const int32_t b_rank = context.input(1).shape[0];
    const int32_t rank = std::max(a_rank, b_rank);
    // Aligned at the end.
    for (int32_t i = 1; i <= rank; ++i) {
      const T x = i <= a_rank ? a[a_rank - i] : 1;
      const T y = i <= b_rank ? b[b_rank - i] : 1;
      if (x != y && x != 1 && y != 1)
        return InvalidArgument("dimensions of " + std::to_string(x) + " and " +
                               std::to_string(y) + " do not broadcast");
      out[rank - i] = x == 1 ? y : x;
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return std::unique_ptr<Kernel>(std::make_unique<BroadcastArgsKernel>());
}

}  // namespace munja::ops::broadcast_args
