// ADD_N: the sum of any number of tensors of one shape.
#include <cstdint>
#include <cstring>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::add_n {
namespace {

class AddNKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& first = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(
        first, "the input", {ElementType::kFloat32, ElementType::kInt32}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(first, context.output(0)));
    for (int i = 1; i < context.inputs(); ++i) {
      const TensorView& in = context.input(i);
      MUNJA_RETURN_IF_ERROR(CheckSameType(first, in));
      if (in.shape != first.shape) {
        return Malformed("adds " + in.shape.ToString() + " to " +
                         first.shape.ToString());
      }
    }
    return context.SetOutputShape(0, first.shape);
  }

  Status Eval(EvalContext& context) const override {
    if (context.output(0).type == ElementType::kFloat32) {
      Run<float, float>(context);
    } else {
      Run<int32_t, uint32_t>(context);
    }
    return Status();
  }

 private:
  // Sum: integers wrap around, which C++ only promises for unsigned.
  template <class T, class Sum>
  static void Run(EvalContext& context) {
    T* out = context.output(0).mutable_as<T>();
    const auto count = static_cast<size_t>(context.output(0).shape.elements());
    context.pool().ParallelFor(
        count, size_t{1} << 14, [&](size_t begin, size_t end, int) {
          const T* first = context.input(0).as<T>();
          for (size_t i = begin; i < end; ++i) out[i] = first[i];
          for (int k = 1; k < context.inputs(); ++k) {
            const T* in = context.input(k).as<T>();
            for (size_t i = begin; i < end; ++i)
              out[i] = static_cast<T>(static_cast<Sum>(out[i]) +
                                      static_cast<Sum>(in[i]));
          }
        });
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1 << 20, 1));
  for (int i = 0; i < info.inputs(); ++i)
    if (info.input(i) == nullptr) return Malformed("an input is absent");
  return std::unique_ptr<Kernel>(std::make_unique<AddNKernel>());
}

}  // namespace munja::ops::add_n
