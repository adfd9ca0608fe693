// SLICE: a box of the input, given by begin and size (-1: to the end).
#include "ops/support/copy_plan.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"

namespace munja::ops::slice {
namespace {

class SliceKernel final : public CopyKernel {
 public:
  using CopyKernel::CopyKernel;

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    const auto rank = static_cast<size_t>(in.shape.rank());
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> begin,
                           KnownIntegers(context, 1, "begin", rank));
    MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> box,
                           KnownIntegers(context, 2, "size", rank));
    Shape out;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t dim = in.shape[static_cast<int>(i)];
      if (begin[i] >= 0 && begin[i] <= dim && box[i] == -1)
        box[i] = dim - begin[i];
      if (begin[i] < 0 || begin[i] > dim || box[i] < 0 ||
          box[i] > dim - begin[i]) {
        return Malformed("takes " + std::to_string(box[i]) + " from " +
                         std::to_string(begin[i]) + " of a dimension of " +
                         std::to_string(dim));
      }
      out.Append(static_cast<int32_t>(box[i]));
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    auto plan = std::make_unique<CopyPlan>(size);
    plan->Add(0, 0, BoxCopy(in.shape, begin, out, {}, box));
    context.SetState(std::move(plan));
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  return OnNibbles(info, std::make_unique<SliceKernel>(info));
}

}  // namespace munja::ops::slice
