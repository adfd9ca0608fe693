// RANGE: start, start + delta, ... below limit.
#include <cmath>
#include <cstdint>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::range {
namespace {

class RangeKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& start = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(
        start, "the start",
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(start, context.output(0)));
    for (int i = 0; i < 3; ++i) {
      const TensorView& view = context.input(i);
      MUNJA_RETURN_IF_ERROR(CheckSameType(start, view));
      if (view.shape.elements() != 1) return Malformed("a bound is no scalar");
      if (view.data == nullptr)
        return NeedsValues("the length is not known before the run");
    }
    MUNJA_ASSIGN_OR_RETURN(const int64_t length, Length(context));
    MUNJA_ASSIGN_OR_RETURN(const int32_t dim, CheckDim(length));
    return context.SetOutputShape(0, Shape{dim});
  }

  Status Eval(EvalContext& context) const override {
    ByType<float, int32_t, int64_t>(
        context.input(0).type, [&]<class T>() { return Fill<T>(context); });
    return Status();
  }

 private:
  static Result<int64_t> Length(const PrepareContext& context) {
    if (context.input(0).type == ElementType::kFloat32) {
      const double start = *context.input(0).as<float>();
      const double limit = *context.input(1).as<float>();
      const double delta = *context.input(2).as<float>();
      const double length = std::ceil((limit - start) / delta);
      if (!(delta != 0.0) || !(length >= 0.0) || length > 0x1p31)
        return Malformed("the step does not lead to the limit");
      return static_cast<int64_t>(length);
    }
    MUNJA_ASSIGN_OR_RETURN(const auto start,
                           KnownIntegers(context, 0, "start"));
    MUNJA_ASSIGN_OR_RETURN(const auto limit,
                           KnownIntegers(context, 1, "limit"));
    MUNJA_ASSIGN_OR_RETURN(const auto delta, KnownIntegers(context, 2, "step"));
    int64_t distance;
    if (delta[0] == 0 || delta[0] == INT64_MIN ||
        __builtin_sub_overflow(limit[0], start[0], &distance) ||
        (distance != 0 && (distance > 0) != (delta[0] > 0))) {
      return Malformed("the step does not lead to the limit");
    }
    return distance / delta[0] + (distance % delta[0] != 0 ? 1 : 0);
  }

  template <class T>
  static void Fill(EvalContext& context) {
    const T start = *context.input(0).as<T>();
    const T delta = *context.input(2).as<T>();
    T* out = context.output(0).mutable_as<T>();
    const int64_t count = context.output(0).shape.elements();
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<T>(start + static_cast<T>(i) * delta);
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  return std::unique_ptr<Kernel>(std::make_unique<RangeKernel>());
}

}  // namespace munja::ops::range
