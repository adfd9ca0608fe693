// Products of many matrices, both known only when the model runs.
#ifndef MUNJA_KERNELS_GEMM_BATCH_MATMUL_H_
#define MUNJA_KERNELS_GEMM_BATCH_MATMUL_H_

#include <cstddef>
#include <span>

#include "base/status.h"
#include "base/thread_pool.h"

namespace munja::kernels {

struct BatchMatMulShape {
  size_t m = 0, k = 0, n = 0;
  bool adj_x = false;  // x is stored k x m, not m x k.
  bool adj_y = false;  // y is stored n x k, not k x n.
};

// Bytes of scratch memory that BatchMatMul wants. kOutOfMemory.
Result<size_t> BatchMatMulScratchBytes(const BatchMatMulShape& shape,
                                       size_t batches, int threads);

// out[b] = x[x_of[b]] * y[y_of[b]] for each b; out[b] is m x n. The indices
// count whole matrices, so that a broadcast one is named more than once.
void BatchMatMul(const BatchMatMulShape& shape, const float* x, const float* y,
                 std::span<const size_t> x_of, std::span<const size_t> y_of,
                 float* out, void* scratch, ThreadPool& pool);

namespace reference {
// Sums in double precision.
void BatchMatMul(const BatchMatMulShape& shape, const float* x, const float* y,
                 std::span<const size_t> x_of, std::span<const size_t> y_of,
                 float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_BATCH_MATMUL_H_
