// TILE, BROADCAST_TO, FILL, ZEROS_LIKE: outputs that repeat their input.
#include <array>

#include "ops/support/copy_plan.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"

namespace munja::ops::tile {
namespace {

class TileKernel final : public CopyKernel {
 public:
  using CopyKernel::CopyKernel;

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    const int rank = in.shape.rank();
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> multiples,
                           KnownIntegers(context, 1, "list of multiples",
                                         static_cast<size_t>(rank)));
    std::vector<int64_t> dims;
    for (int i = 0; i < rank; ++i) {
      int64_t dim;
      MUNJA_RETURN_IF_ERROR(CheckDim(multiples[i]).TakeStatus());
      dim = multiples[i] * in.shape[i];  // Both below 2^31.
      dims.push_back(dim);
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(dims));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    const std::vector<int64_t> in_strides = Strides(in.shape);
    const std::vector<int64_t> out_strides = Strides(out);
    kernels::StridedCopy copy;
    for (int i = 0; i < rank; ++i) {
      copy.Append(multiples[i], 0, in.shape[i] * out_strides[i]);
      copy.Append(in.shape[i], in_strides[i], out_strides[i]);
    }
    auto plan = std::make_unique<CopyPlan>(size);
    plan->Add(0, 0, copy);
    context.SetState(std::move(plan));
    return Status();
  }
};

class BroadcastToKernel final : public CopyKernel {
 public:
  using CopyKernel::CopyKernel;

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                           KnownIntegers(context, 1, "output shape"));
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(dims));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    const std::vector<int64_t> in_strides = Strides(in.shape);
    const std::vector<int64_t> out_strides = Strides(out);
    const int extra = out.rank() - in.shape.rank();
    kernels::StridedCopy copy;
    bool fits = extra >= 0;
    for (int i = 0; fits && i < out.rank(); ++i) {
      const int32_t dim = i < extra ? 1 : in.shape[i - extra];
      fits = dim == 1 || dim == out[i];
      copy.Append(out[i], dim == 1 ? 0 : in_strides[i - extra], out_strides[i]);
    }
    if (!fits) {
      return Malformed(in.shape.ToString() + " does not broadcast to " +
                       out.ToString());
    }
    auto plan = std::make_unique<CopyPlan>(size);
    plan->Add(0, 0, copy);
    context.SetState(std::move(plan));
    return Status();
  }
};

class FillKernel final : public CopyKernel {
 public:
  FillKernel(const NodeInfo& info, bool zeros)
      : CopyKernel(info), zeros_(zeros) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& value = context.input(zeros_ ? 0 : 1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(value, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(value));
    Shape out = value.shape;
    if (!zeros_) {
      if (value.shape.elements() != 1)
        return Malformed("the value is not a scalar");
      MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                             KnownIntegers(context, 0, "output shape"));
      MUNJA_ASSIGN_OR_RETURN(out, CheckShape(dims));
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    auto plan = std::make_unique<CopyPlan>(size);
    kernels::StridedCopy copy;
    copy.Append(out.elements(), 0, 1);
    plan->Add(zeros_ ? CopyStep::kFillValue : 1, 0, copy);
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  bool zeros_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const std::string& op = info.node().op;
  const int inputs = op == "ZEROS_LIKE" ? 1 : 2;
  MUNJA_RETURN_IF_ERROR(info.CheckArity(inputs, inputs, 1));
  std::unique_ptr<Kernel> kernel;
  if (op == "TILE") {
    kernel = std::make_unique<TileKernel>(info);
  } else if (op == "BROADCAST_TO") {
    kernel = OnNibbles(info, std::make_unique<BroadcastToKernel>(info));
  } else {
    kernel = std::make_unique<FillKernel>(info, op == "ZEROS_LIKE");
  }
  return kernel;
}

}  // namespace munja::ops::tile
