// SELECT and SELECT_V2: from x where the condition holds, else from y.
#include <cstring>
#include <memory>

#include "ops/op.h"
#include "ops/support/broadcast.h"
#include "ops/support/operands.h"

namespace munja::ops::select {
namespace {

struct SelectState : State {
  SelectState(BroadcastPlan p, size_t s) : plan(p), size(s) {}
  BroadcastPlan plan;
  size_t size;
};

class SelectKernel final : public Kernel {
 public:
  explicit SelectKernel(bool broadcasts) : broadcasts_(broadcasts) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& x = context.input(1);
    const TensorView& y = context.input(2);
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.input(0), "the condition", {ElementType::kBool}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(x, y));
    MUNJA_RETURN_IF_ERROR(CheckSameType(x, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(x));
    Shape condition = context.input(0).shape;
    Shape shape = x.shape;
    if (broadcasts_) {
      MUNJA_ASSIGN_OR_RETURN(shape, BroadcastShapes(x.shape, y.shape));
      MUNJA_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, condition));
    } else {
      if (x.shape != y.shape)
        return Malformed("chooses between different shapes");
      // A list chooses whole rows of the first dimension.
      if (condition.rank() == 1 && shape.rank() > 1 &&
          condition[0] == shape[0]) {
        while (condition.rank() < shape.rank()) condition.Append(1);
      }
      if (condition != shape && condition.elements() != 1 &&
          condition.rank() != shape.rank()) {
        return Malformed("the condition " + condition.ToString() +
                         " does not fit " + shape.ToString());
      }
      MUNJA_ASSIGN_OR_RETURN(const Shape all,
                             BroadcastShapes(shape, condition));
      if (all != shape) {
        return Malformed("the condition " + condition.ToString() +
                         " does not fit " + shape.ToString());
      }
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, shape));
    const Shape operands[] = {condition, x.shape, y.shape};
    context.SetState(
        std::make_unique<SelectState>(BroadcastPlan(operands, shape), size));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const SelectState*>(context.state());
    const auto* condition = context.input(0).as<uint8_t>();
    const auto* x = context.input(1).as<uint8_t>();
    const auto* y = context.input(2).as<uint8_t>();
    auto* out = context.output(0).mutable_as<uint8_t>();
    const size_t size = state.size;
    state.plan.ForEachBlock(context.pool(), [&](const BroadcastBlock& block) {
      for (size_t r = 0; r < block.rows; ++r) {
        size_t at[3];
        for (int k = 0; k < 3; ++k)
          at[k] = block.offset[k] + r * block.row_stride[k];
        uint8_t* to = out + (block.out + r * block.cols) * size;
        for (size_t c = 0; c < block.cols; ++c) {
          const bool first = condition[at[0] + c * block.col_stride[0]] != 0;
          const uint8_t* from =
              first ? x + (at[1] + c * block.col_stride[1]) * size
                    : y + (at[2] + c * block.col_stride[2]) * size;
          std::memcpy(to + c * size, from, size);
        }
      }
    });
    return Status();
  }

 private:
  bool broadcasts_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  return std::unique_ptr<Kernel>(
      std::make_unique<SelectKernel>(info.node().op == "SELECT_V2"));
}

}  // namespace munja::ops::select
