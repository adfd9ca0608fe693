// BITCAST: the same bytes as elements of another type.
#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

namespace munja::ops::bitcast {
namespace {

class BitcastKernel final : public CopyKernel {
 public:
  using CopyKernel::CopyKernel;

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_ASSIGN_OR_RETURN(const size_t from, MovableSize(in));
    MUNJA_ASSIGN_OR_RETURN(const size_t to, MovableSize(context.output(0)));
    // Wider elements take up the last dimension, narrower ones make one.
    std::vector<int64_t> dims(in.shape.dims().begin(), in.shape.dims().end());
    if (to > from) {
      const auto parts = static_cast<int64_t>(to / from);
      if (dims.empty() || dims.back() != parts) {
        return Malformed("the last dimension of " + in.shape.ToString() +
                         " is not the " + std::to_string(parts) +
                         " parts of an element");
      }
      dims.pop_back();
    } else if (to < from) {
      dims.push_back(static_cast<int64_t>(from / to));
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(dims));
    auto plan = std::make_unique<CopyPlan>(1);
    plan->AddWhole(0, 0, in.shape.elements() * static_cast<int64_t>(from));
    context.SetState(std::move(plan));
    return context.SetOutputShape(0, shape);
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  return std::unique_ptr<Kernel>(std::make_unique<BitcastKernel>(info));
}

}  // namespace munja::ops::bitcast
