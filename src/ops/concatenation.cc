// CONCATENATION.
#include "ops/copy_plan.h"
#include "ops/operands.h"
#include "ops/window.h"

namespace munja::ops::concatenation {
namespace {

class ConcatenationKernel final : public CopyKernel {
 public:
  ConcatenationKernel(const NodeInfo& info, int64_t axis)
      : CopyKernel(info), axis_(axis) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& first = context.input(0);
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(first));
    MUNJA_ASSIGN_OR_RETURN(const int axis,
                           NormalizeAxis(axis_, first.shape.rank()));
    int64_t total = 0;
    for (int i = 0; i < context.inputs(); ++i) {
      const TensorView& in = context.input(i);
      MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
      if (!SameQuantization(in, context.output(0)))
        return Unsupported("inputs and output are quantized differently");
      bool fits = in.shape.rank() == first.shape.rank();
      for (int k = 0; fits && k < in.shape.rank(); ++k)
        fits = k == axis || in.shape[k] == first.shape[k];
      if (!fits) {
        return Malformed("input " + std::to_string(i) + ", " +
                         in.shape.ToString() + ", does not continue " +
                         first.shape.ToString() + " along dimension " +
                         std::to_string(axis));
      }
      total += in.shape[axis];
    }
    Shape out = first.shape;
    MUNJA_ASSIGN_OR_RETURN(out[axis], CheckDim(total));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    auto plan = std::make_unique<CopyPlan>(size);
    std::vector<int64_t> start(static_cast<size_t>(out.rank()), 0);
    for (int i = 0; i < context.inputs(); ++i) {
      const Shape& in = context.input(i).shape;
      const std::vector<int64_t> box(in.dims().begin(), in.dims().end());
      plan->Add(i, 0, BoxCopy(in, {}, out, start, box));
      start[axis] += in[axis];
    }
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  int64_t axis_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1 << 20, 1));
  for (int i = 0; i < info.inputs(); ++i)
    if (info.input(i) == nullptr) return Malformed("an input is absent");
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, info.attributes().Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ParseActivation(info.attributes()));
  if (activation.kind != kernels::ActivationKind::kNone)
    return Unsupported("a fused activation");
  return std::unique_ptr<Kernel>(
      std::make_unique<ConcatenationKernel>(info, axis));
}

}  // namespace munja::ops::concatenation
