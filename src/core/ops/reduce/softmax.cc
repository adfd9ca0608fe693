// SOFTMAX and LOG_SOFTMAX over the last dimension.
#include "kernels/reduce/softmax.h"

#include <algorithm>

#include "ops/op.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/quantized/quantized_softmax.h"

namespace munja::ops::softmax {
namespace {

class SoftmaxKernel final : public Kernel {
 public:
  SoftmaxKernel(bool is_log, float beta, bool reference_kernels)
      : is_log_(is_log), beta_(beta), use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    if (in.shape.rank() < 1) return Malformed("the input is a scalar");
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& in = context.input(0);
    const auto cols = static_cast<size_t>(in.shape.back());
    if (cols == 0) return Status();
    const size_t rows = static_cast<size_t>(in.shape.elements()) / cols;
    const float* from = in.as<float>();
    float* to = context.output(0).mutable_as<float>();
    constexpr size_t kGrain = size_t{1} << 13;
    context.pool().ParallelFor(rows, std::max<size_t>(1, kGrain / cols),
                               [&](size_t begin, size_t end, int) {
                                 for (size_t r = begin; r < end; ++r)
                                   Row(from + r * cols, cols, to + r * cols);
                               });
    return Status();
  }

 private:
  void Row(const float* in, size_t count, float* out) const {
    if (is_log_) {
      use_reference_ ? kernels::reference::LogSoftmax(in, count, out)
                     : kernels::LogSoftmax(in, count, out);
    } else {
      use_reference_ ? kernels::reference::Softmax(in, count, beta_, out)
                     : kernels::Softmax(in, count, beta_, out);
    }
  }

  bool is_log_;
  float beta_;
  bool use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double beta,
                         info.attributes().Float("beta", 1.0));
  if (!(beta >= 0.0)) return Malformed("beta is negative");
  const bool is_log = info.node().op == "LOG_SOFTMAX";
  if (TakesQuantized(info)) {
    return MakeQuantizedSoftmax(is_log,
                                is_log ? 1.0f : static_cast<float>(beta));
  }
  return OnHalves(
      info, std::make_unique<SoftmaxKernel>(is_log, static_cast<float>(beta),
                                            info.options().reference_kernels));
}

}  // namespace munja::ops::softmax
