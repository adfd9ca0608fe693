// Matrix product of integers with exact sums: the heart of quantized
// convolutions and fully connected layers. One kernel serves every 8-bit
// scheme and int16 activations with 8-bit weights.
#ifndef MUNJA_KERNELS_GEMM_INT_GEMM_H_
#define MUNJA_KERNELS_GEMM_INT_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/int_operand.h"
#include "kernels/gemm/left_rows.h"
#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// A k x n matrix in the order in which the kernels read it. Its rows are
// those of `pieces` segments of `length`; k is their sum. Only the SIMD target
// that was in use when it was packed can read it.
struct IntMatrixView {
  const int32_t* packed = nullptr;
  size_t pieces = 1, length = 0, n = 0;
  IntFormat format = IntFormat::kInt16;
  size_t k() const { return pieces * length; }
  // Words (groups of elements that a lane multiplies at once) of one row.
  size_t words() const { return pieces * IntWords(format, length); }
};

// int32 that PackIntMatrix writes for a matrix of those sizes and format; on
// any target at most (words() + 2) * (n + 63).
size_t PackedIntWords(const IntMatrixView& sizes);
// b[row * k_stride + column * n_stride] is the element at row < k, column < n.
// Values lie in [-255, 255], where no epilogue is wide in the range of int16;
// where the left operand has bytes, in [-128, 127]. `packed` is aligned to 64
// bytes.
void PackIntMatrix(const int16_t* b, const IntMatrixView& sizes,
                   size_t k_stride, size_t n_stride, int32_t* packed);
// Columns of which one vector holds the sums.
size_t IntVectorColumns();
// Panels of a matrix with n columns.
size_t IntPanelCount(size_t n);

// A block of rows of bytes as LoadOperand makes them: the segments have
// IntWords(b.format, b.length) words, the last of which may hold anything
// beyond `length`; the step is in bytes, and b says what the length is.
struct IntLeftRows {
  Indirection<uint8_t> rows;
  int32_t zero = 0;  // OperandZero of the input of the rows.
  // Bytes of the other signedness than the format's, of rows with a constant
  // stride (ReadsOtherSign). Not with a wide epilogue.
  bool has_other_sign = false;
};

// Destinations of the rows of a block of sums.
struct RowTargets {
  const RowTarget* rows = nullptr;
  // If not 0, rows are that many elements apart in the output, and all of
  // them have the same scale; `rows` has kIntRowsAtOnce of them at least, or
  // all.
  size_t step = 0;
  size_t base = 0;  // Offset of all rows, in elements.
  // Each row has a zero point of its own, RowTarget::zero more than that of the
  // LHS rows.
  bool has_zeros = false;
};
// Rows whose sums are finished together.
inline constexpr size_t kIntRowsAtOnce = 96;

// Whether bytes of the other signedness than the format's may be multiplied.
bool ReadsOtherSign(IntFormat format);

// The columns of panels [first_panel, end_panel) of a * b go through the
// epilogue, whose column 0 is `column` columns before that of b. Blocks may be
// of any height.
void MultiplyIntBlock(const IntLeftRows& a, const IntMatrixView& b,
                      size_t first_panel, size_t end_panel, size_t column,
                      const RowTargets& targets, const IntEpilogue& epilogue);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_INT_GEMM_H_
