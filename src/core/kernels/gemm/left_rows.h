// The LHS rows of a product, given by pointers instead of copies.
#ifndef MUNJA_KERNELS_GEMM_LEFT_ROWS_H_
#define MUNJA_KERNELS_GEMM_LEFT_ROWS_H_

#include <cstddef>

namespace munja::kernels {

// An indirection buffer: a block of LHS rows by pointers instead of copies.
// Row r is the concatenation of `pointers_per_row` arrays of `length` elements,
// the i-th of which begins at pieces[r * pointers_per_row + i]. Their total
// length is the k of the matrix. has_constant_stride: every row is the one
// before, `step` elements further on, and the pointers of row 0 are enough; a
// null pointer among these means zeros (not for integers, whose zero point may
// be any value).
template <class T>
struct Indirection {
  const T* const* pieces = nullptr;
  size_t rows = 0, pointers_per_row = 0, length = 0;
  bool has_constant_stride = false;
  size_t step = 0;
};

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_LEFT_ROWS_H_
