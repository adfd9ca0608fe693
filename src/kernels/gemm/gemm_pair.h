// Two matrix products in a row whose middle never leaves the cache: the
// expanding and the projecting 1x1 convolution of a block of a network.
#ifndef MUNJA_KERNELS_GEMM_GEMM_PAIR_H_
#define MUNJA_KERNELS_GEMM_GEMM_PAIR_H_

#include <cstddef>

#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {

// first.n == second.k. The first epilogue has no residual.
struct GemmPairShape {
  MatrixView first, second;
  Epilogue first_epilogue, second_epilogue;
};

// Bytes of scratch memory (64-byte aligned) that GemmPair wants for a middle
// of `middle` columns. kOutOfMemory when that does not fit memory.
Result<size_t> GemmPairScratchBytes(size_t middle, int threads);

// c = second_epilogue(first_epilogue(a * first) * second) for the m rows of a,
// which lie lda floats apart; rows of c and of the residual ldc. A sum runs
// over its terms in order, so neither m nor threads change a result: it is
// that of two calls of Gemm.
void GemmPair(const float* a, size_t lda, size_t m, const GemmPairShape& pair,
              float* c, size_t ldc, void* scratch, ThreadPool& pool);

namespace reference {
// Matrices are not packed: first[i * middle + j], second[j * n + l]. Sums in
// double precision, the middle rounded to float.
void GemmPair(const float* a, size_t lda, size_t m, const float* first,
              size_t k, size_t middle, const Epilogue& first_epilogue,
              const float* second, size_t n, const Epilogue& second_epilogue,
              float* c, size_t ldc);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_GEMM_PAIR_H_
