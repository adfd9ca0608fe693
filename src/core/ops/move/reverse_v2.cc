// REVERSE_V2: the input walked back along the given axes.
#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

namespace munja::ops::reverse_v2 {
namespace {

class ReverseKernel final : public CopyKernel {
 public:
  using CopyKernel::CopyKernel;

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> axes,
                           KnownIntegers(context, 1, "list of axes"));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, in.shape));
    const std::vector<int64_t> box(in.shape.dims().begin(),
                                   in.shape.dims().end());
    kernels::StridedCopy copy = BoxCopy(in.shape, {}, in.shape, {}, box);
    for (const int64_t axis : axes) {
      MUNJA_ASSIGN_OR_RETURN(const int i, NormalizeAxis(axis, in.shape.rank()));
      if (copy.in_strides[i] < 0) return Malformed("an axis is named twice");
      copy.in_offset += (copy.dims[i] - 1) * copy.in_strides[i];
      copy.in_strides[i] = -copy.in_strides[i];
    }
    auto plan = std::make_unique<CopyPlan>(size);
    plan->Add(0, 0, copy);
    context.SetState(std::move(plan));
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return std::unique_ptr<Kernel>(std::make_unique<ReverseKernel>(info));
}

}  // namespace munja::ops::reverse_v2
