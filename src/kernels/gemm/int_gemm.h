// Matrix product of integers with exact sums: the heart of quantized
// convolutions and fully connected layers. One kernel serves every 8-bit
// scheme and int16 activations with 8-bit weights.
#ifndef MUNJA_KERNELS_GEMM_INT_GEMM_H_
#define MUNJA_KERNELS_GEMM_INT_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/int_operand.h"
#include "kernels/quant/output_stage.h"

namespace munja::kernels {

// A k x n matrix in the order in which the kernels read it. Its rows are
// those of `pieces` pieces of `length`; k is their sum. Only the SIMD target
// that was in use when it was packed can read it.
struct IntMatrixView {
  const int32_t* packed = nullptr;
  size_t pieces = 1, length = 0, n = 0;
  IntFormat format = IntFormat::kPairs;
  size_t k() const { return pieces * length; }
  // Words (groups of elements that a lane multiplies at once) of one row.
  size_t words() const { return pieces * IntWords(format, length); }
};

// int32 that PackIntMatrix writes for a matrix of those sizes and format; on
// any target at most (words() + 2) * (n + 63).
size_t PackedIntWords(const IntMatrixView& sizes);
// b[row * k_stride + column * n_stride] is the element at row < k, column < n.
// Values lie in [-255, 255]; where the left operand has bytes, in
// [-128, 127]. `packed` is aligned to 64 bytes.
void PackIntMatrix(const int16_t* b, const IntMatrixView& sizes,
                   size_t k_stride, size_t n_stride, int32_t* packed);
// Columns of which one vector holds the sums.
size_t IntVectorColumns();
// Panels of a matrix with n columns.
size_t IntPanelCount(size_t n);

// Rows that MultiplyIntBlock takes at most, unless their targets are even.
inline constexpr size_t kIntBlockRows = 96;

// A block of rows: piece i of row r begins at pieces[i * stride + r] and has
// IntWords(b.format, b.length) words, the last of which may hold anything
// beyond `length`.
struct IntLeftRows {
  const uint8_t* const* pieces = nullptr;
  size_t stride = 0, rows = 0;
  int32_t zero = 0;  // OperandZero of what the rows were made of.
  // Where rows are even (TakesEvenRows) piece i of row r may begin at
  // pieces[i] + r * steps[i] instead; the stride means nothing then.
  const size_t* steps = nullptr;
  // Bytes of the other signedness than the format's, of even rows. Not with a
  // wide stage.
  bool is_flipped = false;
  // Each row has a zero point of its own, RowTarget::zero more than `zero`.
  bool has_zeros = false;
  // If not 0, the target of each row lies that many elements after the one
  // before, and all of them have the same scale; of more rows than
  // kIntBlockRows the targets of so many are read.
  size_t target_step = 0;
  // Elements by which all targets are further on.
  size_t target_base = 0;
};

// Whether rows in that format may be even, and what is more, flipped.
bool TakesEvenRows(IntFormat format);
bool TakesFlippedRows(IntFormat format);

// The columns of panels [first_panel, end_panel) of a * b go through the
// stage, whose column 0 is `column` columns before that of b.
void MultiplyIntBlock(const IntLeftRows& a, const IntMatrixView& b,
                      size_t first_panel, size_t end_panel, size_t column,
                      const RowTarget* targets, const OutputStage& stage);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_INT_GEMM_H_
