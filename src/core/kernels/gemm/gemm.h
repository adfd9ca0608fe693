// Matrix product with a packed right operand: the heart of convolutions and
// fully connected layers.
#ifndef MUNJA_KERNELS_GEMM_GEMM_H_
#define MUNJA_KERNELS_GEMM_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/elementwise/activation.h"
#include "kernels/gemm/left_rows.h"
#include "tensor/element_type.h"

namespace munja::kernels {

// A row-major matrix of float32 or of the 16-bit type in use (half_gemm.h).
struct RowView {
  RowView() = default;
  // Floats with the stride of what they belong to, as a pointer is given.
  // NOLINTNEXTLINE(google-explicit-constructor)
  RowView(const float* floats) : data(floats) {}
  RowView(const void* start, size_t row_stride,
          ElementType element_type = ElementType::kFloat32)
      : data(start), stride(row_stride), type(element_type) {}
  const float* floats() const { return static_cast<const float*>(data); }
  bool is_half() const { return type != ElementType::kFloat32; }
  size_t element_bytes() const {
    return is_half() ? sizeof(uint16_t) : sizeof(float);
  }

  const void* data = nullptr;
  size_t stride = 0;  // In elements.
  ElementType type = ElementType::kFloat32;
};

// Likewise, to be written.
struct MutableRowView {
  float* floats() const { return static_cast<float*>(data); }
  bool is_half() const { return type != ElementType::kFloat32; }
  size_t element_bytes() const {
    return is_half() ? sizeof(uint16_t) : sizeof(float);
  }

  void* data = nullptr;
  size_t stride = 0;
  ElementType type = ElementType::kFloat32;
};

// The sub-block that begins at this element.
inline RowView RowsFrom(RowView m, size_t row, size_t column = 0) {
  if (m.data != nullptr) {
    m.data = static_cast<const uint8_t*>(m.data) +
             (row * m.stride + column) * m.element_bytes();
  }
  return m;
}
inline MutableRowView RowsFrom(MutableRowView m, size_t row,
                               size_t column = 0) {
  m.data = static_cast<uint8_t*>(m.data) +
           (row * m.stride + column) * m.element_bytes();
  return m;
}

// Applied to a sum before it is stored:
// activation(sum + bias[channel] + residual at the same place).
struct Epilogue {
  const float* bias = nullptr;  // One for each channel, or null.
  // No data: no residual. A stride of 0: the stride of the output, which may be
  // the residual itself if their types agree.
  RowView residual;
  Activation activation;
};
// Epilogue of the sub-block at (row, column) of an output with this stride.
inline Epilogue EpilogueFrom(Epilogue epilogue, size_t row, size_t column,
                             size_t stride) {
  if (epilogue.bias != nullptr) epilogue.bias += column;
  if (epilogue.residual.stride == 0) epilogue.residual.stride = stride;
  epilogue.residual = RowsFrom(epilogue.residual, row, column);
  return epilogue;
}

// Compute type of a product. With kHalf (half_gemm.h) the matrix is stored
// rounded to 16-bit floats, and LHS rows are rounded, too, when they are
// multiplied by it.
enum class Product { kFloat32, kHalf };

// A k x n matrix in the order in which the kernels read it: panels of two
// vectors' width, each k rows long, columns past n are 0. In a last panel of
// few columns several rows lie side by side in a vector. The width is that of
// the SIMD target in use when it was packed, and only that target can read it.
struct MatrixView {
  const void* packed = nullptr;
  size_t k = 0, n = 0;
  Product product = Product::kFloat32;
  // Divides k; 0: k. Float32 products are fast when LHS rows consist of
  // segments (Indirection) of this length, or of multiples of 4 that divide it.
  size_t run = 0;

  bool is_half() const { return product == Product::kHalf; }
  const float* floats() const { return static_cast<const float*>(packed); }
  const uint16_t* halves() const {
    return static_cast<const uint16_t*>(packed);
  }
};

// Bytes that PackMatrix writes for a matrix of those sizes, product and run; at
// most those of k * (n + 63) floats on any target. As kHalf only where
// TakesHalfProduct(k).
size_t PackedMatrixBytes(const MatrixView& sizes);
// b[row * k_stride + column * n_stride] is the element of b at row < k,
// column < n. `packed` is aligned to 64 bytes.
void PackMatrix(const float* b, const MatrixView& sizes, size_t k_stride,
                size_t n_stride, void* packed);
// Columns [first, first + count) of a packed matrix, where both ends are ends
// of panels.
MatrixView ColumnsOf(const MatrixView& b, size_t first, size_t count);

// Owns a packed constant.
class PackedMatrix {
 public:
  // Elements as in PackMatrix. As kHalf only where the CPU multiplies
  // these (HalfTypeInUse) and k is at most kMaxHalfDepth: else as kFloat32.
  // kOutOfMemory.
  static Result<PackedMatrix> Pack(const float* b, size_t k, size_t n,
                                   size_t k_stride, size_t n_stride,
                                   Product product = Product::kFloat32);
  const MatrixView& view() const { return view_; }
  size_t bytes() const { return buffer_.size(); }

 private:
  PackedMatrix(Buffer buffer, const MatrixView& view)
      : buffer_(std::move(buffer)), view_(view) {}
  Buffer buffer_;
  MatrixView view_;
};

// c[row * ldc + column] = epilogue(sum over i of a[row * lda + i] * b(i,
// column)) for row < m. The residual has the row stride ldc, too. The order of
// the sum follows from k and n, so neither m nor threads change a result.
void Gemm(const float* a, size_t lda, size_t m, const MatrixView& b,
          const Epilogue& epilogue, float* c, size_t ldc, ThreadPool& pool);
// Overload for rows, a residual and an output of 16 bits, too, as in
// MultiplyBlock.
void Gemm(const RowView& a, size_t m, const MatrixView& b,
          const Epilogue& epilogue, const MutableRowView& c, ThreadPool& pool);

// As above on the calling thread alone, for kernels that split their own work.
void MultiplyRows(const RowView& a, size_t m, const MatrixView& b,
                  const Epilogue& epilogue, const MutableRowView& c);

// Rows that MultiplyBlock takes at most.
inline constexpr size_t kGemmBlockRows = 48;

using LeftRows = Indirection<float>;
// In the format in use. The rows have HalfDepth(k) numbers; where k is odd the
// last one is 0. The length of the pieces is even and, where a row has more
// than one and b has a last panel of few columns, a multiple of 8.
using HalfLeftRows = Indirection<uint16_t>;

// As Gemm, for one block of rows and the columns of panels
// [first_panel, end_panel); c, bias and residual begin at row 0, column 0.
// Rows, residual and output of 16 bits are for a matrix of halves, which rounds
// rows of float32; such a block may be of any height.
void MultiplyBlock(const LeftRows& a, const MatrixView& b, size_t first_panel,
                   size_t end_panel, const Epilogue& epilogue,
                   const MutableRowView& c);
void MultiplyBlock(const HalfLeftRows& a, const MatrixView& b,
                   size_t first_panel, size_t end_panel,
                   const Epilogue& epilogue, const MutableRowView& c);
// Columns of a full panel, and panels of a matrix with n columns. Any run of
// panels is a packed matrix itself.
size_t PanelWidth();
size_t PanelCount(size_t n);

// Rows to give to a thread at once: a multiple of 12 (the height of a register
// tile), about a million multiply-accumulates, so that handing out work costs
// nothing and a small layer still splits.
size_t RowsPerTask(size_t k, size_t n);

namespace reference {
// b is not packed: its element is at b[i * k_stride + column * n_stride].
// Sums in double precision.
void Gemm(const float* a, size_t lda, size_t m, const float* b, size_t k,
          size_t n, size_t k_stride, size_t n_stride, const Epilogue& epilogue,
          float* c, size_t ldc);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_GEMM_H_
