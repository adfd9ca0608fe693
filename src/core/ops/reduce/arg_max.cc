// ARG_MAX and ARG_MIN: where along an axis the first extreme stands.
#include "kernels/reduce/arg_max.h"

#include <algorithm>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::arg_max {
namespace {

struct ArgMaxState : State {
  size_t outer = 1, axis = 1, inner = 1;
};

class ArgMaxKernel final : public Kernel {
 public:
  ArgMaxKernel(bool is_min, bool reference_kernels)
      : is_min_(is_min), use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(
        CheckType(in, "the input",
                  {ElementType::kFloat32, ElementType::kInt32,
                   ElementType::kInt64, ElementType::kInt16, ElementType::kInt8,
                   ElementType::kUInt8, ElementType::kBool}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output",
                  {ElementType::kInt32, ElementType::kInt64}));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> axes,
                           KnownIntegers(context, 1, "axis", 1));
    MUNJA_ASSIGN_OR_RETURN(const int axis,
                           NormalizeAxis(axes[0], in.shape.rank()));
    if (in.shape[axis] == 0)
      return Malformed("looks for the extreme of nothing");
    auto state = std::make_unique<ArgMaxState>();
    Shape out;
    for (int i = 0; i < in.shape.rank(); ++i) {
      (i < axis    ? state->outer
       : i == axis ? state->axis
                   : state->inner) *= static_cast<size_t>(in.shape[i]);
      if (i != axis) out.Append(in.shape[i]);
    }
    context.SetState(std::move(state));
    return context.SetOutputShape(0, out);
  }

  Status Eval(EvalContext& context) const override {
    if (context.output(0).type == ElementType::kInt32) {
      Dispatch<int32_t>(context);
    } else {
      Dispatch<int64_t>(context);
    }
    return Status();
  }

 private:
  template <class Index>
  void Dispatch(EvalContext& context) const {
    // The last one: uint8 and bool.
    return ByType<float, int32_t, int64_t, int16_t, int8_t, uint8_t>(
        context.input(0).type,
        [&]<class T>() { return Run<T, Index>(context); });
  }

  template <class T, class Index>
  void Run(EvalContext& context) const {
    const auto& s = *static_cast<const ArgMaxState*>(context.state());
    const T* in = context.input(0).as<T>();
    Index* out = context.output(0).mutable_as<Index>();
    context.pool().ParallelFor(
        s.outer * s.inner, std::max<size_t>(1, (size_t{1} << 14) / s.axis),
        [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            const T* row = in + i / s.inner * s.axis * s.inner + i % s.inner;
            out[i] = static_cast<Index>(Row(row, s.axis, s.inner));
          }
        });
  }

  template <class T>
  size_t Row(const T* row, size_t count, size_t stride) const {
    if constexpr (std::is_same_v<T, float>) {
      if (stride == 1 && !is_min_ && !use_reference_)
        return kernels::ArgMax(row, count).index;
    }
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
      const T value = row[i * stride], top = row[best * stride];
      // Every number beats NaN.
      if ((is_min_ ? value < top : value > top) ||
          (top != top && value == value)) {
        best = i;
      }
    }
    return best;
  }

  bool is_min_, use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return std::unique_ptr<Kernel>(std::make_unique<ArgMaxKernel>(
      info.node().op == "ARG_MIN", info.options().reference_kernels));
}

}  // namespace munja::ops::arg_max
