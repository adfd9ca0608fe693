// WHERE: the indices of all elements that are not zero, in order, as rows.
#include <cstdint>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::where {
namespace {

class WhereKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(
        CheckType(in, "the condition",
                  {ElementType::kBool, ElementType::kFloat32,
                   ElementType::kInt32, ElementType::kInt64, ElementType::kInt8,
                   ElementType::kUInt8, ElementType::kUInt32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the index list", {ElementType::kInt64}));
    if (in.shape.rank() < 1) return Malformed("the condition is a scalar");
    context.DeferOutputShape(0);
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Run<float>(context);
      case ElementType::kInt32:
      case ElementType::kUInt32:
        return Run<uint32_t>(context);
      case ElementType::kInt64:
        return Run<uint64_t>(context);
      default:
        return Run<uint8_t>(context);
    }
  }

 private:
  template <class T>
  static Status Run(EvalContext& context) {
    const TensorView& view = context.input(0);
    const T* in = view.as<T>();
    const int64_t elements = view.shape.elements();
    const int rank = view.shape.rank();
    int64_t count = 0;
    for (int64_t i = 0; i < elements; ++i) count += in[i] != T{0};
    MUNJA_ASSIGN_OR_RETURN(const int32_t rows, CheckDim(count));
    MUNJA_RETURN_IF_ERROR(context.ResizeOutput(0, Shape{rows, rank}));
    auto* out = context.output(0).mutable_as<int64_t>();
    for (int64_t i = 0; i < elements; ++i) {
      if (in[i] == T{0}) continue;
      int64_t rest = i;
      for (int d = rank - 1; d >= 0; --d) {
        out[d] = rest % view.shape[d];
        rest /= view.shape[d];
      }
      out += rank;
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  return std::unique_ptr<Kernel>(std::make_unique<WhereKernel>());
}

}  // namespace munja::ops::where
