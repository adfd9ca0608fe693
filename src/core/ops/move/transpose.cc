// TRANSPOSE.
#include "ops/support/copy_plan.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"

namespace munja::ops::transpose {
namespace {

class TransposeKernel final : public CopyKernel {
 public:
  using CopyKernel::CopyKernel;

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    const int rank = in.shape.rank();
    MUNJA_ASSIGN_OR_RETURN(
        const std::vector<int64_t> order,
        KnownIntegers(context, 1, "permutation", static_cast<size_t>(rank)));
    const std::vector<int64_t> in_strides = Strides(in.shape);
    Shape out;
    std::vector<int> axes;
    unsigned seen = 0;
    for (const int64_t axis : order) {
      MUNJA_ASSIGN_OR_RETURN(const int i, NormalizeAxis(axis, rank));
      seen |= 1u << i;
      axes.push_back(i);
      out.Append(in.shape[i]);
    }
    if (seen != (1u << rank) - 1)
      return Malformed("the permutation names a dimension twice");
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    const std::vector<int64_t> out_strides = Strides(out);
    kernels::StridedCopy copy;
    for (int i = 0; i < rank; ++i)
      copy.Append(out[i], in_strides[axes[i]], out_strides[i]);
    auto plan = std::make_unique<CopyPlan>(size);
    plan->Add(0, 0, copy);
    context.SetState(std::move(plan));
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return OnNibbles(info, std::make_unique<TransposeKernel>(info));
}

}  // namespace munja::ops::transpose
