// Sizes and pairs of the matrices that BATCH_MATMUL multiplies.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_BATCH_MATMUL_PLAN_H_
#define MUNJA_OPS_SUPPORT_LINEAR_BATCH_MATMUL_PLAN_H_

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "kernels/gemm/batch_matmul.h"
#include "tensor/shape.h"

namespace munja::ops {

struct BatchMatMulPlan {
  kernels::BatchMatMulShape shape;
  Shape output;
  // Which matrix of x and y makes matrix b of the output; empty when the
  // output is.
  std::vector<size_t> x_of, y_of;
};

// x [..., m, k] (k, m with adj_x) times y [..., k, n] (n, k with adj_y); the
// dimensions before are broadcast. kMalformed when they do not fit.
Result<BatchMatMulPlan> PlanBatchMatMul(const Shape& x, const Shape& y,
                                        bool adj_x, bool adj_y);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_BATCH_MATMUL_PLAN_H_
