// CUMSUM: running sums along an axis.
#include <cstdint>
#include <type_traits>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::cumsum {
namespace {

struct CumsumState : State {
  int64_t outer = 1, axis = 1, inner = 1;
};

class CumsumKernel final : public Kernel {
 public:
  CumsumKernel(bool exclusive, bool reverse)
      : exclusive_(exclusive), reverse_(reverse) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_RETURN_IF_ERROR(CheckType(
        in, "the input",
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64}));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> axes,
                           KnownIntegers(context, 1, "axis", 1));
    MUNJA_ASSIGN_OR_RETURN(const int axis,
                           NormalizeAxis(axes[0], in.shape.rank()));
    auto state = std::make_unique<CumsumState>();
    for (int i = 0; i < in.shape.rank(); ++i) {
      (i < axis    ? state->outer
       : i == axis ? state->axis
                   : state->inner) *= in.shape[i];
    }
    context.SetState(std::move(state));
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        Run<float, float>(context);
        break;
      case ElementType::kInt32:
        Run<int32_t, uint32_t>(context);
        break;
      default:
        Run<int64_t, uint64_t>(context);
        break;
    }
    return Status();
  }

 private:
  // Sum: integers wrap around, which C++ only promises for unsigned.
  template <class T, class Sum>
  void Run(EvalContext& context) const {
    const auto& s = *static_cast<const CumsumState*>(context.state());
    const T* in = context.input(0).as<T>();
    T* out = context.output(0).mutable_as<T>();
    for (int64_t o = 0; o < s.outer; ++o) {
      for (int64_t i = 0; i < s.inner; ++i) {
        Sum sum = 0;
        for (int64_t k = 0; k < s.axis; ++k) {
          const int64_t at = reverse_ ? s.axis - 1 - k : k;
          const int64_t place = (o * s.axis + at) * s.inner + i;
          const Sum before = sum;
          sum += static_cast<Sum>(in[place]);
          out[place] = static_cast<T>(exclusive_ ? before : sum);
        }
      }
    }
  }

  bool exclusive_, reverse_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_ASSIGN_OR_RETURN(const bool exclusive,
                         info.attributes().Bool("exclusive", false));
  MUNJA_ASSIGN_OR_RETURN(const bool reverse,
                         info.attributes().Bool("reverse", false));
  return std::unique_ptr<Kernel>(
      std::make_unique<CumsumKernel>(exclusive, reverse));
}

}  // namespace munja::ops::cumsum
