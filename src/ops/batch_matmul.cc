// BATCH_MATMUL: x [..., m, k] times y [..., k, n]; the dimensions before are
// broadcast, adj_x and adj_y swap the last two.
#include "kernels/batch_matmul.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/float_constant.h"
#include "ops/op.h"

namespace munja::ops::batch_matmul {
namespace {

struct MatMulState final : State {
  kernels::BatchMatMulShape shape;
  // Which matrix of x and y makes matrix b of the output.
  std::vector<size_t> x_of, y_of;
};

// Size of batch dimension i of `rank` ones counted from the front, 1 where the
// tensor has fewer.
int32_t BatchDim(const Shape& shape, int i, int rank) {
  const int own = i - (rank - (shape.rank() - 2));
  return own < 0 ? 1 : shape[own];
}

class BatchMatMulKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& x = context.input(0).shape;
    const Shape& y = context.input(1).shape;
    auto misfit = [&] {
      return Malformed("matrices of shapes " + x.ToString() + " and " +
                       y.ToString() + " cannot be multiplied");
    };
    if (x.rank() < 2 || y.rank() < 2 || x.elements() < 0 || y.elements() < 0)
      return misfit();
    const int32_t k = x.back(adj_x_ ? 1 : 0);
    if (k != y.back(adj_y_ ? 0 : 1)) return misfit();
    auto state = std::make_unique<MatMulState>();
    state->shape = {
        static_cast<size_t>(x.back(adj_x_ ? 0 : 1)), static_cast<size_t>(k),
        static_cast<size_t>(y.back(adj_y_ ? 1 : 0)), adj_x_, adj_y_};
    const int rank = std::max(x.rank(), y.rank()) - 2;
    Shape out;
    for (int i = 0; i < rank; ++i) {
      const int32_t a = BatchDim(x, i, rank), b = BatchDim(y, i, rank);
      if (a != b && a != 1 && b != 1) return misfit();
      out.Append(a == 1 ? b : a);
    }
    const int64_t batches = out.elements();
    out.Append(static_cast<int32_t>(state->shape.m));
    out.Append(static_cast<int32_t>(state->shape.n));
    // The tables below are no longer than the output.
    if (out.elements() < 0) return misfit();
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (out.elements() > 0) FillTables(x, y, out, rank, batches, *state);
    if (!use_reference_) {
      MUNJA_ASSIGN_OR_RETURN(
          const size_t bytes,
          kernels::BatchMatMulScratchBytes(state->shape, state->x_of.size(),
                                           context.threads()));
      context.RequestScratch(bytes);
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const MatMulState*>(context.state());
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

 private:
  static void FillTables(const Shape& x, const Shape& y, const Shape& out,
                         int rank, int64_t batches, MatMulState& state) {
    for (int64_t b = 0; b < batches; ++b) {
      size_t x_index = 0, y_index = 0, x_step = 1, y_step = 1;
      int64_t rest = b;
      for (int i = rank - 1; i >= 0; --i) {
        const size_t at = static_cast<size_t>(rest % out[i]);
        rest /= out[i];
        const int32_t x_dim = BatchDim(x, i, rank),
                      y_dim = BatchDim(y, i, rank);
        if (x_dim != 1) x_index += at * x_step;
        if (y_dim != 1) y_index += at * y_step;
        x_step *= static_cast<size_t>(x_dim);
        y_step *= static_cast<size_t>(y_dim);
      }
      state.x_of.push_back(x_index);
      state.y_of.push_back(y_index);
    }
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "a left operand"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<BatchMatMulKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->adj_x_,
                         info.attributes().Bool("adj_x", false));
  MUNJA_ASSIGN_OR_RETURN(kernel->adj_y_,
                         info.attributes().Bool("adj_y", false));
  kernel->use_reference_ = info.options().use_reference;
  if (info.input(1) == nullptr) return Malformed("has no right operand");
  if (info.input(1)->constant) {
    MUNJA_ASSIGN_OR_RETURN(kernel->y_, FloatConstant::Read(info, 1, "weights"));
  } else {
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 1, "a right operand"));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::batch_matmul
