// PACK stacks tensors along a new dimension, UNPACK takes one apart.
#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

namespace munja::ops::pack {
namespace {

// The copy between a tensor of `part` and slice number `index` of the stack.
// `packed` tells which of the two is the output.
kernels::StridedCopy SliceCopy(const Shape& part, const Shape& stack, int axis,
                               int64_t index, bool packed) {
  const std::vector<int64_t> part_strides = Strides(part);
  const std::vector<int64_t> stack_strides = Strides(stack);
  kernels::StridedCopy copy;
  for (int i = 0; i < part.rank(); ++i) {
    const int64_t other = stack_strides[i < axis ? i : i + 1];
    copy.Append(part[i], packed ? part_strides[i] : other,
                packed ? other : part_strides[i]);
  }
  (packed ? copy.out_offset : copy.in_offset) = index * stack_strides[axis];
  return copy;
}

class PackKernel final : public CopyKernel {
 public:
  PackKernel(const NodeInfo& info, int64_t axis)
      : CopyKernel(info), axis_(axis) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& first = context.input(0);
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(first));
    if (first.shape.rank() >= kMaxRank)
      return Unsupported("the output would have too many dimensions");
    MUNJA_ASSIGN_OR_RETURN(const int axis,
                           NormalizeAxis(axis_, first.shape.rank() + 1));
    Shape out;
    for (int i = 0; i <= first.shape.rank(); ++i)
      out.Append(i == axis ? context.inputs()
                           : first.shape[i < axis ? i : i - 1]);
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    auto plan = std::make_unique<CopyPlan>(size);
    for (int i = 0; i < context.inputs(); ++i) {
      const TensorView& in = context.input(i);
      MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
      if (!SameQuantization(in, context.output(0)))
        return Unsupported("inputs and output are quantized differently");
      if (in.shape != first.shape) {
        return Malformed("packs " + first.shape.ToString() + " and " +
                         in.shape.ToString());
      }
      plan->Add(i, 0, SliceCopy(in.shape, out, axis, i, true));
    }
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  int64_t axis_;
};

class UnpackKernel final : public CopyKernel {
 public:
  UnpackKernel(const NodeInfo& info, int64_t axis)
      : CopyKernel(info), axis_(axis), parts_(info.outputs()) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    MUNJA_ASSIGN_OR_RETURN(const int axis,
                           NormalizeAxis(axis_, in.shape.rank()));
    if (in.shape[axis] != parts_) {
      return Malformed("a dimension of " + std::to_string(in.shape[axis]) +
                       " does not unpack into " + std::to_string(parts_) +
                       " outputs");
    }
    Shape out;
    for (int i = 0; i < in.shape.rank(); ++i)
      if (i != axis) out.Append(in.shape[i]);
    auto plan = std::make_unique<CopyPlan>(size);
    for (int i = 0; i < parts_; ++i) {
      MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(i)));
      MUNJA_RETURN_IF_ERROR(context.SetOutputShape(i, out));
      plan->Add(0, i, SliceCopy(out, in.shape, axis, i, false));
    }
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  int64_t axis_;
  int parts_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, info.attributes().Int("axis", 0));
  if (info.node().op == "PACK") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1 << 20, 1));
    for (int i = 0; i < info.inputs(); ++i)
      if (info.input(i) == nullptr) return Malformed("an input is absent");
    return std::unique_ptr<Kernel>(std::make_unique<PackKernel>(info, axis));
  }
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, info.outputs()));
  return std::unique_ptr<Kernel>(std::make_unique<UnpackKernel>(info, axis));
}

}  // namespace munja::ops::pack
