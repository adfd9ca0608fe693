// Matrix product of 16-bit integers with exact sums: the heart of quantized
// convolutions and fully connected layers. Operands come with their zero
// points already subtracted, so that one kernel serves every 8-bit scheme and
// int16 activations with 8-bit weights.
#ifndef MUNJA_KERNELS_INT_GEMM_H_
#define MUNJA_KERNELS_INT_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "kernels/output_stage.h"

namespace munja::kernels {

// A k x n matrix in the order in which the kernels read it: panels of two
// vectors' width (the last one may be one vector wide), each of ceil(k / 2)
// rows of pairs; what lies past k and n is 0. Values lie in [-255, 255]. Only
// the SIMD target that was in use when it was packed can read it.
struct IntMatrixView {
  const int16_t* packed = nullptr;
  size_t k = 0, n = 0;
};

// Rows of the left operand are this long: k, made even with a 0.
inline size_t PaddedDepth(size_t k) { return k + (k & 1); }

// Elements that PackIntMatrix writes, on any target at most
// PaddedDepth(k) * (n + 63).
size_t PackedIntElements(size_t k, size_t n);
// b[row * k_stride + column * n_stride] is the element at row < k, column < n.
// `packed` is aligned to 64 bytes.
void PackIntMatrix(const int16_t* b, size_t k, size_t n, size_t k_stride,
                   size_t n_stride, int16_t* packed);
// Panels of a matrix with n columns.
size_t IntPanelCount(size_t n);

// Rows that MultiplyIntBlock takes at most.
inline constexpr size_t kIntBlockRows = 48;

// The columns of panels [first_panel, end_panel) of a * b go through the
// stage, whose column 0 is `column` columns before that of b. a has `rows`
// rows of PaddedDepth(k) values every `lda` (if k is odd, the last one counts
// for nothing but must exist).
void MultiplyIntBlock(const int16_t* a, size_t lda, size_t rows,
                      const IntMatrixView& b, size_t first_panel,
                      size_t end_panel, size_t column, const RowTarget* targets,
                      const OutputStage& stage);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_INT_GEMM_H_
