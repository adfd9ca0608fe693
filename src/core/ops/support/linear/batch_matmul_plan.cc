#include "ops/support/linear/batch_matmul_plan.h"

#include <algorithm>
#include <cstdint>

namespace munja::ops {
namespace {

// Size of batch dimension i of `rank` ones counted from the front, 1 where the
// tensor has fewer.
int32_t BatchDim(const Shape& shape, int i, int rank) {
  const int own = i - (rank - (shape.rank() - 2));
  return own < 0 ? 1 : shape[own];
}

void FillTables(const Shape& x, const Shape& y, int rank, int64_t batches,
                BatchMatMulPlan& plan) {
  for (int64_t b = 0; b < batches; ++b) {
    size_t x_index = 0, y_index = 0, x_step = 1, y_step = 1;
    int64_t rest = b;
    for (int i = rank - 1; i >= 0; --i) {
      const auto at = static_cast<size_t>(rest % plan.output[i]);
      rest /= plan.output[i];
      const int32_t x_dim = BatchDim(x, i, rank), y_dim = BatchDim(y, i, rank);
      if (x_dim != 1) x_index += at * x_step;
      if (y_dim != 1) y_index += at * y_step;
      x_step *= static_cast<size_t>(x_dim);
      y_step *= static_cast<size_t>(y_dim);
    }
    plan.x_of.push_back(x_index);
    plan.y_of.push_back(y_index);
  }
}

}  // namespace

Result<BatchMatMulPlan> PlanBatchMatMul(const Shape& x, const Shape& y,
                                        bool adj_x, bool adj_y) {
  const auto misfit = [&] {
    return Malformed("matrices of shapes " + x.ToString() + " and " +
                     y.ToString() + " cannot be multiplied");
  };
  if (x.rank() < 2 || y.rank() < 2 || x.elements() < 0 || y.elements() < 0)
    return misfit();
  const int32_t k = x.back(adj_x ? 1 : 0);
  if (k != y.back(adj_y ? 0 : 1)) return misfit();
  BatchMatMulPlan plan;
  plan.shape = {static_cast<size_t>(x.back(adj_x ? 0 : 1)),
                static_cast<size_t>(k),
                static_cast<size_t>(y.back(adj_y ? 1 : 0)), adj_x, adj_y};
  const int rank = std::max(x.rank(), y.rank()) - 2;
  Shape& out = plan.output;
  for (int i = 0; i < rank; ++i) {
    const int32_t a = BatchDim(x, i, rank), b = BatchDim(y, i, rank);
    if (a != b && a != 1 && b != 1) return misfit();
    out.Append(a == 1 ? b : a);
  }
  const int64_t batches = out.elements();
  out.Append(static_cast<int32_t>(plan.shape.m));
  out.Append(static_cast<int32_t>(plan.shape.n));
  // The tables are no longer than the output.
  if (out.elements() < 0) return misfit();
  if (out.elements() > 0) FillTables(x, y, rank, batches, plan);
  return plan;
}

}  // namespace munja::ops
