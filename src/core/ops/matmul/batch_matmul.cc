// BATCH_MATMUL: x [..., m, k] times y [..., k, n]; the dimensions before are
// broadcast, adj_x and adj_y swap the last two.
#include "kernels/gemm/batch_matmul.h"

#include <memory>
#include <utility>

#include "ops/matmul/batch_matmul_int.h"
#include "ops/op.h"
#include "ops/support/linear/batch_matmul_plan.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops::batch_matmul {
namespace {

struct MatMulState final : State {
  BatchMatMulPlan plan;
};

class BatchMatMulKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    auto state = std::make_unique<MatMulState>();
    MUNJA_ASSIGN_OR_RETURN(
        state->plan, PlanBatchMatMul(context.input(0).shape,
                                     context.input(1).shape, adj_x_, adj_y_));
    const BatchMatMulPlan& plan = state->plan;
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, plan.output));
    if (!use_reference_) {
      MUNJA_ASSIGN_OR_RETURN(
          const size_t bytes,
          kernels::BatchMatMulScratchBytes(plan.shape, plan.x_of.size(),
                                           context.threads()));
      context.RequestScratch(bytes);
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const BatchMatMulPlan& s =
        static_cast<const MatMulState*>(context.state())->plan;
    const float* x = context.input(0).as<float>();
    const float* y = y_.exists() ? y_.data() : context.input(1).as<float>();
    float* out = context.output(0).mutable_as<float>();
    if (use_reference_) {
      kernels::reference::BatchMatMul(s.shape, x, y, s.x_of, s.y_of, out);
    } else {
      kernels::BatchMatMul(s.shape, x, y, s.x_of, s.y_of, out,
                           context.scratch(), context.pool());
    }
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * inputs[0].shape.back(adj_x_ ? 1 : 0);
  }

  size_t packed_bytes() const override { return y_.bytes(); }

  bool adj_x_ = false, adj_y_ = false, use_reference_ = false;
  FloatConstant y_;  // A constant right operand, as float32.
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  if (info.input(1) != nullptr && IsQuantizedType(info.input(1)->type))
    return MakeBatchMatMulInt(info);
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "a left operand"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<BatchMatMulKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->adj_x_,
                         info.attributes().Bool("adj_x", false));
  MUNJA_ASSIGN_OR_RETURN(kernel->adj_y_,
                         info.attributes().Bool("adj_y", false));
  kernel->use_reference_ = info.options().reference_kernels;
  if (info.input(1) == nullptr) return Malformed("has no right operand");
  if (info.input(1)->constant) {
    MUNJA_ASSIGN_OR_RETURN(kernel->y_, FloatConstant::Read(info, 1, "weights"));
  } else {
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 1, "a right operand"));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::batch_matmul
